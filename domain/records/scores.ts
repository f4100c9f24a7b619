import { z } from 'zod';
import { CalendarDate } from '../time/time.ts';
import { Text } from '../wire.ts';

/**
 * The kinds of scores: the bounds of the number, null where there is none, and the meaning. A score is a figure or a word that a
 * provider computes from other data. Scores of one kind from two providers are not comparable.
 */
const scoreRows = [
  { kind: 'readiness', min: 0, max: 100, meaning: 'Readiness of the body for strain on this day.' },
  { kind: 'sleep', min: 0, max: 100, meaning: 'Quality of a sleep.' },
  { kind: 'activity', min: 0, max: 100, meaning: 'Activity of a day compared with its goals.' },
  {
    kind: 'recovery',
    min: 0,
    max: 100,
    meaning: 'Recovery of the body in percent.',
  },
  { kind: 'strain', min: 0, max: 21, meaning: 'Cardiovascular load of a day or cycle.' },
  { kind: 'workout_strain', min: 0, max: 21, meaning: 'Cardiovascular load of one workout.' },
  {
    kind: 'recharge',
    min: 1,
    max: 6,
    meaning: 'Recovery of the body in a night.',
  },
  { kind: 'body_battery', min: 0, max: 100, meaning: 'Energy of the body (device maker).' },
  {
    kind: 'resilience',
    min: null,
    max: null,
    meaning: 'Resistance to stress over weeks.',
  },
  { kind: 'stress', min: 0, max: 100, meaning: 'Stress of a day.' },
  { kind: 'cardio_load', min: 0, max: null, meaning: 'Training load of the heart on a day.' },
  {
    kind: 'alertness',
    min: 0,
    max: 10,
    meaning: 'Alertness of a day as predicted from sleep.',
  },
  { kind: 'cardiovascular_age', min: 0, max: 150, meaning: 'Age of the blood vessels in years.' },
] as const satisfies readonly {
  readonly kind: string;
  readonly min: number | null;
  readonly max: number | null;
  readonly meaning: string;
}[];

/** The kinds of scores. */
export const scoreKinds = scoreRows.map(({ kind }) => kind);

/** The kind of a score. */
export const ScoreKind = z.enum(scoreKinds).meta({ id: 'ScoreKind', description: kindsText() });

/** The most components of a score. */
export const mostScoreComponents = 40;

/** The parts of a score by the provider's own names; null if the provider names a part without a value. */
export const ScoreComponents = z
  .record(Text.min(1).max(60), z.union([z.number(), Text.max(200), z.null()]))
  .refine((parts) => Object.keys(parts).length <= mostScoreComponents, 'must have at most 40 entries');

/**
 * A score of an item. An item has at most one of each kind; a later version of the item replaces it. `value` is null where the
 * provider gives only a word (`label`). The score of a sleep session stays in `SleepRecord.score`. `date` is the local day; null
 * if the item has neither the day nor its offset. A score of a day without times starts at the day's local midnight.
 */
export const ScoreRecord = z
  .object({
    kind: ScoreKind,
    value: z.number().nullable(),
    label: Text.min(1).max(60).nullable(),
    components: ScoreComponents,
    date: CalendarDate.nullable(),
    start_ms: z.int(),
    end_ms: z.int(),
    zone_offset_minutes: z.int().min(-1080).max(1080).nullable(),
    device: z.string().min(1).max(100),
  })
  .refine(
    ({ kind, value }) => value === null || isScoreOf(kind, value),
    'value must be within the range of the kind',
  );

export type ScoreKind = z.infer<typeof ScoreKind>;
export type ScoreComponents = z.infer<typeof ScoreComponents>;
export type ScoreRecord = z.infer<typeof ScoreRecord>;

/** Whether a number is within the range of a kind. Normalisers skip other numbers: the store refuses them. */
export function isScoreOf(kind: ScoreKind, value: number): boolean {
  const row = scoreRows.find((one) => one.kind === kind);
  if (row === undefined || row.min === null) return false;
  return value >= row.min && (row.max === null || value <= row.max);
}

function kindsText(): string {
  const texts = scoreRows.map(
    ({ kind, min, max, meaning }) => `\`${kind}\` (${rangeText(min, max)}): ${meaning}`,
  );
  return `The kind of a score, with its range. ${texts.join(' ')}`;
}

function rangeText(min: number | null, max: number | null): string {
  if (min === null) return 'a word';
  return max === null ? `from ${min}` : `${min} to ${max}`;
}
