import { z } from 'zod';
import { bareItem, type EpochRecord } from '../../../domain/records/records.ts';
import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { count, head, measure, measureOrPlaceholder, type Normaliser, type Problem, text } from './item.ts';
import { readTimed } from './timed-item.ts';
import { plainActivityType, workoutTypeOf } from './workout-type.ts';

// A number in the accepted range of a series. A negative count is an error.
function valueIn(type: SeriesType) {
  const { min, max, bucket } = seriesOf(type);
  return (bucket === 'sum' ? measure : measureOrPlaceholder)(min, max);
}

const Epoch = z.object({
  ...head,
  activityType: text(100),
  activeTimeInSeconds: count(0, 86_400),
  steps: valueIn('steps'),
  activeKilocalories: valueIn('energy'),
  distanceInMeters: valueIn('distance_walking_running'),
  met: valueIn('average_met'),
  pushes: valueIn('push_count'),
  intensity: text(40),
});

type Epoch = z.output<typeof Epoch>;

/**
 * One activity type's part of a quarter hour. The later delivery replaces it. The store makes the samples of the
 * quarter hour, because it has all of its parts.
 */
export const normaliseEpoch: Normaliser = (item, nowMs) => {
  const read = readTimed(Epoch, [], item, nowMs);
  if (!read.ok) return read;
  const { fields, origin, hash } = read;
  const activityType = plainActivityType(fields.activityType ?? '') || 'GENERIC';
  const { sedentarySeconds, problems } = sedentaryOf(fields);
  const epoch: EpochRecord = {
    start_ms: origin.startMs,
    slot_seconds: fields.durationInSeconds,
    zone_offset_minutes: origin.zoneOffsetMinutes,
    device: origin.device,
    activity_type: activityType,
    active_seconds: fields.activeTimeInSeconds,
    sedentary_seconds: sedentarySeconds,
    values: valuesOf(fields, activityType),
  };
  const record = {
    ...bareItem,
    data_type: 'epochs',
    key: `${fields.startTimeInSeconds}/${activityType}`,
    hash,
    supersede: 'latest' as const,
    duration_seconds: fields.durationInSeconds ?? 0,
    epoch,
  };
  return { ok: true, item: record, problems: [...read.problems, ...problems] };
};

function valuesOf(fields: Epoch, activityType: string): EpochRecord['values'] {
  const reported: [SeriesType, number | null][] = [
    ['steps', fields.steps],
    ['energy', fields.activeKilocalories],
    [distanceTypeOf(activityType), fields.distanceInMeters],
    ['average_met', fields.met],
    ['push_count', fields.pushes],
  ];
  return Object.fromEntries(reported.filter(([, value]) => value !== null));
}

const otherWays =
  /WHEELCHAIR|SKAT|ROLLER|DRIVING|MOTOR|SCOOTER|ATV|ROWING|BOAT|SAIL|KAYAK|PADDL|SKI|SNOWBOARD|SURF/;

/** The distance series of an activity type: wheels and water have series of their own. */
function distanceTypeOf(activityType: string): SeriesType {
  const workoutType = workoutTypeOf(activityType);
  if (workoutType === 'cycling') return 'distance_cycling';
  if (workoutType === 'swimming') return 'distance_swimming';
  return otherWays.test(activityType) ? 'distance_other' : 'distance_walking_running';
}

/** Seconds without movement in a part, by its intensity. Null if it has no intensity. */
function sedentaryOf(fields: Epoch): { sedentarySeconds: number | null; problems: Problem[] } {
  const intensity = fields.intensity === null ? null : plainActivityType(fields.intensity);
  const seconds = fields.activeTimeInSeconds ?? fields.durationInSeconds;
  if (intensity === 'SEDENTARY') return { sedentarySeconds: seconds, problems: [] };
  if (intensity === 'ACTIVE' || intensity === 'HIGHLY_ACTIVE') return { sedentarySeconds: 0, problems: [] };
  const problems = intensity === null ? [] : [{ field: 'intensity', reason: 'is not known' }];
  return { sedentarySeconds: null, problems };
}
