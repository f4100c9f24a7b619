import {
  assumed,
  computed,
  decides,
  each,
  extra,
  type FieldReader,
  type FieldTable,
  kept,
  notKept,
  under,
} from '../../domain/provider/field-table.ts';
import type { Draft, Point } from '../../domain/recipe/draft.ts';
import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import { mostStageSpans, type StageSpan, sleepRanks } from '../../domain/records/records.ts';
import { dayMs } from '../../domain/time/time.ts';
import { dataOf, device, importedDevice, isReadable, ofDevice, onlyRead, zoneAt } from './rows.ts';

const devices = new Map([
  ['16', 'Sleep tracker'],
  ['32', 'Sleep mat'],
]);
const otherDevice = 'Sleep sensor';

/** The averages of the first and of the last part of the night. */
const variability: FieldReader = (_, night): Point[] => {
  const { rmssd_start_avg: first, rmssd_end_avg: last } = dataOf(night);
  return [
    [night.startdate, first],
    [night.enddate, last],
  ].flatMap(([seconds, value]): Point[] =>
    typeof value === 'number' && value >= 1 ? [[Number(seconds) * 1000, value]] : [],
  );
};

const timeAwake: FieldReader = (inBed, night) => {
  const { total_sleep_time: asleep } = dataOf(night);
  return typeof inBed === 'number' && typeof asleep === 'number' ? Math.max(0, inBed - asleep) : null;
};

/** The figures of a night. */
export const nightData: FieldTable = {
  total_timeinbed: computed(timeAwake, 's', 'sleep.awake_seconds'),
  ...each(kept('s', 'sleep.asleep_seconds'), 'total_sleep_time', 'asleepduration'),
  lightsleepduration: kept('s', 'sleep.light_seconds'),
  deepsleepduration: kept('s', 'sleep.deep_seconds'),
  remsleepduration: kept('s', 'sleep.rem_seconds'),
  // Without the time to fall asleep and after waking, so that it is no time awake of the night.
  waso: extra('s'),
  wakeupcount: kept('count', 'sleep.interruptions'),
  rmssd_start_avg: computed(variability, 'ms', 'series.heart_rate_variability_rmssd'),
  rmssd_end_avg: computed(variability, 'ms', 'series.heart_rate_variability_rmssd'),
  sleep_score: kept('0-100', 'sleep.score'),
  sleep_latency: kept('s', 'sleep.latency_seconds'),
  sleep_efficiency: extra('0-1'),
  ...each(extra('bpm'), 'hr_average', 'hr_min', 'hr_max'),
  ...each(extra('breaths/min'), 'rr_average', 'rr_min', 'rr_max'),
  ...assumed({
    durationtosleep: kept('s', 'sleep.latency_seconds'),
    ...each(extra('s'), 'durationtowakeup', 'wakeupduration', 'wakeup_latency'),
    ...each(extra('count'), 'out_of_bed_count', 'nb_rem_episodes'),
    snoring: extra('s'),
    ...each(extra('count'), 'snoringepisodecount', 'breathing_disturbances_intensity'),
    ...each(extra('count'), 'apnea_hypopnea_index', 'withings_index', 'mvt_score_avg'),
    mvt_active_duration: extra('s'),
  }),
};

/** A night. */
export const nightFields: FieldTable = {
  id: kept(null, 'key'),
  timezone: zoneAt('startdate'),
  startdate: kept('s', 'start_time'),
  enddate: kept('s', 'end_time'),
  date: kept(null, 'date'),
  model: computed((model) => devices.get(String(model)) ?? otherDevice, null, 'source'),
  completed: computed(
    (completed) => (completed === true ? 'completed' : completed === false ? 'not_completed' : null),
    null,
    ...(['sleep.validation', 'sleep.rank'] as const),
  ),
  modified: onlyRead,
  ...device,
  ...assumed({ created: onlyRead }),
  ...under('data', nightData),
};

/** The values of a map by seconds since 1970. */
const points: FieldReader = (map) =>
  Object.entries(isItem(map) ? map : {}).flatMap(([epoch, value]): Point[] =>
    /^\d{1,12}$/.test(epoch) && typeof value === 'number' ? [[Number(epoch) * 1000, value]] : [],
  );

const samples: FieldTable = {
  hr: computed(points, 'bpm', 'series.heart_rate'),
  rr: computed(points, 'breaths/min', 'series.respiratory_rate'),
};

/** A time in one stage. */
export const stages: FieldTable = {
  ...each(decides('s', 'sleep.stage_intervals'), 'startdate', 'enddate'),
  state: decides(null, 'sleep.stage_intervals'),
  ...samples,
  snoring: notKept('the catalogue has no such series; the night has the time', 's'),
  ...assumed({ model: ofDevice }),
};

/** Stages by number. Others, such as stages that were typed in, are not measured. */
const stageNames = new Map<string, StageSpan[0]>([
  ['0', 'awake'],
  ['1', 'light'],
  ['2', 'deep'],
  ['3', 'rem'],
]);

// Stages have a state, nights have none. A night has the samples of all of its stages.
function nightsWithStages(records: readonly unknown[]): Item[] {
  const all = records.filter(isStage);
  return records.filter(isNight).map((night) => {
    const own = all.filter(
      ({ startdate, enddate }) =>
        Number(startdate) < Number(night.enddate) && Number(enddate) > Number(night.startdate),
    );
    const together = (name: 'hr' | 'rr') => Object.assign({}, ...own.map(({ [name]: map }) => map));
    return { ...night, stages: own, hr: together('hr'), rr: together('rr') };
  });
}

const isNight = (record: unknown): record is Item => isItem(record) && !('state' in record);
const isStage = (record: unknown): record is Item =>
  isItem(record) && [record.startdate, record.enddate, record.state].every(Number.isInteger);

const longestMs = 2 * dayMs;

function ofNight(draft: Draft, night: Item): Draft | string {
  const { start_time: startMs = 0, end_time: endMs = 0 } = draft;
  if (!isReadable(draft)) return 'unreadable';
  if (endMs <= startMs || endMs - startMs > longestMs) return 'time_out_of_range';
  const imported = isImported(night);
  const isTentative = imported || night.completed === false;
  return {
    ...draft,
    ...(imported ? { source: importedDevice } : {}),
    sleep: {
      ...timesOf(draft, spansOf(night.stages, startMs / 1000, endMs / 1000)),
      rank: isTentative ? sleepRanks.tentative : sleepRanks.final,
    },
    series: { ...draft.series },
  };
}

// A night without a time asleep of its own stages was sent by another maker's app. It gives way to any of the user's own devices.
function isImported(night: Item): boolean {
  const { total_sleep_time: total, lightsleepduration: light, asleepduration } = dataOf(night);
  return typeof total !== 'number' && typeof light !== 'number' && typeof asleepduration === 'number';
}

// The times in stages are those of the summary, but for the time awake, which the stages have more exactly.
function timesOf({ sleep = {} }: Draft, spans: StageSpan[] | null): NonNullable<Draft['sleep']> {
  const { awake_seconds, asleep_seconds, ...others } = sleep;
  const { deep_seconds = null, light_seconds = null, rem_seconds = null } = sleep;
  const isStaged = (deep_seconds ?? 0) + (light_seconds ?? 0) + (rem_seconds ?? 0) > 0;
  return {
    ...others,
    deep_seconds,
    light_seconds,
    rem_seconds,
    stage_intervals: spans,
    ...(spans === null && awake_seconds !== undefined ? { awake_seconds } : {}),
    ...(isStaged || asleep_seconds === undefined ? {} : { asleep_seconds }),
  };
}

/** The stages of a night as seconds after its start, sorted; null without any. They are cut at the ends of the night. */
function spansOf(own: unknown, start: number, end: number): StageSpan[] | null {
  const second = (value: unknown) => Math.round(Math.min(Math.max(Number(value), start), end) - start);
  const spans = (Array.isArray(own) ? own.filter(isItem) : [])
    .map(({ startdate, enddate, state }): StageSpan => {
      return [stageNames.get(String(state)) ?? 'unmeasurable', second(startdate), second(enddate)];
    })
    .filter(([, from, to]) => from < to)
    .sort((a, b) => a[1] - b[1] || a[2] - b[2]);
  return spans.length === 0 || spans.length > mostStageSpans ? null : spans;
}

/** Nights with their stages, heart rates and respiration. No other data has the names of their devices. */
export const sleep: RecordType = {
  fields: { ...samples, ...nightFields },
  device: otherDevice,
  devices: [...devices.values(), otherDevice, importedDevice],
  extraAt: ['data'],
  supersede: 'sleep',
  join: nightsWithStages,
  complete: ofNight,
};
