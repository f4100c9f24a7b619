import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import { fencedWrites, type JobTable } from '../../../mixins/jobs/job-table.ts';
import type { ChangeRow } from '../rules/event-of-change.ts';
import type { Outcome } from '../rules/outcome.ts';

/** The endpoint of a message. */
export interface Receiver {
  readonly endpoint_id: string;
  readonly url: string;
  readonly include_data: boolean;
  readonly secret: string;
  /** Null unless it still signs. */
  readonly former_secret: string | null;
}

/** A leased message. `attempt` fences writes. */
export interface MessageLease extends Receiver {
  readonly id: string;
  readonly attempt: number;
  readonly failures: number;
  /** Attempts without an outcome, including this one. */
  readonly crashes: number;
  readonly type: string;
  readonly lane: number;
  /** The message was delivered before and is sent again. */
  readonly is_repeated: boolean;
  readonly recorded_at: Date;
  /** Since when the endpoint fails. */
  readonly failing_since: Date | null;
  /** Pause after this claim, if the endpoint has a limit per second. */
  readonly pause_ms: number | null;
  /** Null for a test. */
  readonly change_id: string | null;
  /** Null for a test, and if the change was deleted. */
  readonly change: ChangeRow | null;
}

const now = (parameter: number) => `(now() + $${parameter}::float8 * interval '1 ms')`;
const table: JobTable = {
  name: 'webhooks.message',
  table: 'webhooks.message',
  key: { id: 'uuid' },
  attempt: 'attempt',
  isLeased: 'leased',
  now,
};

// An endpoint that fails has one slot until a success.
const slots = 'case when e.failing_since is null then coalesce(f.n, $1) else coalesce(f.n, $1) - $1 + 1 end';
const isOpen = `e.enabled and (e.paused_until is null or e.paused_until <= ${now(2)}) and ${slots} > 0`;
// Each lane is read on its own. Within a lane the index is ordered by due time, so that waiting retries are not
// scanned.
const dueOf = `
  from (values (0::smallint), (5::smallint), (10::smallint)) lane (n)
  cross join lateral (
    select m.id, m.change_id from webhooks.message m
    where m.endpoint_id = s.id and m.lane = lane.n and m.state = 'waiting' and m.run_at <= ${now(2)}
    order by m.run_at limit s.n for update skip locked) l`;

/*
 * Slots are counted per endpoint, so that no endpoint uses the slots of another. An endpoint with a limit per second
 * is locked, and paused for 1 s / floor(limit / n) after n messages, so that all processes together stay below the
 * limit.
 */
const claimStatement: Statement = {
  name: 'webhooks.claim',
  text: `
    with free as (select * from unnest($4::uuid[], $5::int[]) f (endpoint_id, n)),
    unpaced as (
      select e.id, ${slots} as n from webhooks.endpoint e left join free f on f.endpoint_id = e.id
      where ${isOpen} and e.max_per_second is null),
    paced as (
      select e.id, least(${slots}, greatest(1, e.max_per_second / 10)) as n, e.max_per_second
      from webhooks.endpoint e left join free f on f.endpoint_id = e.id
      where ${isOpen} and e.max_per_second is not null
        and exists (select from webhooks.message m
          where m.endpoint_id = e.id and m.state = 'waiting' and m.run_at <= ${now(2)})
      for no key update of e skip locked),
    due as materialized (
      select d.id, d.change_id, s.id as endpoint_id
      from (select id, n from unpaced union all select id, n from paced) s
      cross join lateral (select l.id, l.change_id ${dueOf} limit s.n) d),
    pause as (
      select p.id, ceil(1000.0 / (p.max_per_second / count(*))) as ms from paced p join due on due.endpoint_id = p.id
      group by p.id, p.max_per_second),
    paused as (
      update webhooks.endpoint e set paused_until = ${now(2)} + pause.ms * interval '1 ms'
      from pause where e.id = pause.id)
    update webhooks.message m set attempt = m.attempt + 1, leased = true, crashes = m.crashes + 1,
      run_at = ${now(2)} + $3 * interval '1 ms'
    from due join webhooks.endpoint e on e.id = due.endpoint_id left join changes.change c on c.id = due.change_id
      left join pause on pause.id = due.endpoint_id
    where m.id = due.id
    returning m.id, m.attempt, m.failures, m.crashes, m.type, m.lane, m.recorded_at, m.change_id,
      m.delivered_at is not null as is_repeated, m.endpoint_id, e.url, e.include_data, e.secret, e.failing_since,
      case when e.former_until > now() then e.former_secret end as former_secret, pause.ms::int as pause_ms,
      c.id as of_change, c.user_id, c.external_user_id, c.sequence, c.object, c.historical, c.first_at, c.last_at, c.n, c.data`,
};

/** SQL that is true while a message of an enabled endpoint is due. Each lane is a range of the index. */
export const isMessageDue = (aheadMs: number) => `exists (
  select from webhooks.endpoint e cross join (values (0::smallint), (5::smallint), (10::smallint)) lane (n)
  cross join lateral (
    select from webhooks.message m where m.endpoint_id = e.id and m.lane = lane.n and m.state = 'waiting'
      and m.run_at <= now() + ${aheadMs} * interval '1 ms' order by m.run_at limit 1) m
  where e.enabled)`;

interface ClaimedRow extends Omit<MessageLease, 'change' | 'type'>, Omit<ChangeRow, 'id'> {
  readonly of_change: string | null;
}

/** What may be claimed. */
interface MessageClaim {
  /** Slots of an endpoint without messages in progress. */
  readonly parallel: number;
  /** Free slots of the other endpoints. */
  readonly free: ReadonlyMap<string, number>;
  readonly aheadMs: number;
  readonly leaseMs: number;
}

/**
 * Leases due messages: for each endpoint as many as it has free slots, live messages first. Endpoints without messages
 * in progress come first, failing endpoints last.
 */
export async function claimMessages(
  database: Queryable,
  { parallel, free, aheadMs, leaseMs }: MessageClaim,
): Promise<MessageLease[]> {
  const values = [parallel, aheadMs, leaseMs, [...free.keys()], [...free.values()]];
  const leases = (await database.query<ClaimedRow>(claimStatement, values)).map(leaseOf);
  const place = ({ endpoint_id, failing_since }: MessageLease) =>
    failing_since === null ? Number(free.has(endpoint_id)) : 2;
  return leases.toSorted((a, b) => place(a) - place(b));
}

function leaseOf({ of_change, ...row }: ClaimedRow): MessageLease {
  return { ...row, change: of_change === null ? null : { ...row, id: of_change } };
}

const { extend } = fencedWrites(table);

/** Extends the lease of a message. Returns false if it was lost, also if the message was deleted. */
export const extendMessage = (
  database: Queryable,
  { id, attempt }: Pick<MessageLease, 'id' | 'attempt'>,
  leaseMs: number,
  aheadMs: number,
): Promise<boolean> => extend(database, { key: [id], attempt }, leaseMs, aheadMs);

/** The outcome of a leased message. */
export interface Settled {
  readonly lease: Pick<MessageLease, 'id' | 'attempt'>;
  readonly outcome: Outcome;
}

// Outcomes and attempts are written in one statement for many messages. A commit for each message would limit the rate of deliveries.
const settleStatement: Statement = {
  name: 'webhooks.settle',
  text: `
    with outcome as (
      select * from unnest($2::uuid[], $3::int[], $4::text[], $5::int[], $6::boolean[], $7::boolean[], $8::int[],
        $9::int[], $10::text[], $11::text[])
        o (id, attempt, state, delay_ms, is_failure, is_recorded, status, duration_ms, error, answer)),
    settled as (
      update webhooks.message m set state = o.state, leased = false, crashes = 0,
        failures = m.failures + o.is_failure::int, run_at = now() + ($1::float8 + o.delay_ms) * interval '1 ms',
        delivered_at = case when o.state = 'delivered' then now() else m.delivered_at end
      from outcome o where m.id = o.id and m.attempt = o.attempt and m.leased
      returning m.id, m.attempt),
    recorded as (
      insert into webhooks.attempt (message_id, number, status, duration_ms, error, answer)
      select s.id, s.attempt, o.status, o.duration_ms, o.error, o.answer
      from settled s join outcome o on o.id = s.id where o.is_recorded)
    select id from settled`,
};

/** Stores the outcomes of messages that the caller still holds. Returns their ids. */
export async function settleMessages(
  database: Queryable,
  settled: readonly Settled[],
  aheadMs: number,
): Promise<ReadonlySet<string>> {
  const column = <T>(read: (message: Settled) => T) => settled.map(read);
  const rows = await database.query<{ id: string }>(settleStatement, [
    aheadMs,
    column(({ lease }) => lease.id),
    column(({ lease }) => lease.attempt),
    column(({ outcome }) => outcome.state),
    column(({ outcome }) => outcome.delayMs),
    column(({ outcome }) => outcome.isFailure),
    column(({ outcome }) => outcome.attempt !== null),
    column(({ outcome }) => outcome.attempt?.status ?? null),
    column(({ outcome }) => outcome.attempt?.durationMs ?? null),
    column(({ outcome }) => outcome.attempt?.error ?? null),
    column(({ outcome }) => outcome.attempt?.answer ?? null),
  ]);
  return new Set(rows.map(({ id }) => id));
}
