import { hash } from 'node:crypto';
import { extraOf, extrasTogether } from '../provider/extra-fields.ts';
import { type FieldTable, isExtra } from '../provider/field-table.ts';
import type { DayValuesRecord } from '../records/day-values.ts';
import { isNapByTimes } from '../records/naps.ts';
import {
  bareItem,
  type DayRecord,
  type SleepRecord,
  type StoreItem,
  type Supersede,
  sleepRanks,
  type WorkoutRecord,
} from '../records/records.ts';
import { type ScoreRecord, scoreKinds } from '../records/scores.ts';
import { dateToMs, dayMs } from '../time/time.ts';
import { hasExtras, sentDetails } from '../workouts/details.ts';
import { workoutTypeNamed } from '../workouts/sport-names.ts';
import type { Draft } from './draft.ts';
import { fileSamples } from './file-parts.ts';
import { dateOf, type Made } from './made.ts';
import { type Item, isItem, valueAt } from './read-fields.ts';
import { blocksOf, eventOf } from './sample-blocks.ts';

/** What decides how a record is stored, beside its draft. */
export interface RecordRules {
  readonly fields: FieldTable;
  /** The parts of an item with extra fields. They are kept by their own names alone. Omitted: by their whole paths. */
  readonly extraAt?: readonly string[];
  /**
   * The rule for versions of one key. Omitted: `latest`. Nights that overlap are compared under every rule, and under `latest` a night
   * replaces that of its own key in any case.
   */
  readonly supersede?: Supersede;
  /** A record without an offset has the clock and the day of the item of this type with the same key. */
  readonly clockOf?: string;
}

/** The store item of a record: a workout, a night, a day, scores, with its samples. */
export function itemOfRecord(name: string, rules: RecordRules, made: Made): StoreItem {
  const { draft, startMs } = made;
  const extra = extraFields(rules, made);
  const workout = draft.workout === undefined ? null : workoutOf(made);
  const values = draft.day_values ?? {};
  const samples = [...(draft.series === undefined ? [] : blocksOf([made])), ...fileSamples(made)];
  const isDay =
    Object.keys(values).length > 0 || (extra !== null && workout === null && draft.sleep === undefined);
  const whole = {
    ...bareItem,
    data_type: name,
    key: (draft.key ?? draft.date ?? String(startMs)).slice(0, 200),
    // A night that the provider computed again replaces the stored one, also if it is shorter, but a tentative one no final one.
    supersede:
      draft.sleep?.rank === sleepRanks.tentative
        ? ('sleep' as const)
        : (rules.supersede ?? ('latest' as const)),
    duration_seconds: durationOf(made),
    workout,
    extras: workout === null ? null : extrasOf(draft, extra),
    sleeps: draft.sleep === undefined ? [] : [sleepOf(made, extra)],
    day: draft.day === undefined ? null : dayOf(made),
    day_values: isDay ? { ...placeOf(made), values, extra: draft.sleep === undefined ? extra : null } : null,
    other: eventOf([made]),
    scores: scoresOf(made),
    samples,
    samples_kept: made.keepsSamples === true && samples.length === 0,
  };
  const placing = { is_local: made.isLocal ?? false, clock_of: rules.clockOf ?? null };
  const own = made.hash ?? hashOf({ ...whole, ...placing });
  // Positions are in no other part of the item: another file of the same figures is another version.
  const hash = made.file === undefined ? own : hashOfTexts(own, made.file.hash);
  return Object.assign(whole, placing, { hash });
}

/** A part of an item with extra fields. What is named as a part of its own within it is no field of it. */
interface ExtraPart {
  readonly path: readonly string[];
  readonly within: ReadonlySet<string>;
}

const extraParts = new WeakMap<FieldTable, readonly ExtraPart[]>();

function extraPartsOf({ fields, extraAt = [''] }: RecordRules): readonly ExtraPart[] {
  const known = extraParts.get(fields);
  if (known !== undefined) return known;
  const parts = extraAt.map((path) => {
    const within = extraAt.filter((one) => one.startsWith(`${path}.`));
    return {
      path: path.split('.').filter((name) => name !== ''),
      within: new Set(within.map((one) => one.slice(path.length + 1))),
    };
  });
  const made = Object.values(fields).some(isExtra) ? parts : [];
  extraParts.set(fields, made);
  return made;
}

function extraFields(rules: RecordRules, { item }: Made): ReturnType<typeof extraOf> {
  const [part, ...others] = extraPartsOf(rules);
  if (part === undefined) return null;
  const first = extraOfPart(item, part, rules.fields);
  return others.length === 0
    ? first
    : extrasTogether(first, ...others.map((one) => extraOfPart(item, one, rules.fields)));
}

function extraOfPart(item: Item, { path, within }: ExtraPart, fields: FieldTable) {
  const value = valueAt(item, path);
  if (within.size === 0 || !isItem(value)) return extraOf(value, fields, ...path);
  const own = Object.entries(value).filter(([name]) => !within.has(name));
  return extraOf(Object.fromEntries(own), fields, ...path);
}

// Without what the item has not, so that a further part of items does not change the hashes of those without it.
function hashOf({ is_local, ...item }: Omit<StoreItem, 'hash'>): string {
  const parts = Object.entries(is_local ? { ...item, is_local } : item).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return hash('sha256', JSON.stringify(parts));
}

const hashOfTexts = (...texts: readonly string[]): string => hash('sha256', texts.join('\n'));

const durationOf = ({ draft, startMs, endMs }: Made) =>
  draft.duration_seconds ?? Math.round((endMs - startMs) / 1000);

/** The details, laps and extra fields of a workout. Null if there are none. */
export function extrasOf(
  { details = {}, laps = null }: Draft,
  extra: ReturnType<typeof extraOf>,
): StoreItem['extras'] {
  const extras = { details: sentDetails(details), laps, splits: null, extra };
  return hasExtras(extras) ? extras : null;
}

/** A workout without figures. */
export const bareWorkout = {
  calories_kcal: null,
  avg_heart_rate_bpm: null,
  max_heart_rate_bpm: null,
  elevation_gain_meters: null,
  steps: null,
  manual: null,
  web_upload: null,
  private: null,
  is_parent: false,
  parent_id: null,
  moving_seconds: null,
  distance_meters: null,
};

function workoutOf(made: Made): WorkoutRecord {
  const { draft, startMs, endMs, offset, device } = made;
  const { workout = {} } = draft;
  const type = workout.type ?? workoutTypeNamed(workout.raw_type);
  const duration = durationOf(made);
  const [moving, meters] = [workout.moving_seconds ?? duration, workout.distance_meters ?? null];
  return {
    ...bareWorkout,
    raw_type: type,
    avg_pace_sec_per_km: moving > 0 && meters !== null && meters > 0 ? moving / (meters / 1000) : null,
    ...workout,
    type,
    name: workout.name ?? plainName(workout.raw_type ?? type),
    plain_name: workout.plain_name ?? workout.name === undefined,
    start_ms: startMs,
    end_ms: endMs,
    zone_offset_minutes: offset,
    duration_seconds: duration,
    device,
  };
}

// `trail_running` is shown as "Trail running".
function plainName(rawType: string): string {
  const words = rawType.toLowerCase().replace(/[_-]+/g, ' ').trim();
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}` || 'Workout';
}

/** A night or a nap. */
export function sleepOf(made: Made, extra: ReturnType<typeof extraOf>): SleepRecord {
  const { draft, startMs, endMs, offset, device } = made;
  const { validation, score_qualifier, score_parts, latency_seconds, ...sleep } = draft.sleep ?? {};
  const spans = sleep.stage_intervals ?? null;
  const inStage = (stage: string) =>
    spans?.reduce((sum, [name, from, to]) => sum + (name === stage ? to - from : 0), 0) ?? null;
  // Null: the time in a stage stays unknown, whatever the stages are.
  const given = (seconds: number | null | undefined, stage: string) =>
    seconds === undefined ? inStage(stage) : seconds;
  const [deep, light, rem] = [
    given(sleep.deep_seconds, 'deep'),
    given(sleep.light_seconds, 'light'),
    given(sleep.rem_seconds, 'rem'),
  ];
  const awake = sleep.awake_seconds ?? inStage('awake');
  const staged = (deep ?? 0) + (light ?? 0) + (rem ?? 0);
  const details = {
    validation: validation ?? null,
    score_qualifier: score_qualifier ?? null,
    score_parts: score_parts ?? [],
    latency_seconds: latency_seconds ?? null,
    extra,
  };
  const hasDetails = Object.values(details).some(
    (value) => value !== null && !(Array.isArray(value) && value.length === 0),
  );
  return {
    is_nap: isNapByTimes(startMs, endMs, made.isLocal === true ? 0 : offset),
    rank: sleepRanks.final,
    unmeasurable_seconds: null,
    score: null,
    ...sleep,
    start_ms: startMs,
    end_ms: endMs,
    zone_offset_minutes: offset,
    date: dateOf(made),
    device,
    stage_intervals: spans,
    deep_seconds: deep,
    light_seconds: light,
    rem_seconds: rem,
    awake_seconds: awake,
    asleep_seconds: sleep.asleep_seconds ?? (staged > 0 ? staged : secondsLess(made, awake)),
    interruptions:
      sleep.interruptions ?? spans?.slice(1, -1).filter(([name]) => name === 'awake').length ?? null,
    details: hasDetails ? details : null,
  };
}

// The time in bed is no time asleep: without a known time awake the time asleep is not known either.
function secondsLess({ startMs, endMs }: Made, awake: number | null): number | null {
  return awake === null ? null : Math.max(0, Math.round((endMs - startMs) / 1000) - awake);
}

// A day without a time begins at midnight UTC of its date.
function placeOf(made: Made): Omit<DayValuesRecord, 'values' | 'extra'> {
  const { draft, startMs, offset, device } = made;
  const date = dateOf(made);
  const start_ms = draft.start_time === undefined && date !== null ? dateToMs(date) : startMs;
  const duration_seconds = draft.duration_seconds ?? dayMs / 1000;
  return { date, start_ms, duration_seconds, zone_offset_minutes: offset, device };
}

// Without a time of its own, the active time of a day is the sum of its intensities, of which none may be missing.
function activeSeconds({ day, day_values }: Draft): number | null {
  const parts = [day?.moderate_seconds, day?.vigorous_seconds, day_values?.light_activity_seconds];
  const known = parts.filter((one) => one != null);
  return known.length < parts.length ? null : known.reduce((sum, one) => sum + one, 0);
}

/** A day without totals. */
export const bareDay = {
  steps: null,
  distance_meters: null,
  floors_climbed: null,
  active_seconds: null,
  moderate_seconds: null,
  vigorous_seconds: null,
  active_calories_kcal: null,
  basal_calories_kcal: null,
  avg_heart_rate_bpm: null,
  min_heart_rate_bpm: null,
  max_heart_rate_bpm: null,
  pushes: null,
  consumed_calories_kcal: null,
};

function dayOf(made: Made): DayRecord {
  const active_seconds = activeSeconds(made.draft);
  return Object.assign({ ...bareDay, active_seconds }, made.draft.day, placeOf(made));
}

function scoresOf(made: Made): ScoreRecord[] {
  const { score, score_components = {} } = made.draft;
  if (score === undefined) return [];
  const { date, start_ms, zone_offset_minutes, device } = placeOf(made);
  const end_ms = made.endMs > made.startMs ? made.endMs : start_ms + dayMs;
  return scoreKinds.flatMap((kind) => {
    const { value = null, label = null } = score[kind] ?? {};
    if (value === null && label === null) return [];
    const components = score_components[kind] ?? {};
    return [{ kind, value, label, components, date, start_ms, end_ms, zone_offset_minutes, device }];
  });
}
