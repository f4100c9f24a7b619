import type { Config } from '../../../config.ts';
import type { DisabledReason } from '../../../contracts/webhooks/events.ts';
import type { webhooks } from '../../../contracts/webhooks.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import type { Database, Queryable, Statement } from '../../../mixins/database/database.ts';

/** The result of a publication: pending changes that were claimed, and the messages that were made of them. */
export interface Publication {
  readonly claimed: number;
  readonly messages: number;
}

/*
 * Numbers are given per user in the order in which the changes were recorded. A change of an erased user is dropped, but
 * for `user.deleted`. Published rows stay as markers that delay the next change of their object.
 *
 * Rows are found again by their position in the table and numbers by a key of an object, because the planner's estimates
 * of a table that empties and fills are wrong at any time: joins by key read all markers for each change. A row that
 * another transaction changed before it was locked is not at that position, and is left for the next part.
 */
const publishStatement: Statement = {
  name: 'webhooks.publish_due',
  text: `
    with due as materialized (
      select ctid as position, user_id, kind, object, place, action, historical, first_at, last_at, n, data, recorded_at
      from changes.pending where due_at <= statement_timestamp() order by due_at limit $1 for update skip locked
    ),
    erased as materialized (
      select user_id from (select distinct user_id from due) u where changes.is_erased(user_id)
    ),
    dropped as (
      delete from changes.pending p using due d
      where p.ctid = d.position and d.kind <> 'user' and d.user_id in (select user_id from erased)
    ),
    marked as (
      update changes.pending p set action = null, data = null, due_at = null, n = 0, published_at = clock_timestamp()
      from due d where p.ctid = d.position and (d.kind = 'user' or d.user_id not in (select user_id from erased))
      returning d.*
    ),
    kept as materialized (
      select m.*, row_number() over (partition by user_id order by place) as number,
        count(*) over (partition by user_id) as numbers
      from marked m
    ),
    counted as (
      insert into changes.user_sequence as s (user_id, last)
      select user_id, numbers from kept where number = 1 order by user_id
      on conflict (user_id) do update set last = s.last + excluded.last
      returning user_id, last
    ),
    published as (
      insert into changes.change (user_id, external_user_id, sequence, type, object, historical, first_at, last_at, n,
        data, recorded_at, project_id)
      select k.user_id, changes.external_id(k.user_id),
        ((select jsonb_object_agg(user_id, last) from counted) ->> k.user_id::text)::bigint - k.numbers + k.number,
        k.kind || '.' || k.action, k.object, k.historical, k.first_at, k.last_at, k.n, k.data, k.recorded_at,
        changes.project_of(k.user_id)
      from kept k order by k.place
      returning id, user_id, type, historical, recorded_at, project_id
    ),
    sent as (
      insert into webhooks.message (endpoint_id, change_id, user_id, type, lane, recorded_at)
      select e.id, p.id, p.user_id, p.type, case when p.historical then 10 else 0 end, p.recorded_at
      from published p join webhooks.endpoint e on e.enabled and e.project_id = p.project_id
        and (e.event_types is null or p.type = any(e.event_types))
      order by p.id, e.id
      returning 1
    )
    select (select count(*)::int from due) as claimed, (select count(*)::int from sent) as messages`,
};

/** Publishes due changes, at most `limit`, under the lock of publication. */
export async function publishDue(transaction: Queryable, limit: number): Promise<Publication> {
  const [row] = await transaction.query<{ claimed: number; messages: number }>(publishStatement, [limit]);
  return row ?? { claimed: 0, messages: 0 };
}

// Reads one index entry, whatever the planner estimates.
const firstIsDue =
  'select due_at <= now() as due from changes.pending where due_at is not null order by due_at limit 1';

/** SQL that is true while a pending change is due. */
export const isChangeDue = `(${firstIsDue})`;

/** Whether a pending change is due. */
export async function isAnyDue(database: Queryable): Promise<boolean> {
  const [row] = await database.query<{ due: boolean }>({ name: 'webhooks.is_any_due', text: firstIsDue });
  return row?.due === true;
}

// The planner would scan all rows of changes.pending when its estimate is that they are few.
const lockStatement: Statement = {
  name: 'webhooks.lock_publishing',
  text: `
    select set_config('idle_in_transaction_session_timeout', $2, true), set_config('enable_seqscan', 'off', true),
      changes.lock_publishing($1) as mine`,
};
/**
 * If a process is suspended during a publication, its transaction is aborted after this time and another process
 * continues.
 */
const pausedMs = 5000;

/** Takes the lock of publication until the end of the transaction. Without `wait`, false if another one holds it. */
export async function lockPublishing(transaction: Queryable, wait: boolean): Promise<boolean> {
  const [row] = await transaction.query<{ mine: boolean }>(lockStatement, [wait, String(pausedMs)]);
  return row?.mine === true;
}

// Messages of published changes that concern no user.
const ofInstallation = `insert into webhooks.message (endpoint_id, change_id, type, recorded_at)
    select e.id, p.id, p.type, p.recorded_at
    from published p join webhooks.endpoint e on e.enabled and e.project_id = p.project_id and (e.event_types is null or p.type = any(e.event_types))`;

const endpointDisabledStatement: Statement = {
  name: 'webhooks.insert_endpoint_disabled',
  text: `
    with published as (
      insert into changes.change (type, object, historical, n, data, recorded_at, project_id)
      select 'webhook_endpoint.disabled', $1::text, false, 0,
        jsonb_build_object('endpoint_id', $1::text, 'reason', $2::text), now(), project_id
      from webhooks.endpoint where id = $1::uuid
      returning id, type, recorded_at, project_id
    )
    ${ofInstallation}`,
};

/** Publishes that an endpoint was disabled, to the other endpoints. Called last in the transaction that disables it. */
export async function insertEndpointDisabled(
  transaction: Queryable,
  endpointId: string,
  reason: DisabledReason,
): Promise<void> {
  await lockPublishing(transaction, true);
  await transaction.query(endpointDisabledStatement, [endpointId, reason]);
}

const incidentStatement: Statement = {
  name: 'webhooks.insert_incident',
  text: `
    with published as (
      insert into changes.change (type, object, historical, n, data, recorded_at, project_id)
      select $1::text, $2::text, false, 0, jsonb_build_object('incident_id', $2::text, 'provider', $3::text, 'reason', $4::text),
        now(), p.id
      from (
        select unnest($5::text[]) as id
        union select project_id from changes.change
        where $1 = 'provider.incident.ended' and type = 'provider.incident.started' and object = $2) p
      where not exists (select from changes.change c where c.type = $1 and c.object = $2 and c.project_id = p.id)
      returning id, type, recorded_at, project_id
    ),
    sent as (
      ${ofInstallation}
    )
    select count(*)::int as n from published`,
};

/** What is published of an incident. */
type IncidentChange = ParamsOf<typeof webhooks, 'publishIncident'>;

/** Publishes the start or the end of an incident to projects that do not have it yet. Returns their number. */
export async function insertIncident(transaction: Queryable, change: IncidentChange): Promise<number> {
  await lockPublishing(transaction, true);
  const { incident_id, action, provider, reason, projects } = change;
  const type = `provider.incident.${action}`;
  const [row] = await transaction.query<{ n: number }>(incidentStatement, [
    type,
    incident_id,
    provider,
    reason,
    projects,
  ]);
  return row?.n ?? 0;
}

/** Markers that one statement deletes. */
const rowsPerPart = 5000;

/** Deletes markers of published changes whose joining time has passed. Returns whether some may be left. */
export async function deleteMarkers(database: Queryable): Promise<boolean> {
  const rows = await database.query(
    `delete from changes.pending where (user_id, kind, object) in (
       select user_id, kind, object from changes.pending
       where due_at is null and published_at < now() - (
         select greatest(interval '1 minute', live, historical) from changes.joining)
       order by published_at limit ${rowsPerPart} for update skip locked)
     returning 1`,
  );
  return rows.length === rowsPerPart;
}

/** Stores how long changes of an object are joined, for the triggers that record changes. */
export async function updateJoining(
  database: Queryable,
  { CHANGE_JOIN_SECONDS, CHANGE_JOIN_HISTORICAL_SECONDS }: Config,
): Promise<void> {
  await database.query(
    `update changes.joining set live = $1 * interval '1 second', historical = $2 * interval '1 second'
     where (live, historical) is distinct from ($1 * interval '1 second', $2 * interval '1 second')`,
    [CHANGE_JOIN_SECONDS, CHANGE_JOIN_HISTORICAL_SECONDS],
  );
}

/**
 * Erases the changes and messages of a user, except `user.deleted`. The lock waits for publications that began before the
 * deletion. Later publications drop changes of the user.
 */
export async function forgetUser(database: Database, userId: string): Promise<void> {
  await database.transaction(async (transaction) => {
    await transaction.query('select changes.lock_publishing(true)');
    await transaction.query(`delete from changes.pending where user_id = $1 and kind <> 'user'`, [userId]);
  });
  await database.transaction(async (transaction) => {
    // Changes are deleted before messages: a transaction that inserts messages locks their changes, and has committed
    // when this delete has run.
    for (const table of ['changes.change', 'webhooks.message'])
      await transaction.query(`delete from ${table} where user_id = $1 and type <> 'user.deleted'`, [userId]);
  });
}
