import type { Post } from '../delivery.ts';
import { withSpan } from '../spans.ts';
import { accountOf } from './accounts.ts';
import { callbackUrl } from './callbacks.ts';
import { isOff } from './history.ts';
import { itemsOf, sentName } from './portions.ts';
import type { DevicemakerWorld, Message, Portion } from './state.ts';

type Body = Record<string, unknown[]>;

/** The request of a notification; null where nothing is left to send, or no address is known. */
export function devicemakerPost(world: DevicemakerWorld, contents: Message): Post | null {
  const { style } = world.application();
  if (contents.kind === 'garbage') return postOf(world, contents.path, contents.text);
  const body =
    contents.kind === 'data'
      ? dataBody(world, contents.portions)
      : contents.kind === 'notice'
        ? contents.body
        : {};
  if (Object.keys(body).length === 0) return null;
  const path = contents.kind === 'data' ? `/devicemaker/${style}` : '/devicemaker/push';
  return postOf(world, path, JSON.stringify(body));
}

function postOf({ application, own, store }: DevicemakerWorld, path: string, body: string): Post | null {
  const { webhooks } = store.state.application;
  if (webhooks === null) return null;
  const { header, secret } = application();
  const headers = { 'Content-Type': 'application/json', [header]: own.devicemaker.client_id };
  const url = new URL(`${webhooks.replace(/\/$/, '')}${path}${secret == null ? '' : `/${secret}`}`);
  return { url, headers, body };
}

function dataBody(world: DevicemakerWorld, portions: readonly Portion[]): Body {
  const { names, style } = world.application();
  const body: Body = {};
  for (const portion of portions.filter((one) => isWanted(world, one))) {
    const name = sentName(portion.type, names);
    const items = itemsOfPortion(world, portion);
    if (items.length > 0)
      body[name] = [...(body[name] ?? []), ...(style === 'push' ? items : [noticeOf(world, portion)])];
  }
  return body;
}

function isWanted(world: DevicemakerWorld, { account_id, type }: Portion): boolean {
  const account = accountOf(world, account_id);
  return account?.registered === true && !isOff(world, account, type);
}

function itemsOfPortion(world: DevicemakerWorld, portion: Portion): object[] {
  const account = accountOf(world, portion.account_id);
  return account === null ? [] : itemsOf(world.days, world.person(account.person), portion.type, portion);
}

function noticeOf(world: DevicemakerWorld, portion: Portion) {
  return {
    userId: portion.account_id,
    uploadStartTimeInSeconds: portion.startMs / 1000,
    uploadEndTimeInSeconds: portion.endMs / 1000,
    callbackURL: callbackUrl(world, portion),
  };
}

/** Keeps which data the application has. */
export function noteSent(world: DevicemakerWorld, contents: Message): void {
  if (contents.kind !== 'data') return;
  for (const { account_id, type, startMs, endMs } of contents.portions.filter((one) =>
    isWanted(world, one),
  )) {
    const account = accountOf(world, account_id);
    if (account !== null) account.sent[type] = withSpan(account.sent[type] ?? [], { startMs, endMs });
  }
}
