import type { WebhookMessageStatus } from '../../../contracts/webhooks/schemas.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';

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
export type MessageKey = readonly [createdUs: number, id: string];

// The planner finds the partial index of a state only if the statement contains the state.
const conditions = {
  all: 'true',
  waiting: `m.state = 'waiting'`,
  delivered: `m.state = 'delivered'`,
  failed: `m.state = 'failed' and m.state in ('failed', 'dropped')`,
  dropped: `m.state = 'dropped' and m.state in ('failed', 'dropped')`,
} as const;

const listed = (status: keyof typeof conditions, isOfUser: boolean): Statement => ({
  name: `webhooks.messages_${status}${isOfUser ? '_of_user' : ''}`,
  text: `
    select ${messageColumns} from webhooks.message m
    where m.endpoint_id = $1 and ${conditions[status]} ${isOfUser ? 'and m.user_id = $5' : ''} and (m.created_at, m.id) <
      (case when $3::float8 is null then 'infinity' else to_timestamp(0) + $3 * interval '1 microsecond' end,
       coalesce($4::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff'))
    order by m.created_at desc, m.id desc limit $2`,
});

/** Which messages of an endpoint a list has. */
export interface MessageFilter {
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
  return database.query(listed(status ?? 'all', isOfUser), values);
}

const one: Statement = {
  name: 'webhooks.message',
  text: `select ${messageColumns} from webhooks.message m where m.id = $1`,
};

/** One message. */
export async function selectMessage(database: Queryable, id: string): Promise<MessageRow | undefined> {
  return (await database.query<MessageRow>(one, [id]))[0];
}

/** A message that is sent again by request may have any number of attempts. */
const attemptsShown = 20;

const attempts: Statement = {
  name: 'webhooks.attempts',
  text: `
    select a.* from unnest($1::uuid[]) m (id) cross join lateral (
      select message_id, number, at, status, duration_ms, error, answer from webhooks.attempt
      where message_id = m.id order by number desc limit ${attemptsShown}) a
    order by a.message_id, a.number`,
};

/** The newest attempts of messages, in their order. */
export const selectAttempts = (database: Queryable, ids: readonly string[]): Promise<AttemptRow[]> =>
  database.query(attempts, [ids]);
