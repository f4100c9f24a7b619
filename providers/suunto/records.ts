import { withoutNoise } from '../../domain/json/decimals.ts';
import {
  assumed,
  computed,
  extra,
  extras,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Span } from '../../domain/provider/pulled-provider.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft, Point } from '../../domain/recipe/draft.ts';
import type { ListRead } from '../../domain/recipe/list-pass.ts';
import { type Item, instantWithOffset, isItem } from '../../domain/recipe/read-fields.ts';
import { dateToMs, minuteMs } from '../../domain/time/time.ts';

/** Suunto's sports by `activityId`, from 0. The notes on the API have no such list: assumed from Suunto's public one. */
const names = [
  ...'walking,running,cycling,cross country skiing,sports,sports,sports,sports,sports,sports'.split(','),
  ...'mountain biking,hiking,roller skating,downhill skiing,paddling,rowing,golf,indoor sports'.split(','),
  ...'parkour,ball games,outdoor gym,swimming,trail running,gym,nordic walking,horseback riding'.split(','),
  ...'motorsports,skateboarding,water sports,climbing,snowboarding,ski touring,fitness class'.split(','),
  ...'soccer,tennis,basketball,badminton,baseball,volleyball,american football,table tennis'.split(','),
  ...'racquetball,squash,floorball,handball,softball,bowling,cricket,rugby,ice skating'.split(','),
  ...'ice hockey,yoga,indoor cycling,treadmill,crossfit,crosstrainer,roller skiing'.split(','),
  ...'indoor rowing,stretching,track and field,orienteering,standup paddling,combat sport'.split(','),
  ...'kettlebell,dancing,snowshoeing,frisbee golf,futsal,multisport,aerobics,trekking,sailing'.split(','),
  ...'kayaking,circuit training,triathlon,padel,cheerleading,boxing,scuba diving,freediving'.split(','),
  ...'adventure racing,gymnastics,canoeing,mountaineering,telemark skiing,open water swimming'.split(','),
  ...'windsurfing,kitesurfing,paragliding,sports,snorkeling,surfing,swimrun,duathlon'.split(','),
  ...'aquathlon,obstacle racing,fishing,hunting,transition,gravel cycling,mermaiding'.split(','),
  ...'spearfishing,jump rope,track running,calisthenics,e-biking,e-mtb,backcountry skiing'.split(','),
  ...'wheelchair sport,hand cycling,splitboarding,biathlon,meditation,field hockey,cyclocross'.split(','),
  ...'vertical running,ski mountaineering,skate skiing,classic skiing,chores,pilates,yoga'.split(','),
].map((name) => name.replace(/[ -]/g, '_'));

/** The name of a sport, such as `trail_running`. Null: the value is no id of a sport. */
function sportNamed(id: unknown): string | null {
  return typeof id === 'number' && Number.isInteger(id) ? (names[id] ?? `activity_${id}`) : null;
}

const entryOf = (item: unknown): Item => (isItem(item) && isItem(item.entryData) ? item.entryData : {});
const msOf = (item: unknown): number | null =>
  isItem(item) ? (instantWithOffset(item.timestamp)?.ms ?? null) : null;

/** A heart rate in beats per minute: a value below 5 is in Hz, as some firmware sends it. Null: it is no number. */
function bpmOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value < 5 ? withoutNoise(value * 60) : value;
}

/** A share in percent: a value of at most 1 is from 0 to 1. Null: it is no number. */
function percentOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value <= 1 ? withoutNoise(value * 100) : value;
}

/** Nights with the last version of each, in the order of the list. The units of heart rate and oxygen differ by firmware. */
function latestNights(records: readonly unknown[]): unknown[] {
  const versions = new Map<unknown, unknown>();
  for (const record of records) {
    const { SleepId } = entryOf(record);
    versions.delete(SleepId ?? record);
    versions.set(SleepId ?? record, record);
  }
  return [...versions.values()].map(withUnits);
}

function withUnits(record: unknown): unknown {
  if (!isItem(record) || !isItem(record.entryData)) return record;
  const { HRAvg, HRMin, MaxSpo2, ...entry } = record.entryData;
  const read = { HRAvg: bpmOf(HRAvg), HRMin: bpmOf(HRMin), MaxSpo2: percentOf(MaxSpo2) };
  return { ...record, entryData: { ...entry, ...read } };
}

/** An item of each local day that begins in the span or has a sample in it: its last sample, with all samples of the day as `day`. */
function daysOfSamples(records: readonly unknown[], span: Span | null): unknown[] {
  const timed = records.flatMap((record) => {
    const ms = msOf(record);
    return isItem(record) && ms !== null ? [{ record, ms }] : [];
  });
  const isWithin = (ms: number) => span === null || (ms >= span.startMs && ms < span.endMs);
  const days = Map.groupBy(timed, ({ record }) => String(record.timestamp).slice(0, 10));
  const items = [...days.values()].flatMap((samples) => {
    const sorted = samples.toSorted((a, b) => a.ms - b.ms);
    const last = sorted.at(-1);
    if (last === undefined || ![midnightOf(last.record), ...sorted.map(({ ms }) => ms)].some(isWithin))
      return [];
    return [{ ...last.record, day: sorted.map(({ record }) => record) }];
  });
  return [...items, ...records.filter((record) => msOf(record) === null)];
}

/** The start of the local day of a sample, in milliseconds. */
function midnightOf({ timestamp }: Item): number {
  const { offset = 0 } = instantWithOffset(timestamp) ?? {};
  return dateToMs(String(timestamp).slice(0, 10)) - offset * minuteMs;
}

/** The balances of the samples of a day in percent. */
function pointsOfDay({ day }: Item): Point[] {
  const samples: readonly unknown[] = Array.isArray(day) ? day : [];
  return samples.flatMap((sample): Point[] => {
    const [ms, value] = [msOf(sample), percentOf(entryOf(sample).Balance)];
    return ms === null || value === null ? [] : [[ms, value]];
  });
}

const common = { device: 'Suunto', scopes: [], recentDays: 3, sweepDays: 30 } as const;

/** Samples of all day, at most 28 days a request. Whether a bound is included is not known: a sample at it may come twice. */
const samplesOf = (kind: string, aroundDays = 0): Pick<Collection, 'read' | 'longestSpanDays'> => ({
  read: {
    path: `/247samples/${kind}`,
    records: null,
    span: { start: 'from', end: 'to', form: 'ms', beforeDays: aroundDays, afterDays: aroundDays },
  },
  longestSpanDays: 28 - 2 * aroundDays,
});

/**
 * Workouts that changed since the start of a span: whatever began in it changed since, so that one that is missing was deleted.
 * The list has no end, so that a long span costs no more than a short one.
 */
const workouts: ListRead = {
  path: '/v3/workouts/',
  query: { limit: '100', 'filter-by-modification-time': 'true' },
  records: 'payload',
  span: { start: 'since', end: null, form: 'ms' },
  page: { offset: 'offset', size: 100 },
};

/** A fresh workout has no `stopTime`: it ends after its total time. Pauses are not in the total time. */
function workoutEnd(draft: Draft): Draft {
  const { duration_seconds, ...timed } = draft;
  return draft.end_time === undefined ? draft : timed;
}

// The FIT file of a workout is not read: its path is not confirmed, so that workouts have no samples and no track.
const workout: Collection = {
  ...common,
  read: workouts,
  longestSpanDays: 366,
  complete: workoutEnd,
  fields: {
    workoutKey: kept(null, 'key'),
    workoutId: notKept('`workoutKey` identifies the workout'),
    activityId: computed(sportNamed, null, 'workout.raw_type', 'workout.type'),
    startTime: kept('ms', 'start_time'),
    stopTime: kept('ms', 'end_time'),
    totalTime: kept('s', 'duration_seconds', 'workout.moving_seconds'),
    timeOffsetInMinutes: kept('min', 'zone_offset'),
    totalDistance: kept('m', 'workout.distance_meters'),
    stepCount: kept('count', 'workout.steps'),
    energyConsumption: kept('kcal', 'workout.calories_kcal'),
    estimatedFloorsClimbed: extra('count'),
    recoveryTime: extra('s'),
    cumulativeRecoveryTime: extra('s'),
    isManuallyAdded: kept(null, 'workout.manual'),
    isEdited: extra(),
    maxSpeed: kept('m/s', 'details.max_speed_meters_per_second'),
    avgSpeed: kept('m/s', 'details.avg_speed_meters_per_second'),
    totalAscent: kept('m', 'workout.elevation_gain_meters'),
    totalDescent: kept('m', 'details.elevation_loss_meters'),
    maxAltitude: kept('m', 'details.elevation_high_meters'),
    minAltitude: kept('m', 'details.elevation_low_meters'),
    avgPower: kept('W', 'details.avg_power_watts'),
    maxPower: kept('W', 'details.max_power_watts'),
    avgSpeedInKmH: notKept('`avgSpeed` has it', 'km/h'),
    avgPace: notKept('`avgSpeed` has it', 'min/km'),
    startPosition: notKept('location data'),
    stopPosition: notKept('location data'),
    centerPosition: notKept('location data'),
    rankings: notKept('compares with other workouts of the user'),
    extensionTypes: notKept('what the FIT file has'),
    extensions: notKept('no request asks for them'),
    tssList: notKept('`tss` is the one that counts'),
    commentCount: notKept('changes after the workout', 'count'),
    viewCount: notKept('changes after the workout', 'count'),
    pictureCount: notKept('changes after the workout', 'count'),
    ...under('tss', {
      ...extras('calculationMethod', 'trainingStressScore', 'intensityFactor', 'normalizedPower'),
      averageGradeAdjustedPace: extra('m/s'),
    }),
    // Whether it counts one foot or both is not known, so that it is no cadence of ours.
    ...under('cadence', { avg: extra('1/min'), max: extra('1/min') }),
    // The notes name no unit of the cadence: assumed to be revolutions per minute.
    ...assumed({
      avgCadence: kept('rpm', 'details.avg_cadence_rpm'),
      maxCadence: kept('rpm', 'details.max_cadence_rpm'),
    }),
    ...under('hrdata', {
      workoutAvgHR: computed(bpmOf, 'bpm', 'workout.avg_heart_rate_bpm'),
      workoutMaxHR: computed(bpmOf, 'bpm', 'workout.max_heart_rate_bpm'),
      avg: computed(bpmOf, 'bpm', 'workout.avg_heart_rate_bpm'),
      hrmax: computed(bpmOf, 'bpm', 'workout.max_heart_rate_bpm'),
      min: computed(bpmOf, 'bpm', 'details.min_heart_rate_bpm'),
      max: notKept("the user's setting, not the workout's value", 'bpm'),
      userMaxHR: notKept("the user's setting, not the workout's value", 'bpm'),
    }),
    ...under('gear', {
      name: kept(null, 'source'),
      manufacturer: notKept('the provider'),
      serialNumber: notKept('it identifies the device'),
      swVersion: notKept('the version of the firmware'),
    }),
  },
};

// Whether the time of a night's sample is its start or its end is not known, so that a day around a span is read as well.
const sleep: Collection = {
  ...common,
  ...samplesOf('sleep', 1),
  join: latestNights,
  // A nap has no night's average.
  complete: ({ day_values, ...draft }) => ({
    ...draft,
    sleep: draft.sleep ?? {},
    ...(draft.sleep?.is_nap === true || day_values === undefined ? {} : { day_values }),
  }),
  fields: {
    timestamp: notKept('the sleep has times of its own'),
    ...under('entryData', {
      SleepId: kept(null, 'key'),
      BedtimeStart: kept('ISO 8601', 'start_time'),
      BedtimeEnd: kept('ISO 8601', 'end_time'),
      Duration: kept('s', 'sleep.asleep_seconds'),
      DeepSleepDuration: kept('s', 'sleep.deep_seconds'),
      LightSleepDuration: kept('s', 'sleep.light_seconds'),
      REMSleepDuration: kept('s', 'sleep.rem_seconds'),
      SleepQualityScore: kept('0-100', 'sleep.score'),
      IsNap: kept(null, 'sleep.is_nap'),
      AvgHRV: kept('ms', 'day_values.hrv_night_average_ms'),
      HRAvg: extra('bpm'),
      HRMin: extra('bpm'),
      MaxSpo2: extra('percent'),
    }),
  },
};

const sampleTime: FieldTable = { timestamp: kept('ISO 8601', 'start_time') };
const sampleSeconds = 600;

const activity: Collection = {
  ...common,
  ...samplesOf('activity'),
  // Steps and energy are those of the ten minutes from the time of the sample on: assumed.
  complete: (draft) => ({ ...draft, duration_seconds: sampleSeconds }),
  fields: {
    ...sampleTime,
    ...under('entryData', {
      HR: computed(bpmOf, 'bpm', 'series.heart_rate'),
      SpO2: computed(percentOf, 'percent', 'series.oxygen_saturation'),
      StepCount: kept('count', 'series.steps'),
      // Energy without the basal part, and variability as RMSSD: the notes do not say it.
      ...assumed({
        EnergyConsumption: kept('J', 'series.energy'),
        HRV: kept('ms', 'series.heart_rate_variability_rmssd'),
        'HRExt.Min': notKept('`HR` is the rate of the ten minutes', 'bpm'),
        'HRExt.Max': notKept('`HR` is the rate of the ten minutes', 'bpm'),
        Altitude: notKept('no series has it', 'm'),
      }),
    }),
  },
};

/** The score of a local day is its last balance so far; all balances of the day are samples. */
function dayOfBalance(draft: Draft, item: Item): Draft {
  const date = String(item.timestamp).slice(0, 10);
  const points = pointsOfDay(item);
  return {
    ...draft,
    date,
    key: date,
    duration_seconds: 86_400,
    ...(draft.start_time === undefined ? {} : { start_time: midnightOf(item) }),
    series: points.length === 0 ? (draft.series ?? {}) : { recovery_score: points },
  };
}

// The local days at the bounds of a span are read as a whole.
const recovery: Collection = {
  ...common,
  ...samplesOf('recovery', 1),
  join: daysOfSamples,
  complete: dayOfBalance,
  fields: {
    timestamp: kept('ISO 8601', 'start_time', 'date', 'key'),
    ...under('entryData', {
      Balance: computed(percentOf, '0-1', 'score.recovery', 'series.recovery_score'),
      StressState: kept(null, 'score_components.recovery'),
    }),
  },
};

/** The kinds of data. Statistics of days are the sums of the samples of `activity`, so that they are not read. */
export const collections = { workout, sleep, activity, recovery } as const satisfies Readonly<
  Record<string, Collection>
>;
/** How they are read. */
export const types = pulledCollections(collections);
