import { withoutNoise } from '../../domain/json/decimals.ts';
import {
  absentAs,
  assumed,
  computed,
  decides,
  each,
  extra,
  type Field,
  type FieldEnd,
  type FieldTable,
  kept,
  like,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Span } from '../../domain/provider/pulled-provider.ts';
import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import type { Draft, Point } from '../../domain/recipe/draft.ts';
import { type ListRead, lastOfEach } from '../../domain/recipe/list-pass.ts';
import { type Item, instantWithOffset, isItem, numberOf } from '../../domain/recipe/read-fields.ts';
import { dateToMs, localTime, minuteMs } from '../../domain/time/time.ts';

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

/** The id of a sport, of other ones that of `sports`. */
function sportId(name: unknown): number {
  const id = names.indexOf(String(name));
  return id < 0 ? 4 : id;
}

const entryOf = (item: unknown): Item => (isItem(item) && isItem(item.entryData) ? item.entryData : {});
const msOf = (item: unknown): number | null =>
  isItem(item) ? (instantWithOffset(item.timestamp)?.ms ?? null) : null;

/** A heart rate in beats per minute: a value below 5 is in Hz, as some firmware sends it. Null: it is no number. */
function bpmOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value < 5 ? withoutNoise(value * 60) : value;
}

/** A heart rate of a workout, which is sent in beats per minute today. */
const rate = (end: FieldEnd): Field => like((bpm) => bpm, computed(bpmOf, 'bpm', end));

/** A share in percent: a value of at most 1 is from 0 to 1. Null: it is no number. */
function percentOf(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isFinite(value)) return null;
  return value <= 1 ? withoutNoise(value * 100) : value;
}

const shareOf = (percent: unknown): number => Number(percent) / 100;

const secondsOf = (value: unknown): number => Math.max(0, numberOf(value) ?? 0);

/** The times of a night. Some firmware sends no bedtimes: the night then begins at `DateTime` and lasts its `Duration`. */
function timesOfNight(record: Item): { startMs: number; endMs: number | null } | null {
  const { BedtimeStart, BedtimeEnd, DateTime, Duration } = entryOf(record);
  const [startMs] = [BedtimeStart, DateTime, record.timestamp].flatMap(
    (time) => instantWithOffset(time)?.ms ?? [],
  );
  if (startMs === undefined) return null;
  const bedtimeEndMs = instantWithOffset(BedtimeEnd)?.ms ?? startMs;
  const lastsMs = secondsOf(Duration) * 1000;
  if (bedtimeEndMs > startMs) return { startMs, endMs: bedtimeEndMs };
  return { startMs, endMs: lastsMs > 0 ? startMs + lastsMs : null };
}

/** Seconds in the three stages. 0: the entry has no stages. */
const stagedSeconds = ({ DeepSleepDuration, LightSleepDuration, REMSleepDuration }: Item): number =>
  [DeepSleepDuration, LightSleepDuration, REMSleepDuration].reduce<number>(
    (sum, seconds) => sum + secondsOf(seconds),
    0,
  );

/**
 * Nights with the best version of each, in the order of the list. The list has every version of a night that the watch sent
 * while the night went on, in no stated order.
 */
function bestNights(records: readonly unknown[]): unknown[] {
  const nights = Map.groupBy(records, (record) => {
    const { SleepId } = entryOf(record);
    return SleepId || (isItem(record) && timesOfNight(record)?.startMs) || record;
  });
  return [...nights.values()].map((versions) => {
    const best = withUnits(versions.reduce((a, b) => (compareVersions(a, b) > 0 ? a : b)));
    return isItem(best) ? { ...best, older: versions.length - 1 } : best;
  });
}

// The units of heart rate and oxygen differ by firmware.
function withUnits(record: unknown): unknown {
  if (!isItem(record) || !isItem(record.entryData)) return record;
  const { HRAvg, HRMin, MaxSpo2, ...entry } = record.entryData;
  const read = { HRAvg: bpmOf(HRAvg), HRMin: bpmOf(HRMin), MaxSpo2: percentOf(MaxSpo2) };
  return { ...record, entryData: { ...entry, ...read } };
}

// Stages count first, because a stub without stages may be sent at any time. Then the version that ends last, that with the
// most values, that with the latest time, and that which is last in the list.
function compareVersions(a: unknown, b: unknown): number {
  const [one, two] = [a, b].map(weightOf);
  const index = one?.findIndex((weight, at) => weight !== two?.[at]) ?? -1;
  return index < 0 ? 0 : (one?.[index] ?? 0) - (two?.[index] ?? 0);
}

function weightOf(record: unknown): number[] {
  const entry = entryOf(record);
  const { endMs = null } = (isItem(record) ? timesOfNight(record) : null) ?? {};
  const values = Object.values(entry).filter((value) => value !== null && value !== 0 && value !== false);
  return [Number(stagedSeconds(entry) > 0), endMs ?? 0, values.length, msOf(record) ?? 0];
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

const pauseExtension = { extensions: 'PauseMarkerExtension' } as const;

/**
 * Workouts that changed since the start of a span: whatever began in it changed since, so that one that is missing was deleted.
 * The list has no end, so that a long span costs no more than a short one.
 */
const workouts: ListRead = {
  path: '/v3/workouts/',
  query: { limit: '100', 'filter-by-modification-time': 'true', ...pauseExtension },
  records: 'payload',
  span: { start: 'since', end: null, form: 'ms' },
  page: { offset: 'offset', size: 100 },
  // Whether the list heeds `extensions` is not confirmed; a read of the workout itself does.
  detail: {
    path: (listed) =>
      needsPauses(listed) && typeof listed.workoutKey === 'string'
        ? `/v3/workouts/${encodeURIComponent(listed.workoutKey)}`
        : null,
    query: pauseExtension,
    record: 'payload',
    keepsListed: true,
  },
};

// A workout with `stopTime` needs no pauses, and one whose extensions are named without them has none.
function needsPauses({ stopTime, extensions, extensionTypes }: Item): boolean {
  if (numberOf(stopTime) !== null || Array.isArray(extensions)) return false;
  return !Array.isArray(extensionTypes) || extensionTypes.includes('PAUSEMARKER');
}

/** A fresh workout has no `stopTime`: it ends after its total time and its pauses, which are not in the total time. */
function workoutEnd({ duration_seconds, ...draft }: Draft, item: Item): Draft {
  const { start_time } = draft;
  const total = numberOf(item.totalTime);
  if (draft.end_time !== undefined || start_time === undefined || total === null) return draft;
  return {
    ...draft,
    end_time: start_time + Math.round(total * 1000) + pausedMs(item.extensions, start_time),
  };
}

/** The time in the pauses of a workout. Pauses that overlap count once, and one without an end does not count. */
function pausedMs(extensions: unknown, startMs: number): number {
  const pauses = itemsIn(extensions)
    .filter(({ type }) => type === 'PauseMarkerExtension')
    .flatMap(({ pauseMarkers }) => itemsIn(pauseMarkers))
    .flatMap(({ startTime, endTime }): Point[] => {
      const [from, to] = [numberOf(startTime), numberOf(endTime)];
      return from === null || to === null || to <= from ? [] : [[Math.max(from, startMs), to]];
    })
    .toSorted(([a], [b]) => a - b);
  let [paused, until] = [0, startMs];
  for (const [from, to] of pauses) {
    paused += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return paused;
}

const itemsIn = (value: unknown): Item[] => (Array.isArray(value) ? value.filter(isItem) : []);

// The FIT file of a workout is not read: its path is not confirmed, so that workouts have no samples and no track.
const workout: Collection = {
  ...common,
  read: workouts,
  longestSpanDays: 366,
  join: lastOfEach('workoutKey'),
  complete: workoutEnd,
  fields: {
    workoutKey: kept(null, 'key'),
    workoutId: notKept('`workoutKey` identifies the workout'),
    activityId: like(sportId, computed(sportNamed, null, 'workout.raw_type', 'workout.type')),
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
    isEdited: like(false, extra()),
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
    extensionTypes: like(['PAUSEMARKER', 'SUMMARY'], notKept('what the FIT file has')),
    extensions: like([{ type: 'SummaryExtension' }], decides(null, 'end_time')),
    tssList: notKept('`tss` is the one that counts'),
    commentCount: notKept('changes after the workout', 'count'),
    viewCount: notKept('changes after the workout', 'count'),
    pictureCount: notKept('changes after the workout', 'count'),
    ...under('tss', {
      calculationMethod: like('HR', extra()),
      ...each(like(1, extra()), 'trainingStressScore', 'intensityFactor', 'normalizedPower'),
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
      workoutAvgHR: rate('workout.avg_heart_rate_bpm'),
      workoutMaxHR: rate('workout.max_heart_rate_bpm'),
      avg: rate('workout.avg_heart_rate_bpm'),
      hrmax: rate('workout.max_heart_rate_bpm'),
      min: rate('details.min_heart_rate_bpm'),
      max: notKept("the user's setting, not the workout's value", 'bpm'),
      userMaxHR: notKept("the user's setting, not the workout's value", 'bpm'),
    }),
    ...under('gear', {
      name: like('Suunto Race', kept(null, 'source')),
      manufacturer: notKept('the provider'),
      serialNumber: notKept('it identifies the device'),
      swVersion: notKept('the version of the firmware'),
    }),
  },
};

/** The seconds awake within a night, after falling asleep. Null: the entry names none. */
function awakeSeconds({ WakeAfterSleepOnsetDuration, WakeBeforeOffBedDuration }: Item): number | null {
  const known = [WakeAfterSleepOnsetDuration, WakeBeforeOffBedDuration].filter(
    (one) => numberOf(one) !== null,
  );
  return known.length === 0
    ? null
    : Math.round(known.reduce<number>((sum, seconds) => sum + secondsOf(seconds), 0));
}

/**
 * `Duration` is the time in bed. A nap often has no stages, which is sent as zeros: it was asleep for the time in bed less the
 * time awake, if that is known.
 */
function ofNight({ day_values, ...draft }: Draft, item: Item): Draft | string {
  const times = timesOfNight(item);
  if (times === null) return 'unreadable';
  if (times.endMs === null) return 'no_end';
  const entry = entryOf(item);
  const awake = awakeSeconds(entry);
  const inBed = secondsOf(entry.Duration) || (times.endMs - times.startMs) / 1000;
  const { deep_seconds, light_seconds, rem_seconds, ...sleep } = draft.sleep ?? {};
  const asleep =
    awake === null ? null : Math.max(0, inBed - awake - secondsOf(entry.SleepOnsetLatencyDuration));
  const unstaged = { ...sleep, asleep_seconds: asleep === null ? null : Math.round(asleep) };
  const older = numberOf(item.older) ?? 0;
  return {
    ...draft,
    end_time: times.endMs,
    sleep: { ...(stagedSeconds(entry) > 0 ? draft.sleep : unstaged), awake_seconds: awake },
    // A nap has no night's average.
    ...(sleep.is_nap === true || day_values === undefined ? {} : { day_values }),
    ...(older === 0 ? {} : { skipped: { older_version: older } }),
  };
}

// Whether the time of a night's sample is its start or its end is not known, so that a day around a span is read as well.
const sleep: Collection = {
  ...common,
  ...samplesOf('sleep', 1),
  join: bestNights,
  complete: ofNight,
  fields: {
    ...under('entryData', {
      SleepId: like(
        (key) => key,
        computed((id) => id || null, null, 'key'),
      ),
      BedtimeStart: kept('ISO 8601', 'start_time'),
      DateTime: kept('ISO 8601', 'start_time'),
      BedtimeEnd: like(
        (ms, { zone_offset = null }) => localTime(Number(ms), zone_offset),
        decides('ISO 8601', 'end_time'),
      ),
      Duration: like((_, night) => night.duration_seconds, decides('s', 'end_time', 'sleep.asleep_seconds')),
      DeepSleepDuration: kept('s', 'sleep.deep_seconds'),
      LightSleepDuration: kept('s', 'sleep.light_seconds'),
      REMSleepDuration: kept('s', 'sleep.rem_seconds'),
      WakeAfterSleepOnsetDuration: like((seconds) => seconds, decides('s', 'sleep.awake_seconds')),
      WakeBeforeOffBedDuration: like(0, decides('s', 'sleep.awake_seconds')),
      SleepOnsetLatencyDuration: kept('s', 'sleep.latency_seconds'),
      SleepQualityScore: kept('0-100', 'sleep.score'),
      IsNap: kept(null, 'sleep.is_nap'),
      // 0 is no measurement.
      ...absentAs([0], {
        AvgHRV: kept('ms', 'day_values.hrv_night_average_ms'),
        HRAvg: extra('bpm'),
        HRMin: extra('bpm'),
        MaxSpo2: extra('percent'),
      }),
      ...assumed({ AvgHRVSampleCount: extra('count'), Feeling: like(3, extra()), Altitude: extra('m') }),
    }),
    timestamp: kept('ISO 8601', 'start_time'),
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
      HR: like((bpm) => Number(bpm) / 60, computed(bpmOf, 'bpm', 'series.heart_rate')),
      SpO2: like(shareOf, computed(percentOf, 'percent', 'series.oxygen_saturation')),
      StepCount: kept('count', 'series.steps'),
      // Energy without the basal part, and variability as RMSSD: the notes do not say it.
      ...assumed({
        EnergyConsumption: kept('J', 'series.energy'),
        ...absentAs([0], { HRV: kept('ms', 'series.heart_rate_variability_rmssd') }),
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
      Balance: like(
        (_, { series }) => shareOf(series?.recovery_score),
        computed(percentOf, '0-1', 'score.recovery', 'series.recovery_score'),
      ),
      StressState: like(2, kept(null, 'score_components.recovery')),
    }),
  },
};

/** The kinds of data. Statistics of days are the sums of the samples of `activity`, so that they are not read. */
export const collections = { workout, sleep, activity, recovery } as const satisfies Readonly<
  Record<string, Collection>
>;
/** How they are read. */
export const types = pulledCollections(collections);
