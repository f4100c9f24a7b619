import type { Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** How a provider's deliveries stand; none waits: null. */
export interface QueueRow {
  provider: ProviderName;
  ready: number;
  working: number;
  dead: number;
  oldest_waiting_seconds: number | null;
}

// Both halves read an index of few rows: what is open, and what was given up.
const statement = `
select provider, count(*) filter (where state = 'ready')::int as ready,
  count(*) filter (where state = 'working')::int as working, count(*) filter (where state = 'dead')::int as dead,
  floor(extract(epoch from now() - min(received_at) filter (where state <> 'dead')))::int as oldest_waiting_seconds
from (
  select provider, state, received_at from deliveries.delivery where state in ('ready', 'working')
  union all
  select provider, state, received_at from deliveries.delivery where state = 'dead'
) open group by provider`;

/** How the deliveries of each provider stand; a provider without any is not there. */
export function selectFigures(database: Queryable): Promise<QueueRow[]> {
  return database.query<QueueRow>(statement);
}
