import type { Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The number of a provider's deliveries by state; `oldest_waiting_seconds` is null if none waits. */
export interface QueueRow {
  provider: ProviderName;
  ready: number;
  working: number;
  dead: number;
  oldest_waiting_seconds: number | null;
}

// Both parts of the union read a partial index with few rows: open deliveries and dead letters.
const statement = `
select provider, count(*) filter (where state = 'ready')::int as ready,
  count(*) filter (where state = 'working')::int as working, count(*) filter (where state = 'dead')::int as dead,
  floor(extract(epoch from now() - min(received_at) filter (where state <> 'dead')))::int as oldest_waiting_seconds
from (
  select provider, state, received_at from deliveries.delivery where state in ('ready', 'working')
  union all
  select provider, state, received_at from deliveries.delivery where state = 'dead'
) open group by provider`;

/** The deliveries of each provider by state; a provider without open or dead deliveries has no row. */
export function selectFigures(database: Queryable): Promise<QueueRow[]> {
  return database.query<QueueRow>(statement);
}
