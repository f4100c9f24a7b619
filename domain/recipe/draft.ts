import { z } from 'zod';
import { DayValues } from '../records/day-values.ts';
import {
  DayRecord,
  EpochRecord,
  type OtherRecord,
  SleepDetails,
  SleepRecord,
  WorkoutRecord,
} from '../records/records.ts';
import type { ScoreKind } from '../records/scores.ts';
import type { SeriesType } from '../records/series.ts';
import { GivenDetails, LapRecord } from '../workouts/details.ts';
import type { Track } from '../workouts/track.ts';

/** A measured value at an instant, in UTC milliseconds. */
export type Point = readonly [ms: number, value: number];

/** A value that is summed, from an instant to another. */
export type Sum = readonly [startMs: number, endMs: number, value: number];

/** The values of a series in an item: one of the whole item, or several with their own times. */
export type SeriesValue = number | readonly (Point | Sum)[];

/** Whether a value is a sum. */
export const isSum = (value: Point | Sum): value is Sum => value.length === 3;

/** The parts of a record that a table fills, with their schemas. */
export const partSchemas = {
  workout: WorkoutRecord,
  details: GivenDetails,
  sleep: z.object({ ...SleepRecord.shape, ...SleepDetails.shape }),
  day: DayRecord,
  day_values: DayValues,
  epoch: EpochRecord,
  laps: LapRecord,
} as const;

/** The value of a score, and a word for it where the provider has one. */
interface DraftScore {
  readonly value?: number;
  readonly label?: string | undefined;
}

type Components = Readonly<Record<string, number | string | null>>;

/** What an item says, by the ends of its table. A field without a usable value is absent. */
export interface Draft {
  readonly key?: string;
  readonly source?: string;
  /** UTC milliseconds. With `isLocal` all times are of the device's clock, also in series and the track: the offset turns them into UTC. */
  readonly start_time?: number;
  readonly end_time?: number;
  readonly isLocal?: boolean;
  readonly duration_seconds?: number;
  readonly date?: string;
  readonly zone_offset?: number;
  /** The offset at an instant, of an item in which the clock changes: each of its samples has that of its own time. */
  readonly offsetAt?: (ms: number) => number | null;
  /** The IANA name of the time zone, which decides the offset of the start if `zone_offset` is absent. */
  readonly zone?: string;
  readonly workout?: Partial<WorkoutRecord>;
  readonly details?: GivenDetails;
  readonly laps?: LapRecord[] | null;
  readonly sleep?: Partial<z.output<typeof partSchemas.sleep>>;
  readonly day?: Partial<DayRecord>;
  readonly day_values?: DayValues;
  readonly epoch?: Partial<EpochRecord>;
  readonly series?: Readonly<Partial<Record<SeriesType, SeriesValue>>>;
  readonly score?: Readonly<Partial<Record<ScoreKind, DraftScore>>>;
  readonly score_components?: Readonly<Partial<Record<ScoreKind, Components>>>;
  readonly track?: Track;
  /** The item is an event of another kind. */
  readonly event?: Pick<OtherRecord, 'type' | 'data'>;
  /** The number of values that are left out of the item, by reason. */
  readonly skipped?: Readonly<Record<string, number>>;
}
