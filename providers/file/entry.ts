import { hash } from 'node:crypto';
import type { IntervalSource } from '../../domain/records/interval-records.ts';
import type { StoreItem } from '../../domain/records/records.ts';
import { instantProblem, textOrNull } from '../phone/normalise/item.ts';
import type { PhoneRecord } from '../phone/normalise/record.ts';
import type { SleepPhase } from '../phone/normalise/sleep-phase.ts';

/** One entry of a file, read. `skipped`: it is not stored, and the others are not affected. */
export type Entry =
  | { readonly kind: 'record'; readonly record: PhoneRecord }
  | {
      readonly kind: 'item';
      readonly item: StoreItem;
      readonly type: string;
      readonly span: Span;
      /** What of it is not kept. */
      readonly notes?: readonly Skipped[];
    }
  | { readonly kind: 'phase'; readonly phase: SleepPhase }
  | Skipped;

/** The reason never contains a value of the file. */
export interface Skipped {
  readonly kind: 'skipped';
  readonly type: string;
  readonly reason: string;
  /** Where it is, if not at the number of the entry: the line of a table, or the workout of a route. */
  readonly position?: number;
  /** How many there are of it; 1 unless stated. */
  readonly items?: number;
}

/** Kept tracks and samples of a workout belong to the data type of activities. */
export const workoutDataType = 'activities';

/** The instants of an entry. */
export interface Span {
  readonly start_ms: number;
  readonly end_ms: number;
}

/** What is not stored: `items` of a type, for one reason. */
export function skipped(type: string, reason: string, items = 1): Skipped {
  return { kind: 'skipped', type: textOrNull(type, 100) ?? '', reason, items };
}

/** Why a span cannot be stored, as a sentence; null if it can. */
export function spanProblem({ start_ms, end_ms }: Span, nowMs: number): string | null {
  const problem = instantProblem(start_ms, nowMs) ?? instantProblem(end_ms, nowMs);
  if (problem !== null) return `The time ${problem}.`;
  return end_ms < start_ms ? 'The end is before the start.' : null;
}

/**
 * The key of an entry, from its content: files have no ids that last, so the same entry of another file has the same key.
 */
export function keyOf(
  type: string,
  { device, app }: IntervalSource,
  { start_ms, end_ms }: Span,
  value: unknown,
): string {
  const content = `${type}\n${device}\n${app ?? ''}\n${start_ms}\n${end_ms}\n${value}`;
  return hash('sha256', content, 'base64url').slice(0, 27);
}
