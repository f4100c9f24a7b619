import { setTimeout } from 'node:timers/promises';
import type { Test } from 'tap';
import type { DestinationKind } from '../../../contracts/destinations/schemas.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import { until } from '../../support/until.ts';
import { activity, block, day, item, night, sleep, workout } from '../timeseries/items.ts';
import { rowsInDatabase } from './manifest-rows.ts';
import type { startDestinations } from './setting.ts';

/** What a copy is read from. */
export interface CopyReader {
  readonly kind: DestinationKind;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Its rows, as lines of text. */
  rows(): Promise<string[]>;
  /** Rows or messages that name a user. */
  traces(user: string): Promise<number>;
  /** The name of the number of deleted rows or messages in the audit entry. */
  readonly proof: string;
}

type Services = Awaited<ReturnType<typeof startDestinations>>;

/** The first day of the data of the tests. */
export const old = Date.parse('2026-03-01T00:00:00Z');

/** Samples of the heart rate, one a minute. */
export function heart(startMs: number, n: number, value = 60, key = `heart ${startMs}`) {
  const samples = Array.from({ length: n }, (_, at) => [startMs + at * minuteMs, value + at] as const);
  return item({ key, samples: [block('heart_rate', samples)] });
}

/** Stores rows of all kinds. */
export async function storeAll(s: Services): Promise<string> {
  const user = await s.user();
  await s.store(user, [
    heart(old, 90),
    heart(old + 23 * hourMs, 120),
    night([sleep(old - 2 * hourMs, 400, { score: 80 })]),
    activity(workout(old + 8 * hourMs, 60), { key: 'run' }),
    item({ key: 'day', day: day('2026-03-01', { steps: 4000 }) }),
  ]);
  return user;
}

/** The promises of every kind: each one compares the copy with the database row by row. */
export async function checkCopy(t: Test, s: Services, reader: CopyReader): Promise<void> {
  const user = await storeAll(s);
  await s.user();
  const { kind, settings } = reader;
  const { id } = await s.call('destinations.create', { kind, settings });
  const isSame = async (t: Test, title: string) => {
    await s.written(id);
    t.same(await reader.rows(), await rowsInDatabase(s.database), title);
  };

  await t.test('what is stored is copied, each row once', async (t) => {
    await isSame(t, 'equal');
    t.ok((await reader.rows()).length > 200);
    t.match(await s.get(id), { state: 'running', lag_seconds: 0, changes_behind: 0, last_error: null });
    t.notMatch(JSON.stringify(await s.get(id)), /password|token|creds/);
  });
  await t.test('changes, samples that are stored again, deletions and a late month follow', async (t) => {
    await s.store(user, [
      heart(old, 40, 90),
      heart(Date.parse('2025-11-30T22:00:00Z'), 300),
      activity(workout(old + 30 * hourMs, 60, { name: 'Evening run' }), { key: 'run' }),
      item({ key: 'day', hash: 'later', duration_seconds: 7200, day: day('2026-03-01', { steps: 5000 }) }),
    ]);
    await isSame(t, 'changed');
    await s.database.query(
      `delete from timeseries.sample x using timeseries.series s where s.id = x.series_id and s.user_id = $1
         and x.ts >= to_timestamp($2) and x.ts < to_timestamp($2) + interval '30 minutes'`,
      [user, (old + 23 * hourMs) / 1000],
    );
    await s.database.query('delete from timeseries.sleep_session where user_id = $1', [user]);
    await isSame(t, 'deleted');
    t.notOk((await reader.rows()).some((line) => line.startsWith('sleep|')));
  });
  await t.test('while it is paused nothing is written; then all of it is', async (t) => {
    await s.call('destinations.pause', { destination_id: id });
    const before = await reader.rows();
    await s.store(user, [heart(old + 5 * dayMs, 20)]);
    // Spans of several users, of other times.
    for (const n of [1, 2]) await s.store(await s.user(), [heart(old + n * hourMs, 10 * n)]);
    await setTimeout(1000);
    t.same(await reader.rows(), before);
    await s.call('destinations.resume', { destination_id: id });
    await isSame(t, 'resumed');
  });
  await t.test('a deleted user leaves no trace, and an entry proves it', async (t) => {
    const other = await s.user();
    await s.store(other, [heart(old, 30), heart(old + 40 * dayMs, 5), night([sleep(old, 300)])]);
    await s.written(id);
    t.ok((await reader.traces(other)) > 3);
    await s.call('destinations.pause', { destination_id: id });
    await s.database.query('update users.person set deleted_at = now() where id = $1', [other]);
    await s.call('destinations.forgetUser', { user_id: other });
    await until(async () => (await s.get(id)).erasures_open === 0);
    t.equal(await reader.traces(other), 0);
    await s.call('destinations.resume', { destination_id: id });
    await isSame(t, 'without the user');
    t.equal(await reader.traces(other), 0);
    const [entry] = await s.database.query<{ details: Record<string, number> }>(
      `select details from auth.audit_entry where action = 'destination.user_erased' and user_id = $1`,
      [other],
    );
    t.ok((entry?.details[reader.proof] ?? 0) > 3);
  });
  await t.test('begins anew: the same rows', async (t) => {
    await s.call('destinations.reset', { destination_id: id });
    await isSame(t, 'reset');
  });
  await t.test('only the types that are named', async (t) => {
    await s.call('destinations.update', { destination_id: id, types: ['workout', 'user'] });
    await s.written(id);
    const types = (await reader.rows()).map((line) => line.split('|')[0]);
    t.same([...new Set(types)].toSorted(), ['user', 'workout']);
  });
  await s.call('destinations.remove', { destination_id: id });
}
