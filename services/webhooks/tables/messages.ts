import type { WebhookMessageStatus } from '../../../contracts/webhooks/schemas.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { MessageLease } from './message-leases.ts';

/** A message as lists show it. `created_us` is its position: microseconds since 1970. */
export interface MessageRow {
  readonly id: string;
  readonly endpoint_id: string;
  readonly type: string;
  readonly user_id: string | null;
  readonly lane: number;
  readonly state: WebhookMessageStatus;
  readonly run_at: Date;
  readonly created_at: Date;
  readonly created_us: number;
  readonly delivered_at: Date | null;
}

/** An attempt as lists show it. */
export interface AttemptRow {
  readonly message_id: string;
  readonly number: number;
  readonly at: Date;
  readonly status: number | null;
  readonly duration_ms: number;
  readonly error: string | null;
  readonly answer: string | null;
}

/** The columns of a MessageRow. */
const messageColumns = `m.id, m.endpoint_id, m.type, m.user_id, m.lane, m.state, m.run_at, m.created_at,
  (extract(epoch from m.created_at) * 1000000)::float8 as created_us, m.delivered_at`;

/** The position of a message in a list. */
type MessageKey = readonly [createdUs: number, id: string];

// The planner finds the partial index of a state only if the statement contains the state.
const conditions = {
  all: 'true',
  waiting: `m.state = 'waiting'`,
  delivered: `m.state = 'delivered'`,
  failed: `m.state = 'failed' and m.state in ('failed', 'dropped')`,
  dropped: `m.state = 'dropped' and m.state in ('failed', 'dropped')`,
} as const;

const listStatement = (status: keyof typeof conditions, isOfUser: boolean): Statement => ({
  name: `webhooks.messages_${status}${isOfUser ? '_of_user' : ''}`,
  text: `
    select ${messageColumns} from webhooks.message m
    where m.endpoint_id = $1 and ${conditions[status]} ${isOfUser ? 'and m.user_id = $5' : ''} and (m.created_at, m.id) <
      (case when $3::float8 is null then 'infinity' else to_timestamp(0) + $3 * interval '1 microsecond' end,
       coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    order by m.created_at desc, m.id desc limit $2`,
});

/** Which messages of an endpoint a list has. */
interface MessageFilter {
  readonly status?: WebhookMessageStatus | undefined;
  readonly user_id?: string | undefined;
}

/** Messages of an endpoint before a position, newest first. */
export function selectMessages(
  database: Queryable,
  endpointId: string,
  { status, user_id }: MessageFilter,
  { before, limit }: { readonly before: MessageKey | null; readonly limit: number },
): Promise<MessageRow[]> {
  const [us = null, id = null] = before ?? [];
  const isOfUser = user_id !== undefined;
  const values = [endpointId, limit, us, id, ...(isOfUser ? [user_id] : [])];
  return database.query(listStatement(status ?? 'all', isOfUser), values);
}

const messageById: Statement = {
  name: 'webhooks.message',
  text: `select ${messageColumns} from webhooks.message m where m.id = $1`,
};

/** One message. */
export async function selectMessage(database: Queryable, id: string): Promise<MessageRow | undefined> {
  return (await database.query<MessageRow>(messageById, [id]))[0];
}

/** Only the newest attempts are shown: a message that is sent again on request may have any number. */
const attemptsShown = 20;

const attemptsStatement: Statement = {
  name: 'webhooks.attempts',
  text: `
    select a.* from unnest($1::uuid[]) m (id) cross join lateral (
      select message_id, number, at, status, duration_ms, error, answer from webhooks.attempt
      where message_id = m.id order by number desc limit ${attemptsShown}) a
    order by a.message_id, a.number`,
};

/** The newest attempts of messages, in their order. */
export const selectAttempts = (database: Queryable, ids: readonly string[]): Promise<AttemptRow[]> =>
  database.query(attemptsStatement, [ids]);

/** What makes a message due again, with all retries. Its attempt number continues. */
const dueAgain = `state = 'waiting', failures = 0, crashes = 0, leased = false, run_at = now()`;
const isIdle = '(not m.leased or m.run_at <= now())';

const resendStatement: Statement = {
  name: 'webhooks.resend',
  text: `
    update webhooks.message m set ${dueAgain}, lane = 0
    where m.id = $1 and ${isIdle}
      and (m.change_id is null or exists (select from changes.change c where c.id = m.change_id))
    returning m.id`,
};

/** Makes a message due at once, before others. Returns false if it is being sent or its change was deleted. */
export async function requeueMessage(transaction: Queryable, id: string): Promise<boolean> {
  return (await transaction.query(resendStatement, [id])).length > 0;
}

/** Whether a process is sending a message. */
export async function isMessageLeased(transaction: Queryable, id: string): Promise<boolean> {
  const [row] = await transaction.query<{ leased: boolean }>(
    'select leased and run_at > now() as leased from webhooks.message where id = $1',
    [id],
  );
  return row?.leased === true;
}

/** The range of messages that are sent again. */
interface Requeue {
  readonly endpointId: string;
  readonly since: string;
  /** The time of the request: later messages are not included. */
  readonly until: string;
  /** Also messages that were delivered. */
  readonly isReplay: boolean;
}

/** The position in a range: a time as text with microseconds, and an id. */
interface RangePosition {
  readonly at: string;
  readonly id: string;
}

/** One part of a range: its last row, and how many messages became due. */
interface RequeuedPart {
  readonly last: RangePosition;
  readonly queued: number;
}

// Live messages get a lane after new changes, so that a large replay does not delay new changes.
const requeueKeptStatement: Statement = {
  name: 'webhooks.requeue_kept',
  text: `
    with part as (
      select m.id, m.created_at from webhooks.message m
      where m.endpoint_id = $1 and m.change_id is not null and (m.created_at, m.id) > ($4::timestamptz, $5::uuid)
        and m.created_at >= $2::timestamptz and m.created_at <= $7::timestamptz
      order by m.created_at, m.id limit $6),
    queued as (
      update webhooks.message m set ${dueAgain}, lane = greatest(m.lane, 5)
      from part where m.id = part.id and ${isIdle}
        and (m.state = 'failed' or (m.state = 'waiting' and m.failures > 0) or (m.state = 'delivered' and $3))
        and exists (select from changes.change c where c.id = m.change_id)
      returning m.id)
    select created_at::text as at, id::text as id, (select count(*)::int from queued) as queued
    from part order by created_at desc, part.id desc limit 1`,
};

// The changes are locked: an erasure deletes them first, and then finds the messages that were inserted here.
// `created_at` of a message equals `published_at` of its change, because one transaction writes both.
const insertMissingStatement: Statement = {
  name: 'webhooks.requeue_missing',
  text: `
    with part as (
      select c.id, c.project_id, c.user_id, c.type, c.historical, c.recorded_at, c.published_at from changes.change c
      where c.published_at >= $2::timestamptz and c.published_at <= $6::timestamptz and (c.published_at, c.id) > ($3::timestamptz, $4::bigint)
      order by c.published_at, c.id limit $5),
    queued as (
      insert into webhooks.message (endpoint_id, change_id, user_id, type, lane, recorded_at, created_at)
      select e.id, p.id, p.user_id, p.type, case when p.historical then 10 else 5 end, p.recorded_at, p.published_at
      from part p join changes.change c on c.id = p.id
        join webhooks.endpoint e on e.id = $1 and e.project_id = p.project_id and (e.event_types is null or p.type = any(e.event_types))
      where not exists (
        select from webhooks.message m
        where m.endpoint_id = $1 and m.created_at = p.published_at and m.change_id = p.id)
      for key share of c
      returning id)
    select published_at::text as at, id::text as id, (select count(*)::int from queued) as queued
    from part order by published_at desc, part.id desc limit 1`,
};

/** Makes the messages after a position due again. Undefined: the range has ended. */
export function requeueKept(
  transaction: Queryable,
  { endpointId, since, until, isReplay }: Requeue,
  { at, id }: RangePosition,
  limit: number,
): Promise<RequeuedPart | undefined> {
  const values = [endpointId, since, isReplay, at, id, limit, until];
  return requeuedPart(transaction, requeueKeptStatement, values);
}

/**
 * Makes messages of the changes after a position that the endpoint has none of, because it was disabled. Undefined: the
 * range has ended.
 */
export function insertMissing(
  transaction: Queryable,
  { endpointId, since, until }: Requeue,
  { at, id }: RangePosition,
  limit: number,
): Promise<RequeuedPart | undefined> {
  return requeuedPart(transaction, insertMissingStatement, [endpointId, since, at, id, limit, until]);
}

async function requeuedPart(transaction: Queryable, statement: Statement, values: readonly unknown[]) {
  const [row] = await transaction.query<RangePosition & { queued: number }>(statement, values);
  return row === undefined ? undefined : { last: { at: row.at, id: row.id }, queued: row.queued };
}

/** A test message that the caller has leased. */
type TestLease = Omit<MessageLease, 'lane' | 'crashes' | 'pause_ms' | 'failing_since' | 'is_repeated'>;

const insertTestStatement: Statement = {
  name: 'webhooks.insert_test',
  text: `
    with message as (
      insert into webhooks.message (endpoint_id, type, recorded_at, leased, attempt, crashes, run_at)
      select id, 'test.ping', now(), true, 1, 1, now() + $2 * interval '1 ms' from webhooks.endpoint where id = $1
      returning id, endpoint_id, type, recorded_at, attempt, failures)
    select m.*, e.url, false as include_data, e.secret, null as change_id, null as change,
      case when e.former_until > now() then e.former_secret end as former_secret
    from message m join webhooks.endpoint e on e.id = m.endpoint_id`,
};

/** Inserts a test message, leased to the caller. Undefined if the endpoint does not exist. */
export async function insertTest(
  transaction: Queryable,
  endpointId: string,
  leaseMs: number,
): Promise<TestLease | undefined> {
  return (await transaction.query<TestLease>(insertTestStatement, [endpointId, leaseMs]))[0];
}

/** The tests of an endpoint within a minute. */
export async function countTests(transaction: Queryable, endpointId: string): Promise<number> {
  const [row] = await transaction.query<{ n: number }>(
    `select count(*)::int as n from webhooks.message
     where endpoint_id = $1 and created_at > now() - interval '1 minute' and change_id is null`,
    [endpointId],
  );
  return row?.n ?? 0;
}

/** Rows that one statement deletes. */
const rowsPerPart = 5000;

/** Deletes attempts that are older than some days. Returns whether some may be left. */
export const deleteOldAttempts = (database: Queryable, days: number): Promise<boolean> =>
  deletePart(
    database,
    `delete from webhooks.attempt where (message_id, number) in (
       select message_id, number from webhooks.attempt where at < now() - $1 * interval '1 day'
       order by at limit ${rowsPerPart})
     returning 1`,
    [days],
  );

/**
 * Deletes messages that were delivered or dropped and are older than `deliveredDays`, and all that are older than `days`.
 * Returns whether some may be left.
 */
export const deleteOldMessages = (
  database: Queryable,
  { deliveredDays, days }: { readonly deliveredDays: number; readonly days: number },
): Promise<boolean> =>
  deletePart(
    database,
    `delete from webhooks.message where id in (
       select id from webhooks.message
       where created_at < now() - $1 * interval '1 day' and not leased
         and (state in ('delivered', 'dropped') or created_at < now() - $2 * interval '1 day')
       order by created_at limit ${rowsPerPart})
     returning 1`,
    [Math.min(deliveredDays, days), days],
  );

/** Deletes messages of a deleted endpoint. Returns whether some may be left. */
export const deleteMessagesOf = (database: Queryable, endpointId: string): Promise<boolean> =>
  deletePart(
    database,
    `delete from webhooks.message where id in (
       select id from webhooks.message where endpoint_id = $1
         and not exists (select from webhooks.endpoint where id = $1)
       limit ${rowsPerPart})
     returning 1`,
    [endpointId],
  );

async function deletePart(
  database: Queryable,
  statement: string,
  values: readonly unknown[],
): Promise<boolean> {
  return (await database.query(statement, values)).length === rowsPerPart;
}

const figuresStatement: Statement = {
  name: 'webhooks.figures',
  text: `
    select e.id, w.n, coalesce(extract(epoch from now() - w.oldest), 0)::float8 as oldest_seconds
    from webhooks.endpoint e cross join lateral (
      select count(*)::int as n, min(m.recorded_at) as oldest from webhooks.message m
      where m.endpoint_id = e.id and m.state = 'waiting') w`,
};

interface WaitingMessages {
  readonly id: string;
  readonly n: number;
  readonly oldest_seconds: number;
}

/** The number and the age of the messages that wait, per endpoint. */
export const countWaiting = (database: Queryable): Promise<WaitingMessages[]> =>
  database.query(figuresStatement);
