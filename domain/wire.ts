import { z } from 'zod';
import { recordingMethods } from './records/recording-method.ts';
import { seriesTypes } from './records/series.ts';
import { workoutTypes } from './records/workout-types.ts';

/** Wire schemas that several contracts share. */

/** The provider and the device of an item; `device` is `unknown` if no device was named. */
export const Source = z.object({ provider: z.string(), device: z.string() }).meta({
  id: 'Source',
  description: 'The provider and the device of an item. `device` is `unknown` if no device was named.',
});

/** How a sample was made. */
const RecordingMethodName = z.enum(recordingMethods).meta({
  id: 'RecordingMethod',
  description:
    'How a sample was made: `manual`: the user typed it in; `on_demand`: the user started the measurement.',
});

/** The method of samples, in the answers that have their source. */
export const recordingMethod = {
  recording_method: RecordingMethodName.optional().describe(
    'Present if the user typed the value in or started the measurement. Absent if a device measured by itself, or if the provider does not report it. Samples of another method have their own series and buckets.',
  ),
};

/** An instant on the wire, `2026-01-01T06:30:00Z`. */
export const Timestamp = z.string().meta({ format: 'date-time' });

/** The local clock of a record, as its distance from UTC. */
export const ZoneOffset = z
  .string()
  .nullable()
  .meta({ example: '+02:00' })
  .describe('The offset of the local clock from UTC, such as `+02:00`. Null if the provider sent none.');

/** The fields of a record that no other field takes. */
export const ExtraFields = z
  .record(z.string(), z.unknown())
  .nullable()
  .describe(
    'What the provider sent beside the other fields, by its own names and in its own units: those that docs/data.md lists. Null if there is nothing. At most 4,000 bytes of each data type; further fields are omitted.',
  );

/** Text that PostgreSQL can store. NUL is refused here, because PostgreSQL would fail and the answer would be 500. */
export const Text = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL character');

/** The id of a user in a path. */
export const UserId = z
  .uuid('must be a UUID. GET /api/v1/users?external_user_id=… finds a user by your own id')
  .transform((id) => id.toLowerCase())
  .describe('The `id` of a user.');

/** One of the series types of the catalogue. */
export const SeriesTypeName = z.enum(seriesTypes).meta({ id: 'SeriesType' });

/** One of the workout types. */
export const WorkoutTypeName = z
  .enum(workoutTypes)
  .meta({ id: 'WorkoutType', description: 'A workout type.' });

/**
 * Events that are neither workouts nor sleep: detected movement, the menstrual cycle, measurements that nobody confirmed,
 * nutrition, mindful sessions.
 */
export const OtherEventType = z
  .enum(['moveiq', 'mct', 'unconfirmed_measurement', 'nutrition', 'mindfulness', 'cycle_record'])
  .meta({
    id: 'OtherEventType',
    description:
      '`moveiq`: movement that a device detected by itself; `mct`: a day of the menstrual cycle, as its provider summarises it; `unconfirmed_measurement`: a measurement that may be of another person, or that may be wrong. No series contains it until its provider confirms it; `nutrition`: a meal, or an amount of a nutrient; `mindfulness`: a mindful session; `cycle_record`: one observation of the menstrual cycle, such as the flow or an ovulation test.',
  });

/** The order of a list. */
export const SortOrder = z
  .enum(['asc', 'desc'])
  .meta({ id: 'SortOrder', description: '`asc` ascending, `desc` descending.' });

/** Minutes of each stage of a sleep. */
export const SleepStages = z
  .object({
    awake_minutes: z.int().nullable(),
    light_minutes: z.int().nullable(),
    deep_minutes: z.int().nullable(),
    rem_minutes: z.int().nullable(),
  })
  .meta({ id: 'SleepStages' });

/** The stages that intervals of a sleep name. */
export const SleepStageName = z
  .enum(['awake', 'light', 'deep', 'rem', 'unmeasurable'])
  .meta({ id: 'SleepStage', description: 'A stage of sleep.' });

/** The answer of a webhook's health check. */
export const WebhookHealth = z
  .object({ status: z.literal('ok'), service: z.string() })
  .meta({ id: 'WebhookHealth' });

export type Source = z.infer<typeof Source>;
export type OtherEventType = z.infer<typeof OtherEventType>;
export type BrowserAnswer = z.infer<typeof BrowserAnswer>;

/** An answer to a browser: a redirect, or a page of plain text. */
export const BrowserAnswer = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('redirect'), location: z.string() }),
  z.object({ kind: z.literal('page'), status: z.int(), title: z.string(), text: z.string() }),
]);

/** A parameter that may name several values: repeated (`types=a&types=b`), or with commas between them (`types=a,b`). */
export function repeated<T extends z.ZodType>(item: T, most: number) {
  const cut = z.transform((given: z.input<T> | z.input<T>[]): unknown => cutAtCommas(given));
  return cut.pipe(z.union([z.array(item).max(most), item.transform((one) => [one])]));
}

function cutAtCommas(given: unknown): unknown {
  if (Array.isArray(given)) return given.flatMap(cutAtCommas);
  return typeof given === 'string' && given.includes(',') ? given.split(',').map((one) => one.trim()) : given;
}

const TrueOrFalse = z.union([
  z.boolean(),
  z
    .enum(['true', 'false'])
    .meta({ id: 'BooleanText' })
    .transform((text) => text === 'true'),
]);

/** A boolean query parameter: `true` or `false`; the default is `false`. */
export const Flag = TrueOrFalse.default(false);

/** A boolean filter: `true` or `false`; without it nothing is filtered. */
export const FlagOrAny = TrueOrFalse.optional();
