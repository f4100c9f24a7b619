import { extraOf } from '../../../domain/provider/extra-fields.ts';
import { assumed, decides, extra, type FieldTable, kept } from '../../../domain/provider/field-table.ts';
import { sleepOf } from '../../../domain/recipe/item-of-record.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import {
  mostStageSpans,
  type SleepRecord,
  type SleepScorePart,
  type StageSpan,
  sleepRanks,
} from '../../../domain/records/records.ts';
import { SleepStageName } from '../../../domain/wire.ts';
import {
  type Check,
  fieldReader,
  idOf,
  listOf,
  mapOf,
  numberIn,
  offsetOf,
  secondsOf,
  textOf,
  Unusable,
} from '../normalise/checks.ts';
import {
  cleanText,
  instantMs,
  instantReason,
  type Problem,
  type Refused,
  refused,
} from '../normalise/item.ts';
import { itemType } from '../normalise/item-type.ts';
import { rangeOf } from '../normalise/ranges.ts';
import { byOffset, type ReadItem } from '../normalise/read-item.ts';
import { head } from './common.ts';

const noScore = new Unusable('must be a number from 0 to 100');
const scoreOf: Check<number> = (sent) => {
  const score = isItem(sent) ? sent.value : sent;
  return typeof score === 'number' && score >= 0 && score <= 100 ? Math.round(score) : noScore;
};

/** The checks of fields of a night that no end has alone. */
const sleepChecks = {
  summaryId: idOf,
  durationInSeconds: numberIn(rangeOf('sleep', '', 's'), 1, true),
  sleepLevelsMap: mapOf,
  naps: listOf,
  validation: textOf(40),
  overallSleepScore: scoreOf,
};

/** A night becomes one session with its stages, and each nap one of its own. An item with naps only has no main session. */
function withSleeps(read: ReadItem, fields: FieldTable): ReadItem | Refused {
  const { item, startMs } = read;
  const problems = [...read.problems];
  const field = fieldReader(item, []);
  const seconds = field('durationInSeconds', sleepChecks.durationInSeconds) ?? 0;
  const levels = levelsOf(field('sleepLevelsMap', mapOf) ?? {}, startMs, problems);
  const naps = field('naps', listOf) ?? [];
  const validation = field('validation', sleepChecks.validation);
  const score = field('overallSleepScore', scoreOf);
  const rank = rankOf(validation);
  const score_parts = scoreParts(item.sleepScores);
  const score_qualifier = isItem(item.overallSleepScore)
    ? shortText(item.overallSleepScore.qualifierKey)
    : null;
  const sleep = { ...read.draft.sleep, rank, score, validation, score_qualifier, score_parts };
  const night = nightOf({ ...read, draft: { ...read.draft, sleep } }, levels, seconds, fields);
  const sleeps = [...night, ...napsOf(read, naps, rank, problems)];
  if (sleeps.length === 0) return refused('durationInSeconds', 'is required: nothing else tells an end');
  const [{ start_ms = 0, end_ms = 0 } = {}] = night;
  const { sleep: _, ...others } = read.draft;
  const draft = { ...others, duration_seconds: Math.round((end_ms - start_ms) / 1000) };
  return { ...read, problems, draft, parts: { sleeps, day_values: null } };
}

// `durationInSeconds` usually excludes awake time, so the end is the latest time that any field reports.
function nightOf(read: ReadItem, levels: Levels, seconds: number, fields: FieldTable): SleepRecord[] {
  const { startMs, item, draft } = read;
  const { sleep = {} } = draft;
  const staged = {
    deep_seconds: sleep.deep_seconds ?? secondsOfAll(levels.get('deep')),
    light_seconds: sleep.light_seconds ?? secondsOfAll(levels.get('light')),
    rem_seconds: sleep.rem_seconds ?? secondsOfAll(levels.get('rem')),
    awake_seconds: sleep.awake_seconds ?? secondsOfAll(levels.get('awake')),
  };
  const total = Object.values(staged).reduce<number>((sum, one) => sum + (one ?? 0), 0);
  const longest = Math.max(total + (sleep.unmeasurable_seconds ?? 0), seconds);
  const ends = [...levels.values()].flat().map(({ endMs }) => endMs);
  const endMs = ends.reduce((a, b) => Math.max(a, b), startMs + longest * 1000);
  if (endMs <= startMs) return [];
  const stage_intervals = spansOf(levels, startMs);
  const { awake_seconds } = staged;
  // The span is the time asleep, as `durationInSeconds` is, and what the device measured as awake.
  const asleep_seconds = Math.max(0, Math.round((endMs - startMs) / 1000) - (awake_seconds ?? 0));
  const unstaged = total > (awake_seconds ?? 0) ? {} : { asleep_seconds };
  // Naps have a list of their own.
  const whole = { ...draft, sleep: { is_nap: false, ...sleep, ...staged, ...unstaged, stage_intervals } };
  // An empty list of awake intervals counts as a measurement only if other stages were measured.
  const awake = total > 0 ? levels.get('awake') : undefined;
  const isUnlisted = secondsOfAll(awake) === 0 && (awake_seconds ?? 0) > 0;
  const inside = awake?.filter((one) => one.startMs > startMs && one.endMs < endMs);
  const interruptions = isUnlisted || ends.length === 0 ? null : (inside?.length ?? null);
  const night = sleepOf({ ...read, endMs, draft: whole }, extraOf(item, fields));
  return [{ ...night, awake_seconds, interruptions }];
}

function rankOf(validation: string | null): number {
  if (validation === null) return sleepRanks.unknown;
  if (/(FINAL|MANUAL)$/i.test(validation)) return sleepRanks.final;
  return /TENTATIVE$/i.test(validation) ? sleepRanks.tentative : sleepRanks.unknown;
}

/** The stages of a night as intervals, in milliseconds. */
type Levels = ReadonlyMap<string, readonly Interval[]>;

interface Interval {
  readonly startMs: number;
  readonly endMs: number;
}

// An invalid interval is left out and counted.
function levelsOf(map: Item, startMs: number, problems: Problem[]): Levels {
  const levels = new Map<string, Interval[]>();
  let left = 0;
  for (const [stage, intervals] of Object.entries(map)) {
    const raw: readonly unknown[] = Array.isArray(intervals) ? intervals : [null];
    const read = raw.flatMap((interval) => intervalOf(interval, startMs) ?? []);
    left += raw.length - read.length;
    if (read.length > 0 || raw.length === 0) levels.set(stage, read);
  }
  if (left > 0)
    problems.push({ field: 'sleepLevelsMap', reason: `${left} intervals left out: no start and end` });
  return levels;
}

// A sleep lasts less than three days. A longer span comes from a clock that was set meanwhile.
const farthestMs = 3 * 86_400_000;

function intervalOf(interval: unknown, fromMs: number): Interval | null {
  if (!isItem(interval)) return null;
  const { startTimeInSeconds: start, endTimeInSeconds: end } = interval;
  if (typeof start !== 'number' || typeof end !== 'number' || end < start) return null;
  const [startMs, endMs] = [start * 1000, end * 1000];
  const isNear = Math.abs(startMs - fromMs) <= farthestMs && Math.abs(endMs - fromMs) <= farthestMs;
  return isNear ? { startMs, endMs } : null;
}

// Null: the map does not contain the stage.
function secondsOfAll(intervals: readonly Interval[] | undefined): number | null {
  if (intervals === undefined) return null;
  return Math.round(intervals.reduce((sum, one) => sum + (one.endMs - one.startMs) / 1000, 0));
}

/** The intervals of known stages, sorted by start, in seconds after `fromMs`. Null if there are none, or too many. */
function spansOf(levels: Levels, fromMs: number): StageSpan[] | null {
  const second = (ms: number) => Math.round((ms - fromMs) / 1000);
  const spans = SleepStageName.options.flatMap((stage) =>
    (levels.get(stage) ?? []).map((one): StageSpan => [stage, second(one.startMs), second(one.endMs)]),
  );
  if (spans.length === 0 || spans.length > mostStageSpans) return null;
  return spans.filter(([, first, last]) => first < last).sort((a, b) => a[1] - b[1] || a[2] - b[2]);
}

const mostNaps = 40;
const napSeconds = numberIn({ least: 1, most: 86_400 }, 1, true);

function napsOf(read: ReadItem, naps: readonly unknown[], rank: number, problems: Problem[]): SleepRecord[] {
  const sleeps: SleepRecord[] = [];
  for (const [index, nap] of naps.entries()) {
    const path = `naps[${index}]`;
    if (!isItem(nap)) {
      problems.push({ field: `${path}.`, reason: 'must be an object' });
      continue;
    }
    const field = fieldReader(nap, problems, `${path}.`);
    const start = field('napStartTimeInSeconds', secondsOf, true);
    const asleep_seconds = field('napDurationInSeconds', napSeconds, true);
    const offset = field('napOffsetInSeconds', offsetOf) ?? read.offset;
    if (start === null || asleep_seconds === null) continue;
    const startMs = instantMs(start, read.nowMs);
    if (startMs === null) problems.push({ field: path, reason: instantReason });
    else if (sleeps.length >= mostNaps) problems.push({ field: path, reason: `only ${mostNaps} are taken` });
    else {
      const draft = { sleep: { is_nap: true, rank, asleep_seconds } };
      sleeps.push(sleepOf({ ...read, startMs, endMs: startMs + asleep_seconds * 1000, offset, draft }, null));
    }
  }
  return sleeps;
}

const longestText = 60;
const mostParts = 30;

// `{ totalDuration: { qualifierKey: 'FAIR', value: 70 } }`; the value is optional.
function scoreParts(scores: unknown): SleepScorePart[] {
  const entries = isItem(scores) ? Object.entries(scores).slice(0, mostParts) : [];
  return entries.flatMap(([key, part]) => {
    const name = shortText(key);
    const given = isItem(part) ? part.value : part;
    const value = typeof given === 'number' && Number.isFinite(given) ? given : null;
    const qualifier = isItem(part) ? shortText(part.qualifierKey) : null;
    return name === null || (value === null && qualifier === null) ? [] : [{ name, value, qualifier }];
  });
}

function shortText(value: unknown): string | null {
  return typeof value === 'string' ? cleanText(value, longestText) || null : null;
}

/** A night with its naps. */
export const sleeps = itemType(
  'sleeps',
  {
    ...head,
    durationInSeconds: kept('s', 'end_time'),
    calendarDate: kept(null, 'date'),
    deepSleepDurationInSeconds: kept('s', 'sleep.deep_seconds'),
    lightSleepDurationInSeconds: kept('s', 'sleep.light_seconds'),
    remSleepInSeconds: kept('s', 'sleep.rem_seconds'),
    awakeDurationInSeconds: kept('s', 'sleep.awake_seconds'),
    unmeasurableSleepInSeconds: kept('s', 'sleep.unmeasurable_seconds'),
    sleepLevelsMap: decides('s', 'sleep.stage_intervals', 'sleep.interruptions'),
    'naps[].napStartTimeInSeconds': kept('s', 'sleep.start_ms'),
    'naps[].napDurationInSeconds': kept('s', 'sleep.asleep_seconds'),
    'naps[].napOffsetInSeconds': kept('s', 'zone_offset'),
    timeOffsetSleepSpo2: byOffset('percent', 'series.oxygen_saturation'),
    timeOffsetSleepRespiration: byOffset('breaths/min', 'series.respiratory_rate'),
    validation: decides(null, 'sleep.validation', 'sleep.rank'),
    'overallSleepScore.value': kept('0-100', 'sleep.score'),
    ...assumed({
      unmeasurableSleepDurationInSeconds: kept('s', 'sleep.unmeasurable_seconds'),
      'overallSleepScore.qualifierKey': kept(null, 'sleep.score_qualifier'),
      sleepScores: decides('0-100', 'sleep.score_parts'),
      totalNapDurationInSeconds: extra('s'),
      'naps[].napValidation': extra(),
    }),
  },
  {
    supersede: 'sleep',
    spellings: {
      unmeasurableSleepInSeconds: ['unmeasurableSleepInSeconds', 'unmeasurableSleepDurationInSeconds'],
    },
    checks: sleepChecks,
    complete: withSleeps,
  },
);
