import type { DisabledReason, EventType } from '../../../contracts/webhooks/events.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import {
  type Database,
  firstRow,
  type Queryable,
  type Statement,
} from '../../../mixins/database/database.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { failingDays } from '../rules/outcome.ts';
import type { Receiver } from './message-leases.ts';
import { insertEndpointDisabled } from './pending-changes.ts';

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

/** Messages that wait are counted up to this number. */
const mostCounted = 10_000;

const waitingMessages = `from webhooks.message m where m.endpoint_id = endpoint.id and m.state = 'waiting'`;

/** The columns of a row. Two subqueries: the number is read from one partial index, the oldest message from another. */
const endpointColumns = `id, url, description, event_types, include_data, max_per_second, enabled, disabled_reason, api_key_id, former_until,
  failing_since, last_delivered_at, created_at, updated_at,
  (select count(*)::int from (select ${waitingMessages} limit ${mostCounted}) counted) as messages_waiting,
  (select extract(epoch from clock_timestamp() - min(m.recorded_at))::int ${waitingMessages}) as oldest_waiting_message_seconds`;

/** Maximum number of endpoints of a project. */
export const mostEndpoints = 50;

/** Serialises the creation and change of endpoints and the deletion of keys until the end of the transaction. */
export async function lockEndpoints(transaction: Queryable): Promise<void> {
  await transaction.query('select pg_advisory_xact_lock(7359)');
}

/** Inserts an endpoint. Undefined if the project has the maximum number of endpoints. */
export async function insertEndpoint(
  transaction: Queryable,
  project: string,
  id: string,
  values: EndpointValues & Pick<EndpointRow, 'api_key_id'>,
  secret: string,
): Promise<EndpointRow | undefined> {
  await lockEndpoints(transaction);
  const { url, description, event_types, include_data, max_per_second, enabled, api_key_id } = values;
  return firstRow(
    transaction,
    `insert into webhooks.endpoint (id, url, description, event_types, include_data, max_per_second, enabled, secret,
       api_key_id, project_id)
     select $1, $2, $3, $4, $5, $6, $7, $8, $9, $10
     where (select count(*) from webhooks.endpoint where project_id = $10) < ${mostEndpoints}
     returning ${endpointColumns}`,
    [id, url, description, event_types, include_data, max_per_second, enabled, secret, api_key_id, project],
  );
}

/** The endpoints of a project, oldest first. */
export function selectEndpoints(database: Queryable, project: string): Promise<EndpointRow[]> {
  const statement = `select ${endpointColumns} from webhooks.endpoint where project_id = $1 order by created_at, id`;
  return database.query(statement, [project]);
}

/** One endpoint of a project. `lock` locks the row until the end of the transaction. */
export function selectEndpoint(
  database: Queryable,
  project: string,
  id: string,
  lock = false,
): Promise<EndpointRow | undefined> {
  const statement = `select ${endpointColumns} from webhooks.endpoint where id = $1 and project_id = $2 ${lock ? 'for update' : ''}`;
  return firstRow(database, statement, [id, project]);
}

/**
 * Stores changed fields. Enabling an endpoint clears the reason of its automatic disabling. A new address clears the
 * failing state and the pause of the old one, and assigns the endpoint to the key that set the address.
 */
export function updateEndpoint(
  transaction: Queryable,
  id: string,
  values: EndpointValues & Pick<EndpointRow, 'api_key_id'>,
): Promise<EndpointRow | undefined> {
  const { url, description, event_types, include_data, max_per_second, enabled, api_key_id } = values;
  return firstRow(
    transaction,
    `update webhooks.endpoint set url = $2, description = $3, event_types = $4, include_data = $5, max_per_second = $6,
       enabled = $7, updated_at = now(), api_key_id = case when url = $2 then api_key_id else $8::uuid end,
       disabled_reason = case when $7 and not enabled then null else disabled_reason end,
       failing_since = case when url = $2 and (enabled or not $7) then failing_since end,
       paused_until = case when url = $2 and (enabled or not $7) then paused_until end
     where id = $1 returning ${endpointColumns}`,
    [id, url, description, event_types, include_data, max_per_second, enabled, api_key_id],
  );
}

/** Replaces the secret. The former one signs for another 24 hours. */
export function rotateSecret(
  transaction: Queryable,
  id: string,
  secret: string,
): Promise<EndpointRow | undefined> {
  return firstRow(
    transaction,
    `update webhooks.endpoint set former_secret = secret, former_until = now() + interval '24 hours', secret = $2,
       updated_at = now()
     where id = $1 returning ${endpointColumns}`,
    [id, secret],
  );
}

/** Deletes an endpoint. Its messages stay. */
export function deleteEndpoint(transaction: Queryable, id: string): Promise<EndpointRow | undefined> {
  return firstRow(transaction, `delete from webhooks.endpoint where id = $1 returning ${endpointColumns}`, [
    id,
  ]);
}

/** Deletes the endpoints of a project. Returns their ids. */
export async function deleteEndpointsOfProject(transaction: Queryable, project: string): Promise<string[]> {
  const statement = 'delete from webhooks.endpoint where project_id = $1 returning id';
  return (await transaction.query<{ id: string }>(statement, [project])).map(({ id }) => id);
}

/** The encrypted secrets of an endpoint. */
export interface SealedSecrets {
  readonly id: string;
  readonly secret: string;
  readonly former_secret: string | null;
  readonly former_until: Date | null;
}

/** The secrets that are not encrypted with the key of this prefix. */
export function selectSecretsNotSealedWith(database: Queryable, prefix: string): Promise<SealedSecrets[]> {
  return database.query(
    `select id, secret, former_secret, former_until from webhooks.endpoint
     where not starts_with(secret, $1) or not starts_with(former_secret, $1)`,
    [prefix],
  );
}

/** Replaces encrypted secrets, unless others were stored meanwhile. Returns whether it did. */
export async function replaceSealedSecrets(
  database: Queryable,
  before: SealedSecrets,
  { secret, former_secret }: Pick<SealedSecrets, 'secret' | 'former_secret'>,
): Promise<boolean> {
  const rows = await database.query(
    `update webhooks.endpoint set secret = $2, former_secret = $3
     where id = $1 and secret = $4 and former_secret is not distinct from $5 returning id`,
    [before.id, secret, former_secret, before.secret, before.former_secret],
  );
  return rows.length > 0;
}

interface LockedEndpoint {
  readonly enabled: boolean;
  readonly now: string;
}

/** Locks an endpoint, so that no other request makes the same messages. */
export async function lockEndpoint(transaction: Queryable, id: string): Promise<LockedEndpoint | undefined> {
  const text = 'select enabled, now()::text as now from webhooks.endpoint where id = $1 for no key update';
  return (await transaction.query<LockedEndpoint>(text, [id]))[0];
}

/** Ends the pause that an endpoint asked for. The pauses of a limit per second are shorter than a second. */
export async function endPause(transaction: Queryable, id: string): Promise<void> {
  await transaction.query(
    `update webhooks.endpoint set paused_until = null where id = $1 and paused_until > now() + interval '1 second'`,
    [id],
  );
}

/**
 * Locks an endpoint. Returns the time of the transaction. @throws WEBHOOK_ENDPOINT_NOT_FOUND (404),
 * WEBHOOK_ENDPOINT_DISABLED (409)
 */
export async function requireEnabled(transaction: Queryable, endpointId: string): Promise<string> {
  const endpoint = await lockEndpoint(transaction, endpointId);
  if (endpoint === undefined) throw new ServiceError('WEBHOOK_ENDPOINT_NOT_FOUND');
  if (!endpoint.enabled) throw new ServiceError('WEBHOOK_ENDPOINT_DISABLED');
  return endpoint.now;
}

/**
 * Stores that keys were deleted. Returns false if that was stored before. The keys can create and change no endpoint
 * afterwards.
 */
export async function insertDeletedKeys(transaction: Queryable, keyIds: readonly string[]): Promise<boolean> {
  await lockEndpoints(transaction);
  const rows = await transaction.query(
    'insert into webhooks.deleted_key (id) select unnest($1::uuid[]) on conflict do nothing returning id',
    [keyIds],
  );
  return rows.length > 0;
}

/** Whether a key was deleted. No key can be deleted until the end of the transaction. */
export async function isDeletedKey(transaction: Queryable, keyId: string): Promise<boolean> {
  await lockEndpoints(transaction);
  return (await transaction.query('select from webhooks.deleted_key where id = $1', [keyId])).length > 0;
}

/** Disables the endpoints whose address these keys set; returns their ids. */
export async function disableEndpointsOfKeys(
  transaction: Queryable,
  keyIds: readonly string[],
): Promise<string[]> {
  const rows = await transaction.query<{ id: string }>(
    `update webhooks.endpoint set enabled = false, disabled_reason = 'key_deleted', updated_at = now()
     where api_key_id = any($1::uuid[]) and enabled returning id`,
    [keyIds],
  );
  return rows.map(({ id }) => id);
}

/** The endpoints whose address these keys set, oldest first. */
export function selectEndpointsOfKeys(
  transaction: Queryable,
  keyIds: readonly string[],
): Promise<EndpointRow[]> {
  const statement = `select ${endpointColumns} from webhooks.endpoint where api_key_id = any($1::uuid[]) order by created_at, id`;
  return transaction.query(statement, [keyIds]);
}

/** An endpoint, and the address that a message was sent to. */
export type AddressedEndpoint = Pick<Receiver, 'endpoint_id' | 'url'>;

// The condition on the address ignores results of messages that were sent to an earlier address.
const succeeded: Statement = {
  name: 'webhooks.note_success',
  text: `
    update webhooks.endpoint set failing_since = null, last_delivered_at = now()
    where id = $1 and url = $2 and (failing_since is not null or last_delivered_at is null
      or last_delivered_at < now() - interval '1 second')`,
};

/** Records a success, at most one per second. */
export async function noteSuccess(
  database: Queryable,
  { endpoint_id, url }: AddressedEndpoint,
): Promise<void> {
  await database.query(succeeded, [endpoint_id, url]);
}

const failed: Statement = {
  name: 'webhooks.note_failure',
  text: `
    update webhooks.endpoint set
      failing_since = coalesce(failing_since, now() + $2::float8 * interval '1 ms'),
      paused_until = greatest(paused_until, now() + ($2::float8 + $3::float8) * interval '1 ms')
    where id = $1 and url = $4 and (failing_since is null or $3::float8 is not null)`,
};

/** Records a failure, and how long the endpoint asks to wait. */
export async function noteFailure(
  database: Queryable,
  { endpoint_id, url }: AddressedEndpoint,
  { aheadMs, pauseMs }: { readonly aheadMs: number; readonly pauseMs: number | null },
): Promise<void> {
  await database.query(failed, [endpoint_id, aheadMs, pauseMs, url]);
}

/** Why the health of an endpoint disables it. `gone`: it answered 410. `failing`: five days without a success. */
export type HealthReason = 'gone' | 'failing';

const disabled: Statement = {
  name: 'webhooks.disable',
  text: `
    update webhooks.endpoint set enabled = false, disabled_reason = $2, updated_at = now()
    where id = $1 and url = $4 and enabled and ($2 = 'gone'
      or failing_since <= now() + $3::float8 * interval '1 ms' - interval '${failingDays} days')
    returning project_id`,
};

/** Disables an endpoint that meets the rule, with an audit entry and a change. Returns whether it did. */
export function disableEndpoint(
  database: Database,
  { endpoint_id: endpointId, url }: AddressedEndpoint,
  { reason, aheadMs }: { readonly reason: HealthReason; readonly aheadMs: number },
): Promise<boolean> {
  return database.transaction(async (transaction) => {
    const values = [endpointId, reason, aheadMs, url];
    const [row] = await transaction.query<{ project_id: string }>(disabled, values);
    if (row === undefined) return false;
    const origin = { ...systemOrigin('webhooks'), projectId: row.project_id };
    await recordAudit(transaction, origin, {
      action: 'webhook_endpoint.disabled',
      subjectId: endpointId,
      details: { reason },
    });
    await insertEndpointDisabled(transaction, endpointId, reason);
    return true;
  });
}
