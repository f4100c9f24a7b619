import type { StoreItem } from '../../../domain/records/records.ts';
import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import type { Track } from '../../../domain/workouts/track.ts';

/** A part of an item that was rejected. `reason` appears in answers and logs and never contains a value. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
  /** Number of "not measured" values that were left out. They are not an error. */
  readonly placeholders?: number;
}

/** The reasons why an item cannot be stored. */
export interface Refused {
  readonly ok: false;
  readonly problems: readonly Problem[];
}

/** A normalised item with the fields that were left out, or the reasons why the item cannot be stored. */
export type Normalised =
  | Refused
  | {
      readonly ok: true;
      readonly item: StoreItem;
      readonly problems: readonly Problem[];
      /** The track of the item, which is cut by the rules of its user before it is stored. */
      readonly track?: Track | null;
    };

/** Makes a record from one item of a data type. Pure. Never throws because of an item's content. */
export type Normaliser = (item: unknown, nowMs: number) => Normalised;

/** The result for an item that cannot be stored. */
export function refused(field: string, reason: string): Refused {
  return { ok: false, problems: [{ field, reason }] };
}

/** Trims and cuts a text and removes NUL and unpaired surrogates, which PostgreSQL rejects. */
export function cleanText(value: string, most: number): string {
  return value.replaceAll('\0', '').trim().slice(0, most).toWellFormed();
}

/** Milliseconds of a provider's seconds. Null before 1990 (a clock that was never set) and more than a day ahead of now. */
export function instantMs(seconds: unknown, nowMs: number): number | null {
  const ms = typeof seconds === 'number' ? Math.round(seconds * 1000) : Number.NaN;
  return ms >= earliestMs && ms <= nowMs + dayMs ? ms : null;
}

/** The reason for an instant that `instantMs` rejects. */
export const instantReason = 'is before 1990 or more than a day ahead';
