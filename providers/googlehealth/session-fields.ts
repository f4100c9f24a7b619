import {
  assumed,
  extra,
  extras,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';

const ofDevice = 'describes the device, which the source names';
const stamp = 'the time of the record at the provider';
const civil = 'the interval and its offset have the same time';

/** Fields of every point. */
export const point: FieldTable = {
  name: kept(null, 'key'),
  'dataSource.platform': notKept(ofDevice),
  'dataSource.device.displayName': kept(null, 'source'),
  'dataSource.device.manufacturer': kept(null, 'source'),
  'dataSource.device.formFactor': notKept('the kind of device ranks sources of summed values only'),
  ...assumed({
    'dataSource.device.model': kept(null, 'source'),
    'dataSource.application': notKept('the source is the device'),
    'dataSource.recordingMethod': notKept('a night or a day value that was typed in counts like others'),
  }),
};

/** Fields of a member with an interval. */
export function intervalFields(member: string): FieldTable {
  return {
    [`${member}.interval.startTime`]: kept(null, 'start_time'),
    [`${member}.interval.endTime`]: kept(null, 'end_time'),
    [`${member}.interval.startUtcOffset`]: kept('s', 'zone_offset'),
    ...assumed({
      [`${member}.interval.endUtcOffset`]: notKept('the offset of the start counts', 's'),
      [`${member}.interval.civilStartTime`]: notKept(civil),
      [`${member}.interval.civilEndTime`]: notKept(civil),
    }),
  };
}

/** A night. */
export const sleep: FieldTable = {
  ...point,
  ...intervalFields('sleep'),
  'sleep.metadata.nap': kept(null, 'sleep.is_nap'),
  'sleep.metadata.externalId': extra(),
  'sleep.summary.minutesInSleepPeriod': extra('min'),
  'sleep.summary.minutesAsleep': kept('min', 'sleep.asleep_seconds'),
  'sleep.summary.minutesAwake': kept('min', 'sleep.awake_seconds'),
  'sleep.summary.stagesSummary[].type': kept(null, 'sleep.deep_seconds'),
  'sleep.summary.stagesSummary[].minutes': kept('min', 'sleep.deep_seconds'),
  'sleep.stages[].startTime': kept(null, 'sleep.stage_intervals'),
  'sleep.stages[].endTime': kept(null, 'sleep.stage_intervals'),
  'sleep.stages[].type': kept(null, 'sleep.stage_intervals'),
  ...assumed({
    'sleep.metadata.stagesStatus': kept(null, 'sleep.validation'),
    'sleep.summary.minutesToFallAsleep': kept('min', 'sleep.latency_seconds'),
    'sleep.summary.minutesAfterWakeUp': extra('min'),
    'sleep.summary.stagesSummary[].count': extra('count'),
    'sleep.type': extra(),
    'sleep.metadata.mainSleep': extra(),
    'sleep.metadata.processed': notKept('the state of the computation: its end is a change of the night'),
    'sleep.stages[].startUtcOffset': notKept('the offset of the session counts', 's'),
    'sleep.stages[].endUtcOffset': notKept('the offset of the session counts', 's'),
    'sleep.createTime': notKept(stamp),
    'sleep.updateTime': notKept(stamp),
  }),
};

/** An exercise. */
export const exercise: FieldTable = {
  ...point,
  ...intervalFields('exercise'),
  'exercise.exerciseType': kept(null, 'workout.type', 'workout.raw_type'),
  'exercise.activeDuration': kept('s', 'workout.moving_seconds'),
  'exercise.metricsSummary.caloriesKcal': kept('kcal', 'workout.calories_kcal'),
  'exercise.metricsSummary.distanceMillimeters': kept('mm', 'workout.distance_meters'),
  'exercise.metricsSummary.steps': kept('count', 'workout.steps'),
  'exercise.metricsSummary.averageSpeedMillimetersPerSecond': kept(
    'mm/s',
    'workout.avg_pace_sec_per_km',
    'details.avg_speed_meters_per_second',
  ),
  'exercise.metricsSummary.averageHeartRateBeatsPerMinute': kept('bpm', 'workout.avg_heart_rate_bpm'),
  'exercise.metricsSummary.mobilityMetrics.avgCadenceStepsPerMinute': kept(
    'steps/min',
    'details.avg_cadence_rpm',
  ),
  'exercise.metricsSummary.elevationGainMillimeters': kept('mm', 'workout.elevation_gain_meters'),
  ...assumed({
    'dataSource.recordingMethod': kept(null, 'workout.manual'),
    'exercise.displayName': kept(null, 'workout.name'),
    'exercise.notes': kept(null, 'details.description'),
    'exercise.metricsSummary.maxHeartRateBeatsPerMinute': kept('bpm', 'workout.max_heart_rate_bpm'),
    'exercise.metricsSummary.averagePaceSecondsPerMeter': extra('s/m'),
    'exercise.metricsSummary.activeZoneMinutes': extra('min'),
    'exercise.metricsSummary.runVo2Max': extra('ml/kg/min'),
    ...under('exercise.metricsSummary.heartRateZoneDurations', {
      ...extras('lightTime', 'moderateTime', 'vigorousTime', 'peakTime'),
    }),
    'exercise.exerciseEvents': notKept('starts and pauses: `activeDuration` is the time without pauses'),
    'exercise.exerciseMetadata': notKept('recordings of it are empty'),
    'exercise.createTime': notKept(stamp),
    'exercise.updateTime': notKept(stamp),
  }),
};
