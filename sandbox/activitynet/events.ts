import { createHmac } from 'node:crypto';
import type { Post } from '../outbox.ts';
import type { ActivitynetAccount, Contents, Event } from '../store.ts';
import type { World } from '../world.ts';
import { tell } from './accounts.ts';
import { uploadsIn } from './activities.ts';
import { noteTold } from './api.ts';

const dayMs = 86_400_000;
/** An activity in so many gets another title a quarter of an hour later. */
const renamedOneIn = 6;
const renamedAfterMs = 900_000;

/** Tells the application of what everybody uploaded since the last time, and renamed. */
export function sendEvents(world: World): void {
  for (const account of world.store.book.activitynet_accounts)
    if (account.authorized) sendEventsOf(world, account);
  world.store.touch();
}

function sendEventsOf(world: World, account: ActivitynetAccount): void {
  const nowMs = world.clock.nowMs();
  const uploads = uploadsIn(world.person(account.person), {
    startMs: account.live_ms - 2 * dayMs,
    endMs: nowMs,
  });
  const isNew = (ms: number) => ms > account.live_ms && ms <= nowMs;
  for (const { id, uploadedMs } of uploads) {
    if (isNew(uploadedMs)) tellActivity(world, account, id, 'create', {});
    if (id % renamedOneIn === 0 && isNew(uploadedMs + renamedAfterMs))
      rename(world, account, id, 'Best of the week');
  }
  account.live_ms = nowMs;
}

/** Gives an activity another title, and tells the application. */
export function rename(world: World, account: ActivitynetAccount, id: number, title: string): void {
  account.titles[id] = title;
  tellActivity(world, account, id, 'update', { title });
}

/** Takes an activity away, and tells the application. */
export function remove(world: World, account: ActivitynetAccount, id: number): void {
  if (!account.deleted.includes(id)) account.deleted.push(id);
  tellActivity(world, account, id, 'delete', {});
}

/** Brings an activity back that was taken away or private, and tells the application. */
export function restore(world: World, account: ActivitynetAccount, id: number): void {
  account.deleted = account.deleted.filter((one) => one !== id);
  tellActivity(world, account, id, 'create', {});
}

function tellActivity(
  world: World,
  account: ActivitynetAccount,
  id: number,
  aspect_type: Event['aspect_type'],
  updates: Record<string, string>,
): void {
  noteTold(world, account, id);
  tell(world, account, { object_type: 'activity', object_id: id, aspect_type, updates });
}

/** The post of an event; null while nobody subscribed. */
export function activitynetPost({ store }: World, contents: Contents): Post | null {
  const { subscription, activitynet, application } = store.book;
  if (subscription === null) return null;
  const text =
    contents.kind === 'garbage'
      ? contents.text
      : contents.kind === 'event'
        ? JSON.stringify({ ...contents.event, subscription_id: subscription.id })
        : '';
  // A forged event has no signature that fits.
  const isSigned = application.sign_events && contents.kind === 'event';
  const signature = isSigned ? { 'X-Strava-Signature': signatureOf(activitynet.client_secret, text) } : {};
  return {
    url: new URL(subscription.callback_url),
    headers: { 'Content-Type': 'application/json', ...signature },
    body: text,
  };
}

// By the wall's clock: the receiver compares it with its own.
function signatureOf(clientSecret: string, text: string): string {
  const t = Math.floor(Date.now() / 1000);
  return `t=${t},v1=${createHmac('sha256', clientSecret).update(`${t}.${text}`).digest('hex')}`;
}
