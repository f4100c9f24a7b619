import { randomUUID } from 'node:crypto';
import type { FreshKind } from '../../domain/freshness/shared-kinds.ts';
import type { FreshnessState } from '../../domain/freshness/state.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { TestApi } from '../support/api.ts';
import { until } from '../support/until.ts';

type Database = TestApi['database'];

/** A connection whose kinds of data are in some states. */
export interface FreshnessRows {
  readonly provider: ProviderName;
  readonly states: Partial<Record<FreshKind, FreshnessState>>;
  readonly userId?: string;
}

/** Inserts the freshness of a connection that the service does not follow. */
export async function insertFreshness(
  database: Database,
  { provider, states, userId = randomUUID() }: FreshnessRows,
): Promise<void> {
  const id = randomUUID();
  await database.query(
    `insert into freshness.connection (connection_id, user_id, project_id, provider, connected_at)
     values ($1, $2, 'default', $3, now() - interval '60 days')`,
    [id, userId, provider],
  );
  await database.query(
    `insert into freshness.arrival (connection_id, kind, user_id, project_id, provider, state, since, last_at, expected_ms, repairs)
     select $1, kind, $2, 'default', $3, state, now() - interval '1 day', now() - interval '3 days', 129600000, 3
     from unnest($4::text[], $5::text[]) t (kind, state)`,
    [id, userId, provider, Object.keys(states), Object.values(states)],
  );
}

/** Opens an incident of a provider without connections, which the service leaves as it is. */
export async function insertIncident(database: Database, provider: ProviderName): Promise<void> {
  await database.query(
    `insert into freshness.incident (provider, reason, turned, connections, started_at, told)
     values ($1, 'late', 12, 40, now() - interval '2 hours', 'started') on conflict do nothing`,
    [provider],
  );
}

/** Sets states of a connection once the service has followed its changes. `hasEnded`: its access ended, too. */
export async function setFreshness(
  database: Database,
  { userId, provider, states, hasEnded = false }: Required<FreshnessRows> & { readonly hasEnded?: boolean },
): Promise<void> {
  const settled = `
    select from freshness.connection c where user_id = $1 and provider = $2 and (ended_at is not null) = $3
      and not exists (select from freshness.arrival a where a.connection_id = c.connection_id and a.check_at <= now())`;
  await until(
    async () => (await database.query(settled, [userId, provider, hasEnded])).length > 0,
    `the service follows ${provider}`,
  );
  await database.query(
    `insert into freshness.arrival as a (connection_id, kind, user_id, project_id, provider, state, last_at)
     select c.connection_id, t.kind, c.user_id, c.project_id, c.provider, t.state, now() - interval '5 days'
     from unnest($3::text[], $4::text[]) t (kind, state) join freshness.connection c on c.user_id = $1 and c.provider = $2
     on conflict (connection_id, kind) do update set state = excluded.state, last_at = excluded.last_at, check_at = null`,
    [userId, provider, Object.keys(states), Object.values(states)],
  );
}
