import type { Post } from '../outbox.ts';
import { withSpan } from '../spans.ts';
import type { Contents, Portion } from '../store.ts';
import type { World } from '../world.ts';
import { accountOf } from './accounts.ts';
import { callbackUrl } from './callbacks.ts';
import { isOff } from './history.ts';
import { itemsOf, sentName } from './portions.ts';

type Body = Record<string, unknown[]>;

/** The post of a notification; null where there is nothing left to tell, or nobody to tell it to. */
export function devicemakerPost(world: World, contents: Contents): Post | null {
  const { application } = world.store.book;
  if (contents.kind === 'garbage') return postOf(world, contents.path, contents.text);
  const body =
    contents.kind === 'data'
      ? dataBody(world, contents.portions)
      : contents.kind === 'notice'
        ? contents.body
        : {};
  if (Object.keys(body).length === 0) return null;
  const path = contents.kind === 'data' ? `/devicemaker/${application.style}` : '/devicemaker/push';
  return postOf(world, path, JSON.stringify(body));
}

function postOf({ store }: World, path: string, body: string): Post | null {
  const { application, devicemaker } = store.book;
  if (application.webhooks === null) return null;
  const headers = { 'Content-Type': 'application/json', [application.header]: devicemaker.client_id };
  const secret = application.secret == null ? '' : `/${application.secret}`;
  const url = new URL(`${application.webhooks.replace(/\/$/, '')}${path}${secret}`);
  return { url, headers, body };
}

function dataBody(world: World, portions: readonly Portion[]): Body {
  const { names, style } = world.store.book.application;
  const body: Body = {};
  for (const portion of portions.filter((one) => isWanted(world, one))) {
    const name = sentName(portion.type, names);
    const items = itemsOfPortion(world, portion);
    if (items.length > 0)
      body[name] = [...(body[name] ?? []), ...(style === 'push' ? items : [noticeOf(world, portion)])];
  }
  return body;
}

function isWanted(world: World, { account_id, type }: Portion): boolean {
  const account = accountOf(world, account_id);
  return account?.registered === true && !isOff(world, account, type);
}

function itemsOfPortion(world: World, portion: Portion): object[] {
  const account = accountOf(world, portion.account_id);
  return account === null ? [] : itemsOf(world.days, world.person(account.person), portion.type, portion);
}

function noticeOf(world: World, portion: Portion) {
  return {
    userId: portion.account_id,
    uploadStartTimeInSeconds: portion.startMs / 1000,
    uploadEndTimeInSeconds: portion.endMs / 1000,
    callbackURL: callbackUrl(world, portion),
  };
}

/** Writes down what arrived. */
export function noteSent(world: World, contents: Contents): void {
  if (contents.kind !== 'data') return;
  for (const { account_id, type, startMs, endMs } of contents.portions.filter((one) =>
    isWanted(world, one),
  )) {
    const account = accountOf(world, account_id);
    if (account !== null) account.sent[type] = withSpan(account.sent[type] ?? [], { startMs, endMs });
  }
}
