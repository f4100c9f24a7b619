import { z } from 'zod';
import { ScoreKind } from '../../domain/records/scores.ts';
import { CalendarDate } from '../../domain/time/time.ts';
import { recordingMethod, SeriesTypeName, Timestamp, WorkoutTypeName } from '../../domain/wire.ts';
import { StaleReason } from '../connect/schemas.ts';
import { FreshDataType, IncidentReason } from '../fields.ts';
import { MethodName } from '../insights/schemas.ts';
import { BodySummary, Day, ExplainedActivitySummary } from '../summaries/schemas.ts';
import { SleepSession, Workout } from '../timeseries/schemas.ts';
import { Score } from '../timeseries/scores.ts';

/*
 * The events that applications receive: the body of each type, for webhooks, for the change feed and for openapi.json.
 */

const Url = z
  .string()
  .describe(
    'The address that returns the object. It is relative to the server unless the setting PUBLIC_URL is set.',
  );
const ProviderShown = z.string().describe('The name of the provider, as in the `source` of a record.');
const Device = z.string().describe('The name of the device, or `unknown`.');

/** The fields of every event that concerns a user. */
const OfUser = z.object({
  user_id: z.string().describe('The `id` of the user.'),
  external_user_id: z
    .string()
    .nullable()
    .describe(
      "The user's `external_user_id` when the change was published. Null after the user was deleted.",
    ),
  sequence: z
    .int()
    .describe(
      'The number of the change among those of its user, without gaps. Of two changes of an object the one with the higher number is newer.',
    ),
  historical: z.boolean().describe('True if all data of the change is older than two days.'),
});

const DeletedUser = OfUser.meta({ id: 'DeletedUserEventData' });
const User = OfUser.extend({ url: Url }).meta({ id: 'UserEventData' });
const Connection = OfUser.extend({
  connection_id: z.string().describe('The `id` of the connection.'),
  provider: ProviderShown,
  url: Url,
}).meta({ id: 'ConnectionEventData' });
const FailingConnection = Connection.extend({
  reason: z
    .enum(['REFRESH_FAILED'])
    .meta({ id: 'ConnectionErrorReason' })
    .describe(
      'Why no data can be read: `REFRESH_FAILED`, the provider has not renewed the access for an hour. The renewal is repeated.',
    ),
}).meta({ id: 'ConnectionErrorEventData' });
const StaleConnection = Connection.extend({
  data_types: z.array(FreshDataType).describe('The kinds of data that are missing.'),
  reason: StaleReason.describe(
    'Why data is missing: `no_data`, none arrived for twice the expected time, and reads found none; `access_ended`, the provider refused the access, so that the user has to connect again.',
  ),
}).meta({ id: 'StaleConnectionEventData' });
const ProviderIncident = z
  .object({
    incident_id: z.string().describe('The `id` of the incident.'),
    provider: ProviderShown,
    reason: IncidentReason,
  })
  .meta({ id: 'ProviderIncidentEventData' });
const Backfill = Connection.extend({
  backfill_id: z.string().describe('The `id` of the backfill.'),
  start_time: Timestamp.nullable().describe('Start of the requested range.'),
  end_time: Timestamp.nullable().describe('End of the requested range.'),
}).meta({ id: 'BackfillEventData' });
const BackfillType = Connection.extend({
  backfill_id: z.string().describe('The `id` of the backfill.'),
  data_type: z.string().describe('The data type that is complete.'),
}).meta({ id: 'BackfillTypeEventData' });
const BackfillEnd = Backfill.extend({
  status: z.enum(['done', 'cancelled', 'stopped', 'failed']).describe('The final status of the backfill.'),
}).meta({ id: 'BackfillEndEventData' });

const Span = {
  id: z.string().describe('The `id` of the record.'),
  provider: ProviderShown,
  device: Device,
  start_time: Timestamp.describe('Start of the record.'),
  end_time: Timestamp.describe('End of the record.'),
};
const record = <T extends z.ZodType>(schema: T) =>
  schema
    .nullable()
    .optional()
    .describe(
      'The record itself, if the endpoint has `include_data`. Absent if the body would exceed 20 kB; null if the record no longer exists.',
    );
const DeletedWorkout = OfUser.extend({ ...Span, type: WorkoutTypeName }).meta({
  id: 'DeletedWorkoutEventData',
});
const StoredWorkout = DeletedWorkout.extend({ url: Url, record: record(Workout) }).meta({
  id: 'WorkoutEventData',
});
const DeletedSleep = OfUser.extend({ ...Span, is_nap: z.boolean().describe('True for a nap.') }).meta({
  id: 'DeletedSleepEventData',
});
const StoredSleep = DeletedSleep.extend({ url: Url, record: record(SleepSession) }).meta({
  id: 'SleepEventData',
});
const Activity = OfUser.extend({
  date: CalendarDate.describe('The local day of the user.'),
  url: Url,
  record: record(ExplainedActivitySummary),
}).meta({ id: 'ActivitySummaryEventData' });
const ChangedDay = OfUser.extend({
  date: CalendarDate.describe('The local day of the user.'),
  url: Url,
  record: record(Day),
}).meta({ id: 'DayEventData' });
const DeletedScore = OfUser.extend({
  ...Span,
  kind: ScoreKind,
  date: CalendarDate.describe('The local day of the score.'),
}).meta({ id: 'DeletedScoreEventData' });
const StoredScore = DeletedScore.extend({ url: Url, record: record(Score) }).meta({ id: 'ScoreEventData' });
const ChangedInsight = OfUser.extend({
  date: CalendarDate.describe('The local day of the user.'),
  methods: z
    .array(MethodName)
    .describe('The methods whose values of the day changed. `baseline` stands for deviations too.'),
  url: Url,
}).meta({ id: 'InsightEventData' });
const Body = OfUser.extend({ url: Url, record: record(BodySummary) }).meta({ id: 'BodyEventData' });
const Timeseries = OfUser.extend({
  series_type: SeriesTypeName,
  provider: ProviderShown,
  device: Device,
  ...recordingMethod,
  start_time: Timestamp.nullable().describe(
    'The first changed timestamp. Null if the whole series changed: all of its samples were removed, and others may have been written since.',
  ),
  end_time: Timestamp.nullable().describe('The last changed timestamp. Null if the whole series changed.'),
  values: z.int().describe('Number of values written. 0 if values were only removed.'),
  url: Url.nullable().describe('The address that returns the samples of the span. Null without a span.'),
}).meta({ id: 'TimeseriesEventData' });
/** Why an endpoint was disabled automatically. */
export const DisabledReason = z.enum(['gone', 'failing', 'key_deleted']).meta({
  id: 'DisabledReason',
  description:
    'Why a webhook endpoint was disabled: `gone` (it returned 410), `failing` (no message was delivered for five days), `key_deleted` (the API key that set its address was deleted).',
});
export type DisabledReason = z.infer<typeof DisabledReason>;
const EndpointDisabled = z
  .object({
    endpoint_id: z.string().describe('The `id` of the webhook endpoint.'),
    reason: DisabledReason,
  })
  .meta({ id: 'EndpointDisabledEventData' });
const Ping = z
  .object({ endpoint_id: z.string().describe('The `id` of the webhook endpoint.') })
  .meta({ id: 'PingEventData' });

interface EventDefinition {
  /** What happened, for the documentation. */
  readonly summary: string;
  readonly data: z.ZodObject;
}

/** The data of each event type. Types that concern no user have neither `user_id` nor `sequence`. */
export const events = {
  'user.created': { summary: 'A user was created', data: User },
  'user.updated': { summary: 'A user was updated', data: User },
  'user.deleted': { summary: 'A user was deleted', data: DeletedUser },
  'connection.created': { summary: 'An account was connected, or connected again', data: Connection },
  'connection.revoked': { summary: 'A connection was ended', data: Connection },
  'connection.expired': { summary: 'The provider refused the access of a connection', data: Connection },
  'connection.error': {
    summary: 'A connection does not work, but is not ended. It is reported once, until it works again',
    data: FailingConnection,
  },
  'connection.recovered': { summary: 'A connection works again after `connection.error`', data: Connection },
  'connection.stale': {
    summary: 'Expected data of a connection is missing, and repairs found none',
    data: StaleConnection,
  },
  'connection.fresh': {
    summary: 'Data of a connection arrives again after `connection.stale`',
    data: Connection,
  },
  'backfill.started': { summary: 'A backfill was started', data: Backfill },
  'backfill.type_completed': {
    summary: 'A backfill has no open requests of a data type',
    data: BackfillType,
  },
  'backfill.completed': { summary: 'A backfill has ended', data: BackfillEnd },
  'workout.created': { summary: 'A workout was stored', data: StoredWorkout },
  'workout.updated': { summary: 'A workout was changed', data: StoredWorkout },
  'workout.deleted': { summary: 'A workout was removed', data: DeletedWorkout },
  'sleep.created': { summary: 'A sleep session or nap was stored', data: StoredSleep },
  'sleep.updated': { summary: 'A sleep session or nap was changed', data: StoredSleep },
  'sleep.deleted': { summary: 'A sleep session or nap was removed', data: DeletedSleep },
  'activity_summary.updated': { summary: 'The activity summary of a local day changed', data: Activity },
  'day.updated': {
    summary: 'The other values of a local day changed: stress, goals, resting values',
    data: ChangedDay,
  },
  'score.updated': { summary: 'A score was stored or changed', data: StoredScore },
  'score.deleted': { summary: 'A score was removed', data: DeletedScore },
  'insight.updated': {
    summary: 'Computed values of a local day changed: baselines, scores or training',
    data: ChangedInsight,
  },
  'body.updated': { summary: 'The body summary changed', data: Body },
  'timeseries.updated': { summary: 'Samples of a series were stored or removed', data: Timeseries },
  'provider.incident.started': {
    summary: 'Data of a provider is late, or its API fails, for many connections at once',
    data: ProviderIncident,
  },
  'provider.incident.ended': { summary: 'An incident of a provider ended', data: ProviderIncident },
  'webhook_endpoint.disabled': {
    summary: 'A webhook endpoint was disabled automatically',
    data: EndpointDisabled,
  },
} as const satisfies Readonly<Record<string, EventDefinition>>;

/** The message that tests an endpoint. It is no change: the feed does not return it. */
export const ping = { summary: 'A test of the endpoint', data: Ping } as const;

/** The type of an event. */
export type EventType = keyof typeof events;

/** Whether a text is an event type. */
export function isEventType(name: string): name is EventType {
  return Object.hasOwn(events, name);
}

/** The event types, in the order of the documentation. */
export const eventTypes: readonly EventType[] = Object.keys(events).filter(isEventType);

/** Schema of an event type. */
export const EventType = z.enum(eventTypes).meta({ id: 'EventType', description: 'The type of an event.' });

/** The body of an event of one type. */
export function eventBody(type: string, { summary, data }: EventDefinition) {
  return z
    .object({
      type: z.literal(type).describe('The type of the event.'),
      timestamp: Timestamp.describe('The time of the change.'),
      data,
    })
    .meta({ id: `${pascalCase(type)}Event`, description: `${summary}.` });
}

// `backfill.type_completed` becomes `BackfillTypeCompleted`.
function pascalCase(type: string): string {
  return type.replace(/(^|[._])([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
