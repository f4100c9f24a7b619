import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import type { Database } from '../../../mixins/database/database.ts';
import type { Client } from './client.ts';

const patienceMs = 600_000;

/** Makes about a part of the retries due, so that they neither wait for minutes nor keep their order. */
export async function hurryRetries(database: Database, part: number): Promise<void> {
  await database.query(
    `update webhooks.message set run_at = now()
     where state = 'waiting' and not leased and failures > 0 and run_at > now() and random() < $1`,
    [part],
  );
}

// Jobs that recur have no key, and are always there.
const jobs = ['users.erasure', 'users.purge', 'connect.backfill', 'deliveries.erasure'];
const open = `
  select what, n from (
    select 'changes' as what, count(*)::int as n from changes.pending where due_at is not null
    union all select 'messages', count(*)::int from webhooks.message m join webhooks.endpoint e on e.id = m.endpoint_id
      where e.enabled and m.state = 'waiting'
    union all select 'deliveries', count(*)::int from deliveries.delivery where state in ('ready', 'working')
    union all select 'backfills', count(*)::int from backfill.run where state = 'running'
    union all select 'histories', count(*)::int from activitynet.listing
      where purpose = 'backfill' and state in ('listing', 'fetching')
    union all select 'days of insights', count(*)::int from insights.day where due_id is not null
    union all select 'changes before insights', count(*)::int from changes.change
      where id > (select last_id from insights.position)
    union all select kind, count(*)::int from jobs.job
      where dead_at is null and (kind = any($1) or kind like 'timeseries.%' and key <> '') group by kind
  ) o where n > 0`;
const Status = z.object({
  providers: z.record(
    z.string(),
    z.looseObject({ fetches: z.object({ live_waiting: z.int() }).loose().nullable() }),
  ),
});

/** Waits until nothing is in progress any more. @throws Error after ten minutes, with what is left */
export async function untilQuiet(database: Database, client: Client): Promise<void> {
  const deadline = Date.now() + patienceMs;
  for (let quiet = 0; quiet < 3; await sleep(500)) {
    await hurryRetries(database, 1);
    const left = await database.query<{ what: string; n: number }>(open, [jobs]);
    const { providers } = await client.get('/status', Status);
    const fetches = Object.values(providers).reduce((sum, one) => sum + (one.fetches?.live_waiting ?? 0), 0);
    quiet = left.length === 0 && fetches === 0 ? quiet + 1 : 0;
    if (Date.now() > deadline)
      throw new Error(
        `not quiet: ${left.map(({ what, n }) => `${n} ${what}`).join(', ')}, ${fetches} fetches`,
      );
  }
}
