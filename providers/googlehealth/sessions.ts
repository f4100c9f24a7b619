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
import { workoutTypeNamed } from '../../domain/workouts/sport-names.ts';
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
  // A night without stages: no sleep of it is light because of that.
  ['RESTLESS', 'unmeasurable'],
  ['ASLEEP', 'unmeasurable'],
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
  const stages = { deep: seconds('deep'), light: seconds('light'), rem: seconds('rem') };
  const [unmeasured, awake] = [seconds('unmeasurable'), seconds('awake') ?? sleep.awake_seconds ?? null];
  const inBed = Math.round((endMs - startMs) / 1000);
  const staged = (stages.deep ?? 0) + (stages.light ?? 0) + (stages.rem ?? 0);
  const { deep, light, rem } = staged > 0 ? stages : { deep: null, light: null, rem: null };
  const inStages = staged + (unmeasured ?? 0);
  const ofWhole = awake === null ? null : Math.max(0, inBed - awake);
  const isInterruption = ([stage, from, to]: StageSpan) => stage === 'awake' && from > 0 && to < inBed;
  return {
    ...draft,
    key: idOf(night) ?? String(startMs),
    sleep: {
      // The times decide only where the provider says nothing.
      ...(valueAt(night, ['sleep', 'metadata', 'mainSleep']) === true ? { is_nap: false } : {}),
      ...sleep,
      deep_seconds: deep,
      light_seconds: light,
      rem_seconds: rem,
      stage_intervals: spans,
      awake_seconds: awake,
      unmeasurable_seconds: unmeasured || null,
      asleep_seconds: staged > 0 ? inStages : (sleep.asleep_seconds ?? (inStages > 0 ? inStages : ofWhole)),
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
      manual: false,
      ...draft.workout,
      raw_type,
      type: workoutTypeNamed(raw_type),
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
