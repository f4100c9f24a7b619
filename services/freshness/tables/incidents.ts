import type { IncidentReason, Turned } from '../../../domain/freshness/incident.ts';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** An incident that continues. */
export interface OpenIncident {
  readonly id: string;
  readonly provider: string;
  readonly reason: IncidentReason;
  /** Connections that had turned late within an hour when it began. */
  readonly turned: number;
  readonly started_ms: number;
}

/** The incidents that continue. */
export const selectOpenIncidents = (database: Queryable): Promise<OpenIncident[]> =>
  database.query<OpenIncident>(
    `select id, provider, reason, turned, extract(epoch from started_at)::float8 * 1000 as started_ms
     from freshness.incident where ended_at is null`,
  );

/** The connections of a provider: all of them, and those that turned late in the last hour, since its last incident. */
export interface ProviderCounts extends Turned {
  readonly provider: string;
}

/** Counts the connections of each provider, and keeps the counts of the hour. */
export async function countHour(transaction: Queryable, nowMs: number): Promise<ProviderCounts[]> {
  const now = isoTime(nowMs);
  await transaction.query(
    `insert into freshness.hour (provider, hour, turned, connections)
     select provider, date_trunc('hour', $1::timestamptz), (count(*) filter (where late_at >= date_trunc('hour', $1::timestamptz)))::int,
       count(*)::int
     from freshness.connection where ended_at is null group by provider order by provider
     on conflict (provider, hour) do update set turned = greatest(hour.turned, excluded.turned),
       connections = excluded.connections`,
    [now],
  );
  return transaction.query<ProviderCounts>(
    `select c.provider, count(*)::int as connections,
       (count(*) filter (where c.late_at > greatest($1::timestamptz - interval '1 hour', i.ended_at)))::int as turned
     from freshness.connection c left join (
       select provider, max(ended_at) as ended_at from freshness.incident group by provider) i using (provider)
     where c.ended_at is null group by c.provider`,
    [now],
  );
}

/** Of the connections that turned late shortly before an incident or in it: those that still miss data. */
export async function countMissing(
  database: Queryable,
  { provider, started_ms }: OpenIncident,
): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from freshness.connection c
     where provider = $1 and ended_at is null and late_at > $2::timestamptz - interval '1 hour'
       and exists (select from freshness.arrival a where a.connection_id = c.connection_id and a.state in ('late', 'stale'))`,
    [provider, isoTime(started_ms)],
  );
  return row?.n ?? 0;
}

/** The hours without an open incident in the last 28 days, except the current and the previous hour. */
export async function selectUsualHours(
  database: Queryable,
  provider: string,
  nowMs: number,
): Promise<Turned[]> {
  return database.query<Turned & { readonly provider: string }>(
    `select provider, sum(turned)::float8 as turned, sum(connections)::float8 as connections from freshness.hour h
     where provider = $1 and hour > $2 and hour < date_trunc('hour', $3::timestamptz) - interval '1 hour'
       and not exists (select from freshness.incident i where i.provider = h.provider
         and i.started_at - interval '1 hour' < h.hour + interval '1 hour' and coalesce(i.ended_at, 'infinity') >= h.hour)
     group by provider`,
    [provider, isoTime(nowMs - 28 * dayMs), isoTime(nowMs)],
  );
}

/** Opens an incident, unless the provider has one. */
export async function openIncident(
  transaction: Queryable,
  { provider, reason, turned, connections }: Turned & { readonly provider: string; readonly reason: string },
  nowMs: number,
): Promise<void> {
  await transaction.query(
    `insert into freshness.incident (provider, reason, turned, connections, started_at) values ($1, $2, $3, $4, $5)
     on conflict do nothing`,
    [provider, reason, turned, connections, isoTime(nowMs)],
  );
}

/** Ends an incident. What is late is judged again at once. */
export async function endIncident(
  transaction: Queryable,
  { id, provider }: Pick<OpenIncident, 'id' | 'provider'>,
  nowMs: number,
): Promise<void> {
  const now = isoTime(nowMs);
  await transaction.query('update freshness.incident set ended_at = $2 where id = $1 and ended_at is null', [
    id,
    now,
  ]);
  await transaction.query(
    `update freshness.arrival set check_at = $2 where provider = $1 and state in ('late', 'stale')`,
    [provider, now],
  );
}

/** An incident whose start or end is not published yet. */
interface UnpublishedIncident {
  readonly id: string;
  readonly provider: string;
  readonly reason: IncidentReason;
  readonly action: 'started' | 'ended';
  readonly projects: readonly string[];
}

/** Incidents that have to be published, with the projects that have connections of the provider. */
export const selectUnpublishedIncidents = (database: Queryable): Promise<UnpublishedIncident[]> =>
  database.query<UnpublishedIncident>(
    `select id, provider, reason, case when told is null then 'started' else 'ended' end as action,
       array(select distinct project_id from freshness.connection c where c.provider = i.provider) as projects
     from freshness.incident i where told is null or told = 'started' and ended_at is not null order by started_at`,
  );

/** Notes what the change log has of an incident. */
export async function notePublished(
  database: Queryable,
  { id, action }: Pick<UnpublishedIncident, 'id' | 'action'>,
): Promise<void> {
  await database.query('update freshness.incident set told = $2 where id = $1', [id, action]);
}

/** A kind of data that is late, for the probe of a failing provider. */
interface Probed {
  readonly connection_id: string;
  readonly user_id: string;
  readonly kind: string;
  readonly last_data_ms: number | null;
}

/**
 * Takes the connection of a provider whose missing data was fetched the longest ago, and marks it as fetched now.
 */
export async function takeProbe(
  transaction: Queryable,
  provider: string,
  nowMs: number,
): Promise<Probed | undefined> {
  const [row] = await transaction.query<Probed>(
    `update freshness.arrival a set repaired_at = $2 from (
       select a.connection_id, a.kind from freshness.arrival a join freshness.connection c using (connection_id)
       where a.provider = $1 and a.state in ('late', 'stale') and c.ended_at is null
       order by a.repaired_at nulls first limit 1 for update of a skip locked) p
     where a.connection_id = p.connection_id and a.kind = p.kind
     returning a.connection_id, a.user_id, a.kind, (extract(epoch from a.last_data_at) * 1000)::float8 as last_data_ms`,
    [provider, isoTime(nowMs)],
  );
  return row;
}

/** Deletes incidents and counts that are not shown any more. */
export async function deleteOld(database: Queryable, nowMs: number): Promise<void> {
  await database.query('delete from freshness.hour where hour < $1', [isoTime(nowMs - 29 * dayMs)]);
  await database.query('delete from freshness.incident where ended_at < $1', [isoTime(nowMs - 90 * dayMs)]);
}

/** An incident as it is shown. */
interface IncidentRow {
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
