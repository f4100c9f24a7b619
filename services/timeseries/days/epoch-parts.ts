import type { SeriesType } from '../../../domain/records/series.ts';
import type { EpochPartRow } from './queries/select-epoch-parts.ts';

/** A part of a slot with its delivery order. */
export interface EpochPart {
  readonly start_ms: number;
  readonly activity_type: string;
  readonly device: string;
  readonly zone_offset_minutes: number;
  readonly placed_by: number | null;
  readonly local_date: string;
  /** The length of the slot as the part reports it. */
  readonly slot_seconds: number | null;
  readonly active_seconds: number | null;
  readonly sedentary_seconds: number | null;
  readonly values: Partial<Record<SeriesType, number>>;
  /** Higher for parts of the slot that were delivered later. */
  readonly delivery: number;
  /** Newer parts leave no time for it. It is stored but does not count. */
  readonly is_superseded: boolean;
}

/** The row of a part. The summed columns are empty if the part does not count. */
export function rowOfPart({ values, is_superseded, ...part }: EpochPart): EpochPartRow {
  const { sedentary_seconds } = part;
  if (!is_superseded) return { ...part, vals: values, superseded: null };
  return { ...part, sedentary_seconds: null, vals: {}, superseded: { sedentary_seconds, vals: values } };
}

/** The part of a row. */
export function partOfRow({ vals, superseded, ...row }: EpochPartRow): EpochPart {
  if (superseded === null) return { ...row, values: vals, is_superseded: false };
  const { sedentary_seconds } = superseded;
  return { ...row, sedentary_seconds, values: superseded.vals, is_superseded: true };
}

/** The slot length of the device maker. */
const usualSlotSeconds = 900;

/** The length of a slot: the longest that its parts report. */
export function slotSecondsOf(parts: readonly Pick<EpochPart, 'slot_seconds'>[]): number {
  return Math.max(0, ...parts.map(({ slot_seconds }) => slot_seconds ?? 0)) || usualSlotSeconds;
}

/**
 * Marks the parts of a slot as superseded or not. The newest part counts. Each older part counts if its active time
 * fits into the time that the newer ones leave.
 */
export function newestThatFit(parts: readonly EpochPart[]): EpochPart[] {
  let free = slotSecondsOf(parts);
  const newestFirst = parts.toSorted(
    (a, b) => b.delivery - a.delivery || (a.activity_type < b.activity_type ? -1 : 1),
  );
  return newestFirst.map((part, index) => {
    const seconds = part.active_seconds ?? 0;
    const is_superseded = index > 0 && seconds > free;
    if (!is_superseded) free = Math.max(0, free - seconds);
    return { ...part, is_superseded };
  });
}
