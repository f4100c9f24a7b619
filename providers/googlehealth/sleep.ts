import { assumed, extra, type FieldTable, kept, notKept, under } from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, instantWithOffset, isItem, numberOf, valueAt } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import { mostStageSpans, type StageSpan } from '../../domain/records/records.ts';
import { common, intervalFields, invalid, point, sessionOf, stamps } from './point.ts';

const fields: FieldTable = {
  ...point,
  ...intervalFields('sleep'),
  ...under('sleep', {
    'metadata.nap': kept(null, 'sleep.is_nap'),
    'metadata.externalId': extra(),
    'summary.minutesInSleepPeriod': extra('min'),
    'summary.minutesAsleep': kept('min', 'sleep.asleep_seconds'),
    'summary.minutesAwake': kept('min', 'sleep.awake_seconds'),
    'summary.stagesSummary[].type': kept(null, 'sleep.deep_seconds'),
    'summary.stagesSummary[].minutes': kept('min', 'sleep.deep_seconds'),
    'stages[].startTime': kept(null, 'sleep.stage_intervals'),
    'stages[].endTime': kept(null, 'sleep.stage_intervals'),
    'stages[].type': kept(null, 'sleep.stage_intervals'),
    ...assumed({
      'metadata.stagesStatus': kept(null, 'sleep.validation'),
      'summary.minutesToFallAsleep': kept('min', 'sleep.latency_seconds'),
      'summary.minutesAfterWakeUp': extra('min'),
      'summary.stagesSummary[].count': extra('count'),
      type: extra(),
      'metadata.mainSleep': extra(),
      'metadata.processed': notKept('the state of the computation: its end is a change of the night'),
      'stages[].startUtcOffset': notKept('the offset of the session counts', 's'),
      'stages[].endUtcOffset': notKept('the offset of the session counts', 's'),
      ...stamps,
    }),
  }),
};

const stageNames: Readonly<Record<string, StageSpan[0]>> = {
  ...{ AWAKE: 'awake', WAKE: 'awake', RESTLESS: 'light', ASLEEP: 'light' },
  ...{ LIGHT: 'light', DEEP: 'deep', REM: 'rem' },
};

const listAt = (night: Item, ...path: readonly string[]): readonly Item[] => {
  const found = valueAt(night, ['sleep', ...path]);
  return Array.isArray(found) ? found.filter(isItem) : [];
};

function ofNight(draft: Draft, night: Item): Draft | string {
  const session = sessionOf(draft, night);
  if (session === null) return invalid;
  const { start_time: startMs, end_time: endMs, sleep = {} } = session;
  const spans = spansOf(listAt(night, 'stages'), startMs);
  const seconds = (stage: StageSpan[0]) =>
    spans === null ? summarised(stage, listAt(night, 'summary', 'stagesSummary')) : inSpans(stage, spans);
  const [deep, light, rem, awake] = [seconds('deep'), seconds('light'), seconds('rem'), seconds('awake')];
  const [staged, inBed] = [(deep ?? 0) + (light ?? 0) + (rem ?? 0), Math.round((endMs - startMs) / 1000)];
  const isInterruption = ([stage, from, to]: StageSpan) => stage === 'awake' && from > 0 && to < inBed;
  return {
    ...session,
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
      const stage = stageNames[String(type)];
      return stage === undefined ? [] : [[stage, second(startTime), second(endTime)]];
    })
    .filter(([, from, to]) => from < to)
    .sort((a, b) => a[1] - b[1]);
  return spans.length === 0 || spans.length > mostStageSpans ? null : spans;
}

const inSpans = (stage: StageSpan[0], spans: readonly StageSpan[]): number =>
  spans.reduce((sum, [name, from, to]) => sum + (name === stage ? to - from : 0), 0);

// The summary has the minutes of a stage if there are no intervals.
function summarised(stage: StageSpan[0], summary: readonly Item[]): number | null {
  const own = summary.filter(({ type }) => stageNames[String(type)] === stage);
  const minutes = own.flatMap((one) => numberOf(one.minutes) ?? []);
  return minutes.length === 0 ? null : Math.round(minutes.reduce((sum, one) => sum + one, 0) * 60);
}

/** Nights. */
export const sleep: RecordType = {
  ...common,
  fields,
  extraAt: ['sleep', 'sleep.summary', 'sleep.metadata'],
  complete: ofNight,
};
