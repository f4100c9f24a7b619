import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import type { JetstreamServer } from '../../test/support/servers/jetstream.ts';
import { delayAt } from '../webhooks/changes.ts';
import { until } from './copies.ts';

const Body = z.object({ sequence: z.string() });

/** When the message of a change came, in milliseconds since 1970, by the id of the change. */
export type Arrivals = ReadonlyMap<string, number>;

/** The messages that come to a server from now on. */
export function arrivalsAt({ connection }: JetstreamServer): Arrivals {
  const arrivals = new Map<string, number>();
  connection.subscribe('health.>', {
    callback: (_error, message) => {
      const { sequence } = Body.parse(message.json());
      arrivals.set(sequence, Date.now());
    },
  });
  return arrivals;
}

interface Bounds {
  readonly perSecond: number;
  readonly ms: number;
}

const lastId = 'select coalesce(max(id), 0)::text as id from changes.change';
const recorded = `
  select id::text, (extract(epoch from recorded_at) * 1000)::float8 as at from changes.change
  where id > $1 and type = 'timeseries.updated'`;

/** Adds samples, and returns shares of their delays in milliseconds: from their record to their arrival. */
export async function delaysUntilArrival(
  { pool, id, arrivals }: { readonly pool: pg.Pool; readonly id: string; readonly arrivals: Arrivals },
  bounds: Bounds,
): Promise<{ readonly p50: number; readonly p99: number }> {
  const query = async <T extends pg.QueryResultRow>(text: string, values: readonly unknown[] = []) =>
    (await pool.query<T>(text, [...values])).rows;
  const [first] = await query<{ id: string }>(lastId);
  await addSamples(pool, bounds);
  await until(
    async () => (await query('select from changes.pending where due_at is not null limit 1')).length === 0,
  );
  const isFollowed = `select from destinations.destination where id = $1 and position >= (${lastId})::bigint`;
  await until(async () => (await query(isFollowed, [id])).length > 0);
  const rows = await query<{ id: string; at: number }>(recorded, [first?.id]);
  const delays = rows.map(({ id, at }) => (arrivals.get(id) ?? Number.NaN) - at).toSorted((a, b) => a - b);
  if (!delays.every(Number.isFinite)) throw new Error('the messages of some changes have not arrived');
  return { p50: delayAt(delays, 0.5), p99: delayAt(delays, 0.99) };
}

// Each tick adds a sample to the next series, so that no changes are joined.
async function addSamples(pool: pg.Pool, { perSecond, ms }: Bounds): Promise<void> {
  const began = performance.now();
  for (let n = 0; n < (perSecond * ms) / 1000; n += 1) {
    await sleep(Math.max(0, began + (n * 1000) / perSecond - performance.now()));
    await pool.query(
      `insert into timeseries.sample (series_id, zone_offset_minutes, ts, value)
       select id, 60, now(), 60 from timeseries.series order by id offset $1 limit 1`,
      [n],
    );
  }
}
