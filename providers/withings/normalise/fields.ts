import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import { dayMs, earliestMs } from '../../../domain/time/time.ts';
import { offsetMinutesIn } from '../../../domain/time/zone.ts';

/** A number in a range. An invalid field counts as absent: one bad value does not cost the whole record. */
export const measure = (least: number, most: number) =>
  z.number().min(least).max(most).nullable().default(null).catch(null);

/** As `measure`, rounded to a whole number. */
export const count = (least: number, most: number) =>
  z.number().transform(Math.round).pipe(z.int().min(least).max(most)).nullable().default(null).catch(null);

/** A heart rate. 0 means "not measured". */
export const beats = count(1, 300);

/** A text without characters that PostgreSQL rejects. */
export const text = (most: number) =>
  z
    .string()
    .transform((value) => value.replaceAll('\0', '').trim().slice(0, most).toWellFormed() || null)
    .nullable()
    .default(null)
    .catch(null);

/** A boolean; an invalid one counts as absent. */
export const flag = z.boolean().nullable().default(null).catch(null);
/** An id, sent as a number or as a text. */
export const id = z
  .union([z.int(), z.string().min(1).max(100)])
  .transform((value) => String(value).replaceAll('\0', ''));
/** Seconds since 1970. */
export const epochSeconds = z.int().min(earliestMs / 1000);
/** Values by seconds since 1970. They are validated one by one. */
export const byEpoch = z.record(z.string(), z.unknown()).nullable().default(null).catch(null);

/** What records become. `intervals` name their source by its index in `sources`. */
export interface Normalised {
  readonly items: readonly StoreItem[];
  readonly intervals: readonly IntervalRecord[];
  readonly sources: readonly IntervalSource[];
  /** The number of records and values that are not stored, by reason. */
  readonly skipped: Readonly<Record<string, number>>;
}

/** Counts what is not stored, by reason. */
export type Skip = (reason: string, number?: number) => void;

/** The items of records, each made alone. A record without an item is counted by its reason. */
export function itemsOf(
  records: readonly unknown[],
  itemOf: (record: unknown, skip: Skip) => StoreItem | null,
): Normalised {
  const skipped: Record<string, number> = {};
  const skip: Skip = (reason, number = 1) => {
    skipped[reason] = (skipped[reason] ?? 0) + number;
  };
  const items = records.map((record) => itemOf(record, skip)).filter((item) => item !== null);
  return { items, intervals: [], sources: [], skipped };
}

/** Completes an item with the hash of what is kept. Without scores it is that of the versions before there were any. */
export function withHash(item: Omit<StoreItem, 'hash'>): StoreItem {
  const kept = { ...item, scores: item.scores.length === 0 ? undefined : item.scores };
  return { ...item, hash: createHash('sha256').update(JSON.stringify(kept)).digest('hex') };
}

/** Whether an instant may be stored: not before 1990, and at most a day ahead. */
export function isStorable(ms: number, nowMs: number): boolean {
  return ms >= earliestMs && ms <= nowMs + dayMs;
}

/** The offset of the clock in a record's time zone; null if the record names none. */
export function offsetAt(timezone: string | null, ms: number): number | null {
  return timezone === null ? null : offsetMinutesIn(timezone, ms);
}

/** A record with its `data` as sent beside the one that its schema reads. */
export function withSent(record: unknown): unknown {
  const isRecord = typeof record === 'object' && record !== null && 'data' in record;
  return isRecord ? { ...record, sent: record.data } : record;
}
