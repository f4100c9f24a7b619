import type { Queryable, Statement } from '../../../mixins/database/database.ts';

/** A kind of data of a connection as it is shown. */
export interface ShownArrival {
  readonly connection_id: string;
  readonly kind: string;
  readonly user_id: string;
  readonly provider: string;
  readonly state: string;
  readonly since: Date;
  readonly last_at: Date | null;
  readonly last_data_at: Date | null;
  readonly expected_ms: number | null;
  readonly repairs: number;
  readonly repaired_at: Date | null;
}

const shown = `a.connection_id, a.kind, a.user_id, a.provider, a.state, a.since, a.last_at, a.last_data_at, a.expected_ms,
  a.repairs, a.repaired_at`;

/** A kind of data of a user's connection, with the connection. */
export interface ArrivalOfUser extends ShownArrival {
  readonly stale_since: Date | null;
  readonly ended_at: Date | null;
}

const ofUser: Statement = {
  name: 'freshness.select_of_user',
  text: `
    select ${shown}, c.stale_since, c.ended_at from freshness.arrival a join freshness.connection c using (connection_id)
    where a.user_id = $1 and c.user_id = $1 order by a.provider, a.kind`,
};

/** All kinds of data of a user's connections. */
export const selectOfUser = (database: Queryable, userId: string): Promise<ArrivalOfUser[]> =>
  database.query<ArrivalOfUser>(ofUser, [userId]);

const inState = (condition: string) => `
  select ${shown} from freshness.arrival a
  where a.project_id = $1 and a.state = $2 ${condition} and (a.connection_id, a.kind) > ($3::uuid, $4)
  order by a.connection_id, a.kind limit $5`;

/** The place in a list by state. */
export type ListKey = readonly [connection: string, kind: string];

/** Kinds of data in a state after a place, of a project and, unless null, of a provider. */
export function selectInState(
  database: Queryable,
  {
    project,
    state,
    provider,
  }: { readonly project: string; readonly state: string; readonly provider: string | null },
  after: ListKey,
  limit: number,
): Promise<ShownArrival[]> {
  const values = [project, state, ...after, limit];
  return provider === null
    ? database.query<ShownArrival>({ name: 'freshness.select_in_state', text: inState('') }, values)
    : database.query<ShownArrival>(
        { name: 'freshness.select_in_state_of', text: inState('and a.provider = $6') },
        [...values, provider],
      );
}

/** An incident as it is shown. */
export interface IncidentRow {
  readonly id: string;
  readonly provider: string;
  readonly reason: string;
  readonly started_at: Date;
  readonly ended_at: Date | null;
}

/** The newest incidents. */
export const selectIncidents = (database: Queryable): Promise<IncidentRow[]> =>
  database.query<IncidentRow>(
    'select id, provider, reason, started_at, ended_at from freshness.incident order by started_at desc limit 100',
  );

/** The number of kinds of data by provider and state. */
export const countStates = (
  database: Queryable,
): Promise<{ readonly provider: string; readonly state: string; readonly n: number }[]> =>
  database.query(
    'select provider, state, count(*)::int as n from freshness.arrival group by provider, state',
  );
