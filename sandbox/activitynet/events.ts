import { createHmac } from 'node:crypto';
import type { Post } from '../server/delivery.ts';
import { sendEvent } from './accounts.ts';
import { uploadsIn } from './activities.ts';
import { recordSeen } from './api.ts';
import type { ActivitynetAccount, ActivitynetWorld, Event, Message } from './state.ts';

const dayMs = 86_400_000;
/** One of this many activities gets another title a quarter of an hour later. */
const renamedOneIn = 6;
const renamedAfterMs = 900_000;

/** Sends the events of new and renamed activities of all accounts. */
export function sendEvents(world: ActivitynetWorld): void {
  for (const account of world.own.activitynet_accounts) if (account.authorized) sendEventsOf(world, account);
  world.store.touch();
}

function sendEventsOf(world: ActivitynetWorld, account: ActivitynetAccount): void {
  const nowMs = world.clock.nowMs();
  const uploads = uploadsIn(world.user(account.person), {
    startMs: account.live_ms - 2 * dayMs,
    endMs: nowMs,
  });
  const isNew = (ms: number) => ms > account.live_ms && ms <= nowMs;
  for (const { id, uploadedMs } of uploads) {
    if (isNew(uploadedMs)) sendActivityEvent(world, account, id, 'create', {});
    if (id % renamedOneIn === 0 && isNew(uploadedMs + renamedAfterMs))
      rename(world, account, id, 'Best of the week');
  }
  account.live_ms = nowMs;
}

/** Gives an activity another title, and sends an event. */
export function rename(
  world: ActivitynetWorld,
  account: ActivitynetAccount,
  id: number,
  title: string,
): void {
  account.titles[id] = title;
  sendActivityEvent(world, account, id, 'update', { title });
}

/** Deletes an activity, and sends an event. */
export function remove(world: ActivitynetWorld, account: ActivitynetAccount, id: number): void {
  if (!account.deleted.includes(id)) account.deleted.push(id);
  sendActivityEvent(world, account, id, 'delete', {});
}

/** Restores an activity that was deleted or private, and sends an event. */
export function restore(world: ActivitynetWorld, account: ActivitynetAccount, id: number): void {
  account.deleted = account.deleted.filter((one) => one !== id);
  sendActivityEvent(world, account, id, 'create', {});
}

function sendActivityEvent(
  world: ActivitynetWorld,
  account: ActivitynetAccount,
  id: number,
  aspect_type: Event['aspect_type'],
  updates: Record<string, string>,
): void {
  recordSeen(world, account, id);
  sendEvent(world, account, { object_type: 'activity', object_id: id, aspect_type, updates });
}

/** The request of an event; null while there is no subscription. */
export function activitynetPost({ own, application }: ActivitynetWorld, contents: Message): Post | null {
  const { subscription, activitynet } = own;
  if (subscription === null) return null;
  const text =
    contents.kind === 'garbage'
      ? contents.text
      : JSON.stringify({ ...contents.event, subscription_id: subscription.id });
  // An invalid event has no valid signature.
  const isSigned = application().sign_events && contents.kind === 'event';
  const signature = isSigned ? { 'X-Strava-Signature': signatureOf(activitynet.client_secret, text) } : {};
  return {
    url: new URL(subscription.callback_url),
    headers: { 'Content-Type': 'application/json', ...signature },
    body: text,
  };
}

// By the wall clock, with which the receiver compares it.
function signatureOf(clientSecret: string, text: string): string {
  const t = Math.floor(Date.now() / 1000);
  return `t=${t},v1=${createHmac('sha256', clientSecret).update(`${t}.${text}`).digest('hex')}`;
}
