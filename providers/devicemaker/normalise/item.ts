import { z } from 'zod';
import { plainMessage } from '../../../domain/plain-message.ts';
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

/** A normalised item with the fields that were left out, or the reasons why the item cannot be stored. */
export type Normalised =
  | {
      readonly ok: true;
      readonly item: StoreItem;
      readonly problems: readonly Problem[];
      /** The track of the item, which is cut by the rules of its user before it is stored. */
      readonly track?: Track | null;
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Makes a record from one item of a data type. Pure. Never throws because of an item's content. */
export type Normaliser = (item: unknown, nowMs: number) => Normalised;

/** The result for an item that cannot be stored. */
export function refused(field: string, reason: string): { ok: false; problems: Problem[] } {
  return { ok: false, problems: [{ field, reason }] };
}

/** A number in a closed range, or null if absent. */
export function measure(least: number, most: number) {
  const range = `must be ${least} to ${most}`;
  return z.number('must be a number').min(least, range).max(most, range).nullable().default(null);
}

/** As `measure`, rounded to a whole number. */
export function count(least: number, most: number) {
  return measure(least, most).transform((value) => (value === null ? null : Math.round(value)));
}

/**
 * As `measure`, for a field in which a value of 0 or less means "not measured" unless it is in the range. Such a value
 * is counted as a placeholder and not reported.
 */
export function measureOrPlaceholder(least: number, most: number) {
  const range = `must be ${least} to ${most}`;
  const low = {
    error: ({ input }: { readonly input?: unknown }) => (Number(input) <= 0 ? placeholderReason : range),
  };
  return z.number('must be a number').min(least, low).max(most, range).nullable().default(null);
}

const placeholderReason = 'is a placeholder';

/** A boolean, or null if absent. */
export const flag = z.boolean('must be true or false').nullable().default(null);

/** A text without characters that PostgreSQL rejects. Longer texts are cut to `most` characters. */
export function text(most: number) {
  return z
    .string('must be a text')
    .transform((value) => cleanText(value, most) || null)
    .nullable()
    .default(null);
}

/** Trims and cuts a text and removes NUL and unpaired surrogates, which PostgreSQL rejects. */
export function cleanText(value: string, most: number): string {
  return value.replaceAll('\0', '').trim().slice(0, most).toWellFormed();
}

const idReason = 'must be a whole number, or a text of at most 100 characters';

/** An id that arrives as a number or as a string. */
export const id = z
  .union([z.int(idReason), z.string().max(100, idReason)], idReason)
  .transform((value) => cleanText(String(value), 100) || null)
  .nullable()
  .default(null);

/** An object of values by offset or by name. Its values are validated one by one. */
export const map = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
  .nullable()
  .default(null);

/** A list. Its entries are validated one by one. */
export const list = z.array(z.unknown(), 'must be a list').nullable().default(null);

/** Fields that most types share. */
export const head = {
  summaryId: id,
  startTimeInSeconds: z.number('must be a number'),
  startTimeOffsetInSeconds: measure(-64_800, 64_800),
  durationInSeconds: count(0, 31 * 86_400),
  deviceName: text(100),
};

/** Beats per minute as a whole number. A heart rate of 0 or less is a placeholder. */
export const beats = measureOrPlaceholder(1, 300).transform((bpm) => (bpm === null ? null : Math.round(bpm)));

/** Whether a value is an object with named fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The fields of an item, with null for invalid ones, or the reasons why the item is rejected. */
export type Read<T> =
  | { readonly ok: true; readonly fields: T; readonly problems: Problem[] }
  | { readonly ok: false; readonly problems: Problem[] };

/**
 * Reads an item by its schema, field by field. An invalid field is left out and reported. If it is one of `required`,
 * the item is rejected.
 */
export function readItem<T extends z.ZodType>(
  schema: T,
  required: readonly string[],
  item: unknown,
): Read<z.output<T>> {
  if (!isObject(item)) return refused('', 'must be an object');
  const first = schema.safeParse(item, { error: plainMessage });
  if (first.success) return { ok: true, fields: first.data, problems: [] };
  const problems = first.error.issues.map((issue) => problemOf(issue, item));
  const bad = new Set(problems.map(({ field }) => field));
  if (required.some((field) => bad.has(field))) return { ok: false, problems };
  const rest = Object.fromEntries(Object.entries(item).filter(([field]) => !bad.has(field)));
  const second = schema.safeParse(rest);
  return second.success ? { ok: true, fields: second.data, problems } : { ok: false, problems };
}

function problemOf(issue: z.core.$ZodIssue, item: Readonly<Record<string, unknown>>): Problem {
  const field = String(issue.path[0] ?? '');
  if (!Object.hasOwn(item, field)) return { field, reason: 'is required' };
  const { message: reason } = issue;
  return reason === placeholderReason ? { field, reason, placeholders: 1 } : { field, reason };
}

/**
 * Converts a provider's seconds to milliseconds. Null before 1990 (a clock that was never set) and more than a day
 * ahead of now.
 */
export function instantMs(seconds: number, nowMs: number): number | null {
  const ms = Math.round(seconds * 1000);
  return ms >= earliestMs && ms <= nowMs + dayMs ? ms : null;
}

/** The reason for an instant that `instantMs` rejects. */
export const instantReason = 'is before 1990 or more than a day ahead';

/** The offset of a clock from UTC in whole minutes, or null if unknown. */
export function offsetMinutes(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds / 60);
}
