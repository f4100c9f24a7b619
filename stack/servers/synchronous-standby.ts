import type pg from 'pg';
import { newClient } from '../../runtime/database/database-client.ts';

// Whether commits wait for the standby of `npm run cluster -- --standby`. While it streams they do, so that a promotion
// loses nothing that was answered. While it does not, they must not, or every write would hang.

/** The name of the standby at its primary, and of its replication slot. */
export const standbyName = 'pulsebus_standby';

const everyMs = 500;
/** How long a standby may leave written data unconfirmed. A stopped process or machine keeps its connection open. */
const confirmWithinMs = 2000;

const state = `
  select current_setting('synchronous_standby_names') = '${standbyName}' as waits,
    exists (select from pg_stat_replication where application_name = '${standbyName}' and state = 'streaming'
      and flush_lsn >= $1::pg_lsn) as streams,
    pg_current_wal_flush_lsn()::text as written`;

interface State {
  readonly waits: boolean;
  readonly streams: boolean;
  readonly written: string;
}

/** Lets commits wait for the standby exactly while it streams. Returns the function that ends this. */
export function keepSynchronous(superuserUrl: string, log: (line: string) => void): () => Promise<void> {
  let client: pg.Client | null = null;
  let isStopped = false;
  let written: { readonly position: string; readonly at: number }[] = [];
  // What was written by then must be confirmed by now.
  const due = () => {
    const before = performance.now() - confirmWithinMs;
    const index = written.findLastIndex(({ at }) => at <= before);
    written = written.slice(Math.max(0, index));
    return index < 0 ? '0/0' : (written[0]?.position ?? '0/0');
  };
  const step = async () => {
    try {
      client ??= await connected(superuserUrl);
      const { waits, streams, written: position } = await read(client, due());
      written.push({ position, at: performance.now() });
      if (waits === streams) return;
      await (streams ? beginSynchronous(client) : endSynchronous(client));
      log(
        streams
          ? 'The standby streams: commits wait for it.'
          : 'The standby does not stream: commits do not wait for it.',
      );
    } catch {
      // The primary is away. The next step looks for it.
      const lost = client;
      client = null;
      written = [];
      await lost?.end().catch(() => undefined);
    }
  };
  const done = (async () => {
    while (!isStopped) {
      await step();
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  })();
  return async () => {
    isStopped = true;
    await done;
    await client?.end().catch(() => undefined);
  };
}

/** Ends the waiting, as after a start: only a running cluster watches its standby. */
export async function endSynchronous(client: pg.Client): Promise<void> {
  const { waits } = await read(client);
  if (!waits) return;
  await client.query('alter system reset synchronous_standby_names');
  await client.query('select pg_reload_conf()');
}

async function beginSynchronous(client: pg.Client): Promise<void> {
  await client.query(`alter system set synchronous_standby_names = '${standbyName}'`);
  await client.query('select pg_reload_conf()');
}

async function connected(url: string): Promise<pg.Client> {
  const client = newClient(url, { connectionTimeoutMillis: 2000, query_timeout: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  return client;
}

async function read(client: pg.Client, confirmed = '0/0'): Promise<State> {
  const { rows } = await client.query<State>(state, [confirmed]);
  return rows[0] ?? { waits: false, streams: false, written: '0/0' };
}
