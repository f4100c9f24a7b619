import { randomUUID } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { settingsOf } from '../../test/services/destinations/table-rows.ts';
import { type JetstreamServer, startJetstream } from '../../test/support/servers/jetstream.ts';
import { emptyDatabase } from '../dataset/ensure.ts';
import type { Bench } from '../measurement.ts';
import { meanMs } from '../rounds.ts';

/** A server on this machine that rows are copied into. */
export interface CopyTarget {
  readonly host: string;
  readonly settings: Readonly<Record<string, unknown>>;
  /** Removes the copied rows. */
  empty(): Promise<void>;
  /** Writes the rows of the last copy by the fewest means: the limit of the target. Returns the seconds. */
  bare(): Promise<number>;
}

// The rows as the table has them.
const rows = `
  select s.user_id, s.provider, s.device, t.name, null::text, x.ts, null::int, x.value, x.zone_offset_minutes::int
  from timeseries.series s join timeseries.series_type t on t.id = s.type_id
  join timeseries.sample x on x.series_id = s.id`;
const columns =
  'user_id, provider, device, type, recording_method, time, duration_ms, value, zone_offset_minutes';

/** A database on the server of the bench. Bare: COPY from one connection into another, into a table with the same indexes. */
export async function startTables(bench: Bench, from: () => string): Promise<CopyTarget> {
  const url = await emptyDatabase(bench, bench.sizes, 'destination');
  const pool = bench.connect(url);
  return {
    ...settingsOf(url),
    empty: async () => void (await pool.query('drop schema if exists copy cascade')),
    async bare() {
      await pool.query('drop schema if exists bare cascade; create schema bare');
      await pool.query('create table bare.sample (like copy.sample including all)');
      const reader = new pg.Client({ connectionString: from() });
      const writer = new pg.Client({ connectionString: url });
      await Promise.all([reader.connect(), writer.connect()]);
      const ms = await meanMs(() =>
        pipeline(
          reader.query(copyTo(`copy (${rows}) to stdout (format binary)`)),
          writer.query(copyFrom(`copy bare.sample (${columns}) from stdin (format binary)`)),
        ),
      );
      await Promise.all([reader.end(), writer.end()]);
      return ms / 1000;
    },
  };
}

/** Messages without an acknowledgement, and the size of one: as those of a copy. */
const [mostInFlight, messageBytes] = [64, 128 * 1024];

/** A stream of a server of its own. Bare: the bytes of COPY are published as they come. */
export async function startStream({ say, onEnd }: Bench, from: () => string): Promise<CopyTarget> {
  const server = await startJetstream({ comment: say, teardown: onEnd });
  await server.addStream({});
  const empty = async () => void (await server.manager.streams.purge('HEALTH'));
  return {
    ...server,
    empty,
    async bare() {
      await empty();
      const reader = new pg.Client({ connectionString: from() });
      await reader.connect();
      const sampled = 'select ts, value, zone_offset_minutes from timeseries.sample';
      const ms = await meanMs(() =>
        publish(server, reader.query(copyTo(`copy (${sampled}) to stdout (format binary)`))),
      );
      await reader.end();
      return ms / 1000;
    },
  };
}

async function publish({ connection }: JetstreamServer, chunks: AsyncIterable<Buffer>): Promise<void> {
  const jetstream = connection.jetstream();
  const inFlight = new Set<Promise<unknown>>();
  let waiting: Buffer[] = [];
  const send = async () => {
    const sent = jetstream.publish('health.bare', Buffer.concat(waiting), { msgID: randomUUID() });
    const settled: Promise<unknown> = sent.finally(() => inFlight.delete(settled));
    inFlight.add(settled);
    waiting = [];
    if (inFlight.size >= mostInFlight) await Promise.race(inFlight);
  };
  for await (const chunk of chunks) {
    waiting.push(chunk);
    if (waiting.reduce((sum, { length }) => sum + length, 0) >= messageBytes) await send();
  }
  await send();
  await Promise.all(inFlight);
}
