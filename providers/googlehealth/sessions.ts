import {
  assumed,
  computed,
  decides,
  each,
  extra,
  extras,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, instantWithOffset, isItem, numberOf, valueAt } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import { mostStageSpans, type StageSpan } from '../../domain/records/records.ts';
import type { WorkoutType } from '../../domain/records/workout-types.ts';
import { common, idOf, invalid, isManual, isPlaced, secondsOf, sessionFields } from './records.ts';

const offset = notKept('the offset of the session counts', 's');

const sleepFields: FieldTable = {
  ...sessionFields('sleep'),
  ...under('sleep', {
    'metadata.nap': kept(null, 'sleep.is_nap'),
    'metadata.externalId': extra(),
    'summary.minutesInSleepPeriod': extra('min'),
    'summary.minutesAsleep': kept('min', 'sleep.asleep_seconds'),
    'summary.minutesAwake': kept('min', 'sleep.awake_seconds'),
    'summary.stagesSummary[].type': kept(null, 'sleep.deep_seconds'),
    'summary.stagesSummary[].minutes': kept('min', 'sleep.deep_seconds'),
    ...each(kept(null, 'sleep.stage_intervals'), 'stages[].startTime', 'stages[].endTime', 'stages[].type'),
    ...assumed({
      'metadata.stagesStatus': kept(null, 'sleep.validation'),
      'summary.minutesToFallAsleep': kept('min', 'sleep.latency_seconds'),
      'summary.minutesAfterWakeUp': extra('min'),
      'summary.stagesSummary[].count': extra('count'),
      ...extras('type', 'metadata.mainSleep'),
      'metadata.processed': notKept('the state of the computation: its end is a change of the night'),
      ...each(offset, 'stages[].startUtcOffset', 'stages[].endUtcOffset'),
    }),
  }),
};

type Stage = StageSpan[0];

const stageNames = new Map<unknown, Stage>([
  ['AWAKE', 'awake'],
  ['WAKE', 'awake'],
  ['RESTLESS', 'light'],
  ['ASLEEP', 'light'],
  ['LIGHT', 'light'],
  ['DEEP', 'deep'],
  ['REM', 'rem'],
]);

const itemsAt = (night: Item, ...path: readonly string[]): readonly Item[] => {
  const found = valueAt(night, path);
  return Array.isArray(found) ? found.filter(isItem) : [];
};

function ofNight(draft: Draft, night: Item): Draft | string {
  if (!isPlaced(draft)) return invalid;
  const { start_time: startMs, end_time: endMs, sleep = {} } = draft;
  const spans = spansOf(itemsAt(night, 'sleep', 'stages'), startMs);
  const summary = itemsAt(night, 'sleep', 'summary', 'stagesSummary');
  const seconds = (stage: Stage) => (spans === null ? summarised(stage, summary) : inSpans(stage, spans));
  const [deep, light, rem, awake] = [seconds('deep'), seconds('light'), seconds('rem'), seconds('awake')];
  const [staged, inBed] = [(deep ?? 0) + (light ?? 0) + (rem ?? 0), Math.round((endMs - startMs) / 1000)];
  const isInterruption = ([stage, from, to]: StageSpan) => stage === 'awake' && from > 0 && to < inBed;
  return {
    ...draft,
    key: idOf(night) ?? String(startMs),
    sleep: {
      ...sleep,
      ...{ deep_seconds: deep, light_seconds: light, rem_seconds: rem, stage_intervals: spans },
      awake_seconds: awake ?? sleep.awake_seconds ?? null,
      asleep_seconds: staged > 0 ? staged : (sleep.asleep_seconds ?? Math.max(0, inBed - (awake ?? 0))),
      interruptions: spans?.filter(isInterruption).length ?? null,
    },
  };
}

function spansOf(stages: readonly Item[], startMs: number): StageSpan[] | null {
  const second = (time: unknown) =>
    Math.round(((instantWithOffset(time)?.ms ?? Number.NaN) - startMs) / 1000);
  const spans = stages
    .flatMap(({ type, startTime, endTime }): StageSpan[] => {
      const stage = stageNames.get(type);
      return stage === undefined ? [] : [[stage, second(startTime), second(endTime)]];
    })
    .filter(([, from, to]) => from < to)
    .sort((a, b) => a[1] - b[1]);
  return spans.length === 0 || spans.length > mostStageSpans ? null : spans;
}

const inSpans = (stage: Stage, spans: readonly StageSpan[]): number =>
  spans.reduce((sum, [name, from, to]) => sum + (name === stage ? to - from : 0), 0);

// The summary has the minutes of a stage if there are no intervals.
function summarised(stage: Stage, summary: readonly Item[]): number | null {
  const own = summary.filter(({ type }) => stageNames.get(type) === stage);
  const minutes = own.flatMap((one) => numberOf(one.minutes) ?? []);
  return minutes.length === 0 ? null : Math.round(minutes.reduce((sum, one) => sum + one, 0) * 60);
}

/** Nights. */
export const sleep: RecordType = {
  ...common,
  fields: sleepFields,
  extraAt: ['sleep', 'sleep.summary', 'sleep.metadata'],
  complete: ofNight,
};

const exerciseFields: FieldTable = {
  ...sessionFields('exercise'),
  ...assumed({ 'dataSource.recordingMethod': computed(isManual, null, 'workout.manual') }),
  ...under('exercise', {
    exerciseType: decides(null, 'workout.type', 'workout.raw_type'),
    activeDuration: computed(secondsOf, 's', 'workout.moving_seconds'),
    ...assumed({
      displayName: kept(null, 'workout.name'),
      notes: kept(null, 'details.description'),
      exerciseEvents: notKept('starts and pauses: `activeDuration` is the time without pauses'),
      exerciseMetadata: notKept('recordings of it are empty'),
    }),
  }),
  ...under('exercise.metricsSummary', {
    caloriesKcal: kept('kcal', 'workout.calories_kcal'),
    distanceMillimeters: kept('mm', 'workout.distance_meters'),
    steps: kept('count', 'workout.steps'),
    averageSpeedMillimetersPerSecond: computed(
      (speed) => Number(speed) / 1000,
      'mm/s',
      ...(['workout.avg_pace_sec_per_km', 'details.avg_speed_meters_per_second'] as const),
    ),
    averageHeartRateBeatsPerMinute: kept('bpm', 'workout.avg_heart_rate_bpm'),
    'mobilityMetrics.avgCadenceStepsPerMinute': kept('steps/min', 'details.avg_cadence_rpm'),
    elevationGainMillimeters: kept('mm', 'workout.elevation_gain_meters'),
    ...assumed({
      maxHeartRateBeatsPerMinute: kept('bpm', 'workout.max_heart_rate_bpm'),
      averagePaceSecondsPerMeter: extra('s/m'),
      activeZoneMinutes: extra('min'),
      runVo2Max: extra('ml/kg/min'),
      ...under('heartRateZoneDurations', extras('lightTime', 'moderateTime', 'vigorousTime', 'peakTime')),
    }),
  }),
};

/** Parts of the provider's names of exercises, the most specific first. */
const typesByPart: readonly (readonly [RegExp, WorkoutType])[] = [
  [/HIKING|TREKKING/, 'hiking'],
  [/RUN|JOG|TREADMILL/, 'running'],
  [/WALK/, 'walking'],
  [/BIK|CYCL|SPIN/, 'cycling'],
  [/SWIM/, 'swimming'],
  [/HIIT|INTERVAL|CIRCUIT|CROSSFIT|BOOTCAMP/, 'hiit'],
  [/STRENGTH|WEIGHT|CALISTHENICS|KETTLEBELL/, 'strength_training'],
  [/YOGA/, 'yoga'],
  [/PILATES|BARRE/, 'pilates'],
  [/ROW/, 'rowing'],
  [/ELLIPTICAL/, 'elliptical'],
];

function ofExercise(draft: Draft, exercise: Item): Draft | string {
  if (!isPlaced(draft)) return invalid;
  const type = valueAt(exercise, ['exercise', 'exerciseType']);
  const raw_type = typeof type === 'string' ? type.slice(0, 100) : '';
  const speed = numberOf(
    valueAt(exercise, ['exercise', 'metricsSummary', 'averageSpeedMillimetersPerSecond']),
  );
  return {
    ...draft,
    key: idOf(exercise) ?? String(draft.start_time),
    workout: {
      ...(raw_type === '' && draft.workout?.name === undefined ? { name: 'Exercise', plain_name: true } : {}),
      ...{ manual: false, ...draft.workout, raw_type },
      type: typesByPart.find(([part]) => part.test(raw_type))?.[1] ?? 'other',
      avg_pace_sec_per_km: speed !== null && speed > 0 ? 1_000_000 / speed : null,
    },
  };
}

/** Exercises. */
export const exercise: RecordType = {
  ...common,
  fields: exerciseFields,
  extraAt: ['exercise.metricsSummary'],
  complete: ofExercise,
};
