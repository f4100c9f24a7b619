import { type CycleRecordData, type NutritionData, nutrientUnits } from '../provider/event-data.ts';
import type { FieldEnd } from '../provider/field-table.ts';
import { ScoreKind } from '../records/scores.ts';
import { isSeriesType } from '../records/series.ts';
import { LapRecord, WorkoutSplit } from '../workouts/details.ts';
import { StreamType } from '../workouts/track.ts';
import { partSchemas } from './draft.ts';

const alone: readonly string[] = [
  ...['key', 'source', 'start_time', 'end_time', 'duration_seconds', 'date', 'zone_offset', 'extra'],
  'event.data',
];

const columns: Readonly<Record<string, object>> = {
  ...Object.fromEntries(Object.entries(partSchemas).map(([part, { shape }]) => [part, shape])),
  laps: LapRecord.shape,
  splits: WorkoutSplit.shape,
  nutrition: { ...nutrientUnits, meal_id: null, name: null, meal_type: null } satisfies Record<
    keyof NutritionData,
    unknown
  >,
  cycle_record: { observation: null, value: null, is_cycle_start: null, is_protected: null } satisfies Record<
    keyof CycleRecordData,
    unknown
  >,
};

/** Whether a text names an end of fields. The compiler checks it where a table is compiled; others are checked when they are loaded. */
export function isFieldEnd(end: unknown): end is FieldEnd {
  if (typeof end !== 'string') return false;
  const [part = '', name = ''] = end.split('.');
  if (alone.includes(end)) return true;
  if (part === 'series') return isSeriesType(name);
  if (part === 'streams') return StreamType.safeParse(name).success;
  if (part === 'score' || part === 'score_components') return ScoreKind.safeParse(name).success;
  return Object.hasOwn(columns, part) && Object.hasOwn(columns[part] ?? {}, name);
}
