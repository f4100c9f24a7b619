import { z } from 'zod';
import { bareItem, type SampleBlock, type SleepRecord, sleepRanks } from '../../../domain/records/records.ts';
import { CalendarDate, knownLocalDate } from '../../../domain/time/time.ts';
import {
  count,
  head,
  instantMs,
  instantReason,
  list,
  map,
  measure,
  type Normalised,
  type Normaliser,
  offsetMinutes,
  type Problem,
  readItem,
  refused,
  text,
} from './item.ts';
import { named } from './named.ts';
import { offsetSamples, type SampleOrigin } from './samples.ts';
import { sleepDetails } from './sleep-details.ts';
import { type Levels, readLevels } from './sleep-levels.ts';
import { readTimed } from './timed-item.ts';

const stageSeconds = count(0, 259_200);
const scoreReason = 'must be a number from 0 to 100';
const Score = z
  .union([z.number(), z.object({ value: z.number() }).transform(({ value }) => value)], scoreReason)
  .pipe(z.number().min(0, scoreReason).max(100, scoreReason).transform(Math.round));

const Sleep = z.object({
  ...head,
  calendarDate: CalendarDate.nullable().default(null),
  durationInSeconds: stageSeconds,
  deepSleepDurationInSeconds: stageSeconds,
  lightSleepDurationInSeconds: stageSeconds,
  remSleepInSeconds: stageSeconds,
  awakeDurationInSeconds: stageSeconds,
  unmeasurableSleepInSeconds: stageSeconds,
  sleepLevelsMap: map,
  naps: list,
  timeOffsetSleepSpo2: map,
  timeOffsetSleepRespiration: map,
  validation: text(40),
  overallSleepScore: Score.nullable().default(null),
});

const Nap = z.object({
  napStartTimeInSeconds: z.number('must be a number'),
  napDurationInSeconds: z
    .number('must be a number')
    .min(1, 'must be 1 to 86400')
    .max(86_400, 'must be 1 to 86400'),
  napOffsetInSeconds: measure(-64_800, 64_800),
});

type Sleep = z.output<typeof Sleep>;

/**
 * A night becomes one session with its stages, and each nap a session of its own. Oxygen and respiration become
 * samples. An item with naps only has no main session.
 */
export const normaliseSleep: Normaliser = named(
  { unmeasurableSleepInSeconds: ['unmeasurableSleepInSeconds', 'unmeasurableSleepDurationInSeconds'] },
  normaliseNight,
);

function normaliseNight(item: unknown, nowMs: number): Normalised {
  const read = readTimed(Sleep, [], item, nowMs);
  if (!read.ok) return read;
  const { fields, origin, hash } = read;
  const levels = readLevels(fields.sleepLevelsMap, origin.startMs);
  const details = sleepDetails(item, fields.validation);
  const main = mainSleep(fields, levels, { ...origin, details });
  const naps = readNaps(fields, origin);
  const sleeps = [...(main === null ? [] : [main]), ...naps.sleeps];
  if (sleeps.length === 0) return refused('durationInSeconds', 'is required: nothing else tells an end');
  const samples = readSamples(fields, origin);
  const record = {
    ...bareItem,
    data_type: 'sleeps',
    key: String(fields.startTimeInSeconds),
    hash,
    supersede: 'sleep' as const,
    duration_seconds: main === null ? 0 : Math.round((main.end_ms - main.start_ms) / 1000),
    sleeps,
    samples: samples.blocks,
  };
  const problems = [...read.problems, ...levels.problems, ...naps.problems, ...samples.problems];
  return { ok: true, item: record, problems };
}

function mainSleep(
  fields: Sleep,
  levels: Levels,
  { details, ...origin }: SampleOrigin & Pick<SleepRecord, 'details'>,
): SleepRecord | null {
  const staged = {
    deep_seconds: fields.deepSleepDurationInSeconds ?? levels.seconds('deep'),
    light_seconds: fields.lightSleepDurationInSeconds ?? levels.seconds('light'),
    rem_seconds: fields.remSleepInSeconds ?? levels.seconds('rem'),
    awake_seconds: fields.awakeDurationInSeconds ?? levels.seconds('awake'),
  };
  const stages = { ...staged, unmeasurable_seconds: fields.unmeasurableSleepInSeconds };
  const { startMs } = origin;
  const endMs = Math.max(
    startMs + total(stages) * 1000,
    startMs + (fields.durationInSeconds ?? 0) * 1000,
    levels.lastEndMs ?? startMs,
  );
  if (endMs <= startMs) return null;
  return {
    ...session(startMs, endMs, origin),
    ...(fields.calendarDate === null ? {} : { date: fields.calendarDate }),
    ...stages,
    is_nap: false,
    rank: rankOf(fields.validation),
    asleep_seconds: asleepOf(stages, (endMs - startMs) / 1000),
    interruptions: hasAwakeIntervals(staged, levels) ? levels.interruptions(startMs, endMs) : null,
    score: fields.overallSleepScore,
    stage_intervals: levels.spans(startMs),
    details,
  };
}

// An empty list of awake intervals counts as a measurement only if other stages were measured.
function hasAwakeIntervals(staged: Parameters<typeof total>[0], levels: Levels): boolean {
  const isUnlisted = levels.seconds('awake') === 0 && (staged.awake_seconds ?? 0) > 0;
  return total(staged) > 0 && !isUnlisted;
}

// `durationInSeconds` usually excludes awake time, so the end is the latest time that any field reports.
function session(startMs: number, endMs: number, origin: SampleOrigin) {
  return {
    start_ms: startMs,
    end_ms: endMs,
    zone_offset_minutes: origin.zoneOffsetMinutes,
    date: knownLocalDate(endMs, origin.zoneOffsetMinutes),
    device: origin.device,
  };
}

function total(seconds: Readonly<Record<string, number | null>>): number {
  return Object.values(seconds).reduce<number>((sum, one) => sum + (one ?? 0), 0);
}

type Stages = Pick<SleepRecord, 'deep_seconds' | 'light_seconds' | 'rem_seconds' | 'awake_seconds'>;

function asleepOf(stages: Stages, sessionSeconds: number): number {
  const asleep = (stages.deep_seconds ?? 0) + (stages.light_seconds ?? 0) + (stages.rem_seconds ?? 0);
  if (asleep > 0) return asleep;
  return Math.max(0, Math.round(sessionSeconds - (stages.awake_seconds ?? 0)));
}

function rankOf(validation: string | null): number {
  if (validation === null) return sleepRanks.unknown;
  if (/(FINAL|MANUAL)$/i.test(validation)) return sleepRanks.final;
  return /TENTATIVE$/i.test(validation) ? sleepRanks.tentative : sleepRanks.unknown;
}

const mostNaps = 40;

function readNaps(fields: Sleep, origin: SampleOrigin): { sleeps: SleepRecord[]; problems: Problem[] } {
  const sleeps: SleepRecord[] = [];
  const problems: Problem[] = [];
  for (const [index, nap] of (fields.naps ?? []).entries()) {
    const read = readItem(Nap, ['napStartTimeInSeconds', 'napDurationInSeconds'], nap);
    const field = `naps[${index}]`;
    problems.push(...read.problems.map((one) => ({ ...one, field: `${field}.${one.field}` })));
    const startMs = read.ok ? instantMs(read.fields.napStartTimeInSeconds, origin.nowMs) : null;
    if (read.ok && startMs !== null && sleeps.length < mostNaps)
      sleeps.push(napOf(read.fields, startMs, fields, origin));
    else if (read.ok)
      problems.push({ field, reason: startMs === null ? instantReason : `only ${mostNaps} are taken` });
  }
  return { sleeps, problems };
}

function napOf(nap: z.output<typeof Nap>, startMs: number, fields: Sleep, origin: SampleOrigin): SleepRecord {
  const seconds = Math.round(nap.napDurationInSeconds);
  const zoneOffsetMinutes = offsetMinutes(nap.napOffsetInSeconds) ?? origin.zoneOffsetMinutes;
  return {
    ...session(startMs, startMs + seconds * 1000, { ...origin, zoneOffsetMinutes }),
    is_nap: true,
    rank: rankOf(fields.validation),
    asleep_seconds: seconds,
    deep_seconds: null,
    light_seconds: null,
    rem_seconds: null,
    awake_seconds: null,
    unmeasurable_seconds: null,
    interruptions: null,
    score: null,
    stage_intervals: null,
    details: null,
  };
}

function readSamples(fields: Sleep, origin: SampleOrigin): { blocks: SampleBlock[]; problems: Problem[] } {
  const oxygen = offsetSamples(
    'timeOffsetSleepSpo2',
    'oxygen_saturation',
    fields.timeOffsetSleepSpo2,
    origin,
  );
  const breaths = fields.timeOffsetSleepRespiration;
  const breathing = offsetSamples('timeOffsetSleepRespiration', 'respiratory_rate', breaths, origin);
  return {
    blocks: [oxygen.block, breathing.block].filter((block) => block !== null),
    problems: [...oxygen.problems, ...breathing.problems],
  };
}
