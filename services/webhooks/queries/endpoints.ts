import type { DisabledReason, EventType } from '../../../contracts/webhooks/events.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** An endpoint without its secrets. */
export interface EndpointRow {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  readonly event_types: EventType[] | null;
  readonly include_data: boolean;
  readonly max_per_second: number | null;
  readonly enabled: boolean;
  readonly disabled_reason: DisabledReason | null;
  /** The API key that set `url`. */
  readonly api_key_id: string | null;
  readonly former_until: Date | null;
  readonly failing_since: Date | null;
  readonly last_delivered_at: Date | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  /** At most `mostCounted`. */
  readonly messages_waiting: number;
  readonly oldest_waiting_message_seconds: number | null;
}

/** The fields that a caller sets. */
export type EndpointValues = Pick<
  EndpointRow,
  'url' | 'description' | 'event_types' | 'include_data' | 'max_per_second' | 'enabled'
>;

/** The number of waiting messages that is counted at most. */
const mostCounted = 10_000;

const waiting = `from webhooks.message m where m.endpoint_id = endpoint.id and m.state = 'waiting'`;

/** The columns of a row. Two subqueries: the number is read from one partial index, the oldest message from another. */
export const endpointColumns = `id, url, description, event_types, include_data, max_per_second, enabled, disabled_reason, api_key_id, former_until,
  failing_since, last_delivered_at, created_at, updated_at,
  (select count(*)::int from (select ${waiting} limit ${mostCounted}) counted) as messages_waiting,
  (select extract(epoch from clock_timestamp() - min(m.recorded_at))::int ${waiting}) as oldest_waiting_message_seconds`;

/** Maximum number of endpoints of a project. */
export const mostEndpoints = 50;

/** Orders creations and changes of endpoints, and the deletion of keys, until the end of the transaction. */
export async function lockEndpoints(transaction: Queryable): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock(7359)');
}

/** Inserts an endpoint. Undefined if there are as many as there may be. */
export async function insertEndpoint(
  transaction: Queryable,
  project: string,
  id: string,
  values: EndpointValues & Pick<EndpointRow, 'api_key_id'>,
  secret: string,
): Promise<EndpointRow | undefined> {
  await lockEndpoints(transaction);
  const { url, description, event_types, include_data, max_per_second, enabled, api_key_id } = values;
  const [row] = await transaction.query<EndpointRow>(
    `insert into webhooks.endpoint (id, url, description, event_types, include_data, max_per_second, enabled, secret,
       api_key_id, project_id)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
     where (select count(*) from webhooks.endpoint where project_id = $10) < ${mostEndpoints}
     returning ${endpointColumns}`,
    [id, url, description, event_types, include_data, max_per_second, enabled, secret, api_key_id, project],
  );
  return row;
}

/** The endpoints of a project, oldest first. */
export function selectEndpoints(database: Queryable, project: string): Promise<EndpointRow[]> {
  const statement = `select ${endpointColumns} from webhooks.endpoint where project_id = $1 order by created_at, id`;
  return database.query(statement, [project]);
}

/** One endpoint of a project. In a transaction that changes it, `lock` keeps others from it. */
export async function selectEndpoint(
  database: Queryable,
  project: string,
  id: string,
  lock = false,
): Promise<EndpointRow | undefined> {
  const statement = `select ${endpointColumns} from webhooks.endpoint where id = $1 and project_id = $2 ${lock ? 'for update' : ''}`;
  const [row] = await database.query<EndpointRow>(statement, [id, project]);
  return row;
}

/**
 * Stores changed fields. Enabling an endpoint ends its automatic disabling. Another address ends the failing and the
 * pause of the former one, and makes it an endpoint of the key that set it.
 */
export async function updateEndpoint(
  transaction: Queryable,
  id: string,
  values: EndpointValues & Pick<EndpointRow, 'api_key_id'>,
): Promise<EndpointRow | undefined> {
  const { url, description, event_types, include_data, max_per_second, enabled, api_key_id } = values;
  const [row] = await transaction.query<EndpointRow>(
    `update webhooks.endpoint set url = $2, description = $3, event_types = $4, include_data = $5, max_per_second = $6,
       enabled = $7, updated_at = now(), api_key_id = case when url = $2 then api_key_id else $8::uuid end,
       disabled_reason = case when $7 and not enabled then null else disabled_reason end,
       failing_since = case when url = $2 and (enabled or not $7) then failing_since end,
       paused_until = case when url = $2 and (enabled or not $7) then paused_until end
     where id = $1 returning ${endpointColumns}`,
    [id, url, description, event_types, include_data, max_per_second, enabled, api_key_id],
  );
  return row;
}

/** Replaces the secret. The former one signs for another 24 hours. */
export async function rotateSecret(
  transaction: Queryable,
  id: string,
  secret: string,
): Promise<EndpointRow | undefined> {
  const [row] = await transaction.query<EndpointRow>(
    `update webhooks.endpoint set former_secret = secret, former_until = now() + interval '24 hours', secret = $2,
       updated_at = now()
     where id = $1 returning ${endpointColumns}`,
    [id, secret],
  );
  return row;
}

/** Deletes an endpoint. Its messages stay. */
export async function deleteEndpoint(transaction: Queryable, id: string): Promise<EndpointRow | undefined> {
  const [row] = await transaction.query<EndpointRow>(
    `delete from webhooks.endpoint where id = $1 returning ${endpointColumns}`,
    [id],
  );
  return row;
}
