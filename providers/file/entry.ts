import type { StoreItem } from '../../domain/records/records.ts';
import { textOrNull } from '../phone/normalise/item.ts';
import type { PhoneRecord } from '../phone/normalise/record.ts';
import type { SleepPhase } from '../phone/normalise/sleep-phase.ts';

/** One entry of a file, read. `skipped`: it is not stored, and the others are not affected. */
export type Entry =
  | { readonly kind: 'record'; readonly record: PhoneRecord }
  | { readonly kind: 'item'; readonly item: StoreItem; readonly type: string; readonly span: Span }
  | { readonly kind: 'phase'; readonly phase: SleepPhase }
  | Skipped;

/** The reason never contains a value of the file. */
export interface Skipped {
  readonly kind: 'skipped';
  readonly type: string;
  readonly reason: string;
}

/** The instants of an entry. */
export interface Span {
  readonly start_ms: number;
  readonly end_ms: number;
}

/** An entry that is not stored. */
export function skipped(type: string, reason: string): Skipped {
  return { kind: 'skipped', type: textOrNull(type, 100) ?? '', reason };
}
