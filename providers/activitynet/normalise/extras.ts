import { extraOf } from '../../../domain/provider/extra-fields.ts';
import { type Item, isItem } from '../../../domain/recipe/read-fields.ts';
import {
  GivenDetails,
  LapRecord,
  mostLaps,
  noFigures,
  type WorkoutExtras,
  WorkoutSplit,
} from '../../../domain/workouts/details.ts';
import { activity, lap, split } from '../fields.ts';
import { columnsOf } from './columns.ts';

const detailColumns = columnsOf('details', activity);
const lapColumns = columnsOf('laps', lap);
const splitColumns = columnsOf('splits', split);

/** The details, laps, splits and extra fields of an activity. The positions of its start and end are not read. */
export function activityExtras(item: Item): WorkoutExtras {
  const { laps, splits_metric, splits_standard } = item;
  const splits = [
    ...listOf(splits_metric).flatMap((one) => splitOf(one, 'kilometer')),
    ...listOf(splits_standard).flatMap((one) => splitOf(one, 'mile')),
  ];
  return {
    details: GivenDetails.parse(detailColumns(item)),
    laps: listOf(laps).length === 0 ? null : listOf(laps).slice(0, mostLaps).flatMap(lapOf),
    splits: splits.length === 0 ? null : splits.slice(0, mostLaps),
    extra: extraOf(item, activity),
  };
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

function lapOf(one: unknown): LapRecord[] {
  const columns = isItem(one) ? lapColumns(one) : {};
  const { start_ms, duration_seconds } = columns;
  const isLong = typeof start_ms === 'number' && typeof duration_seconds === 'number';
  const end_ms = isLong ? start_ms + duration_seconds * 1000 : null;
  const made = LapRecord.safeParse({ ...noFigures, ...columns, end_ms }).data;
  // The hash of an activity depends on the order of the fields.
  return made === undefined ? [] : [{ ...noFigures, ...made }];
}

const noSplit = Object.fromEntries(Object.keys(WorkoutSplit.shape).map((name) => [name, null]));

function splitOf(one: unknown, unit: WorkoutSplit['unit']): WorkoutSplit[] {
  const columns = isItem(one) ? splitColumns(one) : {};
  const made = WorkoutSplit.safeParse({ ...noSplit, ...columns, unit }).data;
  return made === undefined ? [] : [made];
}
