import { SleepSession, Workout } from '../../../contracts/timeseries/schemas.ts';
import { isError } from '../../../domain/errors.ts';
import { ScoreKind } from '../../../domain/records/scores.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import { type Event, eventOf, type Shown } from '../rules/event-of-change.ts';
import type { MessageLease } from '../tables/message-leases.ts';

/** Makes the body of a message. It is made at each attempt and not stored. @throws if the record cannot be read */
export type BodyOf = (message: BodySource) => Promise<string>;

type BodySource = Pick<MessageLease, 'endpoint_id' | 'type' | 'recorded_at' | 'include_data' | 'change'>;

/** The largest body with a record, in bytes. */
const mostBytes = 20_000;

/** The bodies of messages: the event of the change, with its record if the endpoint has `include_data`. */
export function messageBodies(call: Call, shown: Shown): BodyOf {
  return async ({ endpoint_id, type, recorded_at, include_data, change }) => {
    if (change === null)
      return serialize({ type, timestamp: formatInstant(recorded_at.getTime()), data: { endpoint_id } });
    const event = eventOf(change, shown);
    const record = include_data ? await recordOf(call, event) : undefined;
    const thin = serialize(event);
    if (record === undefined) return thin;
    const whole = serialize({ ...event, data: { ...event.data, record } });
    return Buffer.byteLength(whole) <= mostBytes ? whole : thin;
  };
}

const serialize = (body: Omit<Event, 'type'> & { readonly type: string }) => JSON.stringify(body);

// The record as it is now. Null: it no longer exists. Undefined: the type has none.
async function recordOf(call: Call, { type, data }: Event): Promise<unknown> {
  const user_id = String(data.user_id);
  try {
    switch (type) {
      case 'workout.created':
      case 'workout.updated':
        return Workout.parse(await call('timeseries.workout', { user_id, event_id: String(data.id) }));
      case 'sleep.created':
      case 'sleep.updated':
        return SleepSession.parse(await call('timeseries.sleep', { user_id, event_id: String(data.id) }));
      case 'activity_summary.updated':
        return await activityOf(call, user_id, String(data.date));
      case 'day.updated':
        return await dayOf(call, user_id, String(data.date));
      case 'score.updated':
        return await scoreOf(call, user_id, data);
      case 'body.updated':
        return await call('summaries.body', { user_id });
      default:
        return undefined;
    }
  } catch (error) {
    if (isError(error, 'RECORD_NOT_FOUND') || isError(error, 'USER_NOT_FOUND')) return null;
    throw error;
  }
}

async function activityOf(call: Call, user_id: string, date: string): Promise<unknown> {
  const { data } = await call('summaries.activity', { user_id, start_date: date, end_date: date });
  return data[0] ?? null;
}

async function scoreOf(call: Call, user_id: string, { id, date, kind }: Event['data']): Promise<unknown> {
  const day = { start_date: String(date), end_date: String(date), kind: ScoreKind.parse(kind) };
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page: ScorePage = await call('timeseries.scores', { user_id, ...day, cursor, limit: 100 });
    const score = page.data.find((entry) => entry.id === id);
    if (score !== undefined) return score;
    cursor = page.pagination.next_cursor;
  }
  return null;
}

interface ScorePage {
  readonly data: readonly { readonly id: string }[];
  readonly pagination: { readonly next_cursor: string | null };
}

async function dayOf(call: Call, user_id: string, date: string): Promise<unknown> {
  const day = await call('summaries.day', { user_id, date });
  return day.records.length === 0 ? null : day;
}
