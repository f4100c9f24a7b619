import type { Post } from '../server/delivery.ts';
import type { Random } from '../simulation/random.ts';
import { stampOf } from '../simulation/world.ts';
import { notify } from './accounts.ts';
import { rowsIn } from './current-rows.ts';
import type { RowKind } from './rows.ts';
import type { Message, WithingsAccount, WithingsWorld } from './state.ts';

const dayMs = 86_400_000;
const quarterMs = 900_000;
/** Enough for weeks of quarters of an hour. */
const mostArrivals = 4000;
const seconds = (ms: number) => Math.floor(ms / 1000);

/** The category of notifications of rows of a kind. */
const categoryOf = { measures: 1, days: 16, workouts: 16, sleep: 44 } as const satisfies Record<
  RowKind,
  number
>;

/** Sends the notifications of new rows of all accounts. */
export function sendNewRows(world: WithingsWorld): void {
  for (const account of world.own.withings_accounts) if (account.authorized) sendRowsOf(world, account);
  world.store.touch();
}

function sendRowsOf(world: WithingsWorld, account: WithingsAccount): void {
  const nowMs = world.clock.nowMs();
  const fromMs = account.live_ms;
  if (account.arrivals.length === 0) account.arrivals.push({ until_ms: fromMs, modified: 0 });
  account.arrivals.push({ until_ms: nowMs, modified: stampOf(world) });
  account.arrivals = account.arrivals.slice(-mostArrivals);
  account.live_ms = nowMs;
  for (const kind of ['measures', 'days', 'workouts', 'sleep'] as const) {
    const fresh = rowsIn(world, account, kind, { startMs: fromMs - 2 * dayMs, endMs: nowMs }).filter(
      ({ availableMs }) => availableMs > fromMs && availableMs <= nowMs,
    );
    for (const { startMs, fields } of fresh) notifyRow(world, account, kind, { startMs, fields });
  }
  // Intraday activity arrives with each quarter of an hour.
  if (nowMs > fromMs)
    notify(world, account, 16, { startdate: seconds(fromMs - quarterMs), enddate: seconds(nowMs) });
}

function notifyRow(
  world: WithingsWorld,
  account: WithingsAccount,
  kind: RowKind,
  { startMs, fields }: { readonly startMs: number; readonly fields: Readonly<Record<string, unknown>> },
): void {
  const appli = kind === 'measures' && String(fields.model).startsWith('BPM') ? 4 : categoryOf[kind];
  const endMs = typeof fields.enddate === 'number' ? fields.enddate * 1000 : startMs + 1000;
  const span =
    kind === 'days'
      ? { date: String(fields.date) }
      : { startdate: seconds(startMs), enddate: seconds(endMs) };
  notify(world, account, appli, span);
}

/** The request of a notification; null if the account has no subscription of its category. */
export function withingsPost({ own }: WithingsWorld, contents: Message): Post | null {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const subscribed = own.withings_accounts.flatMap(({ userid, subscriptions }) =>
    subscriptions.map((one) => ({ userid, ...one })),
  );
  if (contents.kind === 'garbage') {
    const [any] = subscribed;
    return any === undefined ? null : { url: new URL(any.callbackurl), headers, body: contents.text };
  }
  const target = subscribed.find(({ userid, appli }) => {
    return userid === contents.userid && String(appli) === contents.fields.appli;
  });
  if (target === undefined) return null;
  return { url: new URL(target.callbackurl), headers, body: new URLSearchParams(contents.fields).toString() };
}

const texts = [
  '',
  'userid=&appli=1',
  'userid=1&appli=1&startdate=0&enddate=1',
  'userid=1&appli=9999&startdate=x',
  '{"userid":1}',
] as const;

/** An invalid notification: no form, an incomplete one, or one of an unknown account. */
export function invalidNotification(chance: Random): Message {
  return { kind: 'garbage', path: '/withings/notify', text: chance.pick(texts) };
}
