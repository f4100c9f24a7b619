import type { EventType } from '../../../contracts/webhooks/events.ts';
import { apiPrefix } from '../../../domain/contract.ts';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';

/** A row of the change log. */
export interface ChangeRow {
  readonly id: string;
  readonly user_id: string | null;
  readonly external_user_id: string | null;
  readonly sequence: string | null;
  readonly type: EventType;
  readonly object: string;
  readonly historical: boolean;
  readonly first_at: Date | null;
  readonly last_at: Date | null;
  readonly n: string;
  readonly data: Readonly<Record<string, unknown>>;
  readonly recorded_at: Date;
}

/** How values are shown: the name of a provider, and the address of this server (empty: URLs are relative to it). */
export interface Shown {
  readonly providerAs: (provider: string) => string;
  readonly baseUrl: string;
}

/** The body of an event, as `events` of the contract describes it, without the record. */
export interface Event {
  readonly type: EventType;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The event that reports a change. */
export function eventOf(row: ChangeRow, shown: Shown): Event {
  const { type, recorded_at } = row;
  const data = { ...(row.user_id === null ? {} : userFields(row)), ...detailsOf(row, shown) };
  return { type, timestamp: formatInstant(recorded_at.getTime()), data };
}

function userFields({ user_id, external_user_id, sequence, historical }: ChangeRow) {
  return { user_id, external_user_id, sequence: Number(sequence), historical };
}

function detailsOf(row: ChangeRow, shown: Shown): Record<string, unknown> {
  const { provider } = row.data;
  const path = pathOf(row);
  return {
    ...row.data,
    ...(typeof provider === 'string' ? { provider: shown.providerAs(provider) } : {}),
    ...deviceOf(row),
    ...spanOf(row),
    ...(path === undefined ? {} : { url: path && `${shown.baseUrl}${apiPrefix}${path}` }),
  };
}

function deviceOf({ type, data: { device: stored } }: ChangeRow): Record<string, unknown> {
  if (type !== 'timeseries.updated' || typeof stored !== 'string') return {};
  const { device, method } = readMethod(stored);
  return method === null ? { device } : { device, recording_method: method };
}

const withSpan = /^(workout|sleep|score|timeseries)\.|^backfill\.(started|completed)$/;

function spanOf({ type, first_at, last_at, n }: ChangeRow): Record<string, unknown> {
  if (!withSpan.test(type)) return {};
  const span = { start_time: instantOrNull(first_at), end_time: instantOrNull(last_at) };
  return type === 'timeseries.updated' ? { ...span, values: Number(n) } : span;
}

// The path that returns the object. Undefined: the type has no URL. Null: this change has none.
function pathOf({ type, user_id, data, first_at, last_at }: ChangeRow): string | null | undefined {
  const user = `/users/${user_id}`;
  const { id, date, kind, provider, series_type: series } = data;
  switch (type) {
    case 'user.created':
    case 'user.updated':
      return user;
    case 'workout.created':
    case 'workout.updated':
      return `${user}/events/workouts/${id}`;
    case 'sleep.created':
    case 'sleep.updated':
      return `${user}/events/sleep/${id}`;
    case 'activity_summary.updated':
      return `${user}/summaries/activity?start_date=${date}&end_date=${date}`;
    case 'day.updated':
      return `${user}/days/${date}`;
    case 'score.updated':
      return `${user}/scores?start_date=${date}&end_date=${date}&kind=${kind}`;
    case 'insight.updated':
      return `${user}/insights?start_date=${date}&end_date=${date}`;
    case 'body.updated':
      return `${user}/summaries/body`;
    case 'timeseries.updated':
      return first_at === null || last_at === null
        ? null
        : `${user}/timeseries?types=${series}&start_time=${instantOrNull(first_at)}&end_time=${endAfter(last_at)}`;
    case 'connection.created':
    case 'connection.revoked':
    case 'connection.expired':
    case 'connection.error':
    case 'connection.recovered':
    case 'connection.stale':
    case 'connection.fresh':
      return `${user}/connections/${provider}`;
    case 'backfill.started':
    case 'backfill.type_completed':
    case 'backfill.completed':
      return `${user}/connections/${provider}/backfill`;
    default:
      return undefined;
  }
}

// The end of a range is excluded.
const endAfter = (last: Date) => formatInstant(last.getTime() + 1);
