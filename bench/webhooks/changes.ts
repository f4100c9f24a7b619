import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { drained } from './endpoints.ts';
import type { Receiver } from './receiver.ts';

/** The types of the changes that are made, in turn. */
export const changedTypes = [
  'user.created',
  'user.updated',
  'workout.created',
  'workout.updated',
  'workout.deleted',
  'sleep.created',
  'sleep.updated',
  'sleep.deleted',
  'connection.created',
  'connection.revoked',
] as const;

interface Rate {
  readonly perSecond: number;
  readonly ms: number;
}

/** How many changes were made, and at what rate. */
interface MadeChanges {
  readonly made: number;
  readonly perSecond: number;
}

const tickMs = 20;
let last = 0;

/**
 * Writes data at a rate until the time has passed. The triggers of its tables record the changes. Each change is one of a
 * user of its own, so that none are joined.
 */
async function makeChanges(pool: pg.Pool, { perSecond, ms }: Rate): Promise<MadeChanges> {
  const first = last + 1;
  last += Math.ceil((perSecond * ms) / 1000);
  await prepare(pool, first, last);
  const began = performance.now();
  let made = 0;
  while (first + made <= last) {
    const passedMs = Math.min(ms, performance.now() - began);
    const due = Math.floor((passedMs / 1000) * perSecond) - made;
    const count = Math.min(due, last + 1 - first - made);
    if (count > 0) await pool.query(write, [first + made, first + made + count - 1]);
    made += Math.max(0, count);
    if (passedMs >= ms) break;
    await sleep(tickMs);
  }
  return { made, perSecond: (1000 * made) / (performance.now() - began) };
}

const id = `md5('bench ' || n)::uuid`;
const workout = `insert into timeseries.workout (id, user_id, provider, key, device, type, raw_type, name, start_time, end_time,
    zone_offset_minutes, local_date, duration_seconds, is_parent)
  select ${id}, ${id}, 'devicemaker', 'bench', 'Bench 1', 'running', 'RUNNING', 'Run', now() - interval '1 hour', now(),
    0, current_date, 3600, false from numbered`;
const night = `insert into timeseries.sleep_session (id, user_id, provider, key, device, start_time, end_time,
    zone_offset_minutes, date, is_nap, rank, asleep_seconds)
  select ${id}, ${id}, 'devicemaker', 'bench', 'Bench 1', now() - interval '8 hours', now(), 0, current_date, false, 1, 28000
  from numbered`;
const person = `insert into users.person (id) select ${id} from numbered`;
const connection = `insert into users.connection (id, user_id, provider, provider_user_id, status, scope)
  select ${id}, ${id}, 'devicemaker', 'bench ' || n, 'active', '{}' from numbered`;
const numbered = 'numbered as (select n, n % 10 as turn from generate_series($1::int, $2::int) n)';

/** Inserts what will be changed or deleted, without changes. */
async function prepare(pool: pg.Pool, from: number, to: number): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query(`begin; set local changes.unrecorded = 'on'`);
    for (const statement of [
      `${person} where turn in (1, 8, 9)`,
      `${connection} where turn = 9`,
      `${workout} where turn in (3, 4)`,
      `${night} where turn in (6, 7)`,
    ])
      await client.query(`with ${numbered} ${statement}`, [from, to]);
    await client.query('commit');
  } finally {
    client.release();
  }
}

// The number of a change chooses its type.
const write = {
  name: 'bench-make-changes',
  text: `
    with ${numbered},
    person_created as (${person} where turn = 0),
    person_updated as (update users.person p set first_name = 'Bench' from numbered where turn = 1 and p.id = ${id}),
    workout_created as (${workout} where turn = 2),
    workout_updated as (update timeseries.workout w set name = 'Walk' from numbered where turn = 3 and w.id = ${id}),
    workout_deleted as (delete from timeseries.workout w using numbered where turn = 4 and w.id = ${id}),
    night_created as (${night} where turn = 5),
    night_updated as (
      update timeseries.sleep_session s set asleep_seconds = 27000 from numbered where turn = 6 and s.id = ${id}),
    night_deleted as (delete from timeseries.sleep_session s using numbered where turn = 7 and s.id = ${id}),
    connected as (${connection} where turn = 8)
    update users.connection c set status = 'revoked' from numbered where turn = 9 and c.id = ${id}`,
};

/** Delays of messages from the shortest to the longest, and the rate of the changes. */
export interface Delays {
  readonly delaysMs: readonly number[];
  readonly reached: number;
}

/** Makes changes and waits until the good endpoints received them. @throws Error if a change was not received */
export async function delaysOf(pool: pg.Pool, receiver: Receiver, bounds: Rate): Promise<Delays> {
  await receiver.times();
  const { made, perSecond: reached } = await makeChanges(pool, bounds);
  await drained(pool);
  const times = await receiver.times();
  if (times.length < made) throw new Error(`${times.length} messages of ${made} changes arrived`);
  return { delaysMs: times.toSorted((a, b) => a - b), reached };
}

/** The value below which a share of sorted values lies. */
export function delayAt(sorted: readonly number[], share: number): number {
  return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
}
