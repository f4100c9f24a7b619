import { isoTime } from '../../domain/time/time.ts';
import type { Post } from '../server/delivery.ts';
import type { Random } from '../simulation/random.ts';
import { signatureOf } from './keyset.ts';
import { types } from './points.ts';
import type { Change, HealthAccount, HealthWorld, Message } from './state.ts';

const mostChanges = 99;

/** Sends the new data of all accounts: a change of each type since the last time. */
export function sendNewData(world: HealthWorld): void {
  const nowMs = world.clock.nowMs();
  const changes = world.own.googlehealth_accounts.flatMap((account) => {
    const start_ms = account.live_ms;
    account.live_ms = nowMs;
    return account.authorized && start_ms < nowMs ? changesOf(account, start_ms, nowMs) : [];
  });
  sendChanges(world, changes);
  world.store.touch();
}

function changesOf({ health_user_id: account }: HealthAccount, start_ms: number, end_ms: number): Change[] {
  return Object.keys(types).map((type) => ({ account, operation: 'UPSERT', type, start_ms, end_ms }));
}

/** Sends changes, up to 99 in a request. */
export function sendChanges(world: HealthWorld, changes: readonly Change[]): void {
  for (let from = 0; from < changes.length; from += mostChanges)
    world.send({ kind: 'changes', changes: changes.slice(from, from + mostChanges) });
}

/** The body of a notification: an object, or an array of several. */
function bodyOf(changes: readonly Change[]): string {
  const all = changes.map(({ account, operation, type, start_ms, end_ms }) => ({
    data: {
      version: '1',
      clientProvidedSubscriptionName: 'sandbox',
      healthUserId: account,
      operation,
      dataType: type,
      intervals: [{ physicalTimeInterval: { startTime: isoTime(start_ms), endTime: isoTime(end_ms) } }],
    },
  }));
  return JSON.stringify(all.length === 1 ? all[0] : all);
}

/** The request of a notification; null while there is no subscriber. An invalid one has no valid signature. */
export function healthPost(world: HealthWorld, contents: Message): Post | null {
  const subscriber = world.own.googlehealth_subscriber;
  if (subscriber === null) return null;
  const body = contents.kind === 'garbage' ? contents.text : bodyOf(contents.changes);
  const signed = contents.kind === 'garbage' ? `${body} ` : body;
  return {
    url: new URL(subscriber.endpointUri),
    headers: {
      'Content-Type': 'application/json',
      Authorization: subscriber.secret,
      'Google-Health-API-Signature': signatureOf(world, signed),
    },
    body,
  };
}

const garbage = ['{', 'null', '[]', JSON.stringify({ data: { healthUserId: 'health-0' } })] as const;

/** An invalid notification: no JSON, or one without a type, with a wrong signature. */
export function invalidNotification(chance: Random): Message {
  return { kind: 'garbage', path: '/googlehealth/notifications', text: chance.pick(garbage) };
}
