import type { Post } from '../server/delivery.ts';
import { withSpan } from '../simulation/spans.ts';
import { accountOf } from './accounts.ts';
import { isOff } from './backfill.ts';
import { callbackUrl } from './callbacks.ts';
import { itemsOf, sentName } from './notification-parts.ts';
import type { DevicemakerWorld, Message, NotificationPart } from './state.ts';

type Body = Record<string, unknown[]>;

/** The HTTP request of a notification; null if there is nothing to send or no address is set. */
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

function dataBody(world: DevicemakerWorld, portions: readonly NotificationPart[]): Body {
  const { names, style } = world.application();
  const body: Body = {};
  for (const portion of portions.filter((one) => isWanted(world, one))) {
    const name = sentName(portion.type, names);
    const items = itemsOfPart(world, portion);
    if (items.length > 0)
      body[name] = [...(body[name] ?? []), ...(style === 'push' ? items : [pingItemOf(world, portion)])];
  }
  return body;
}

function isWanted(world: DevicemakerWorld, { account_id, type }: NotificationPart): boolean {
  const account = accountOf(world, account_id);
  return account?.registered === true && !isOff(world, account, type);
}

function itemsOfPart(world: DevicemakerWorld, portion: NotificationPart): object[] {
  const account = accountOf(world, portion.account_id);
  return account === null ? [] : itemsOf(world.user(account.person), portion.type, portion);
}

function pingItemOf(world: DevicemakerWorld, portion: NotificationPart) {
  return {
    userId: portion.account_id,
    uploadStartTimeInSeconds: portion.startMs / 1000,
    uploadEndTimeInSeconds: portion.endMs / 1000,
    callbackURL: callbackUrl(world, portion),
  };
}

/** Records the data that the application acknowledged. */
export function recordSent(world: DevicemakerWorld, contents: Message): void {
  if (contents.kind !== 'data') return;
  for (const { account_id, type, startMs, endMs } of contents.portions.filter((one) =>
    isWanted(world, one),
  )) {
    const account = accountOf(world, account_id);
    if (account !== null) account.sent[type] = withSpan(account.sent[type] ?? [], { startMs, endMs });
  }
}
