import { z } from 'zod';
import { plainMessage } from '../../../domain/plain-message.ts';
import type { StoreItem } from '../../../domain/records.ts';
import { dayMs, earliestMs } from '../../../domain/time.ts';

/** Something about an item that was not taken. `reason` never quotes a value: it ends in answers and logs. */
export interface Problem {
  readonly field: string;
  readonly reason: string;
  /** Set where values that mean "not measured" were left out, which is no error: how many. */
  readonly placeholders?: number;
}

/** An item in our own terms with the fields that were left out, or the reasons why it cannot be stored at all. */
export type Normalised =
  | { readonly ok: true; readonly item: StoreItem; readonly problems: readonly Problem[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** Makes a record of one item of a data type, as it was sent; pure, and never throws on what an item holds. */
export type Normaliser = (item: unknown, nowMs: number) => Normalised;

/** What an item holds none of, unless its type says so. */
export const bareItem: Pick<
  StoreItem,
  'more' | 'part' | 'workout' | 'sleeps' | 'day' | 'epoch' | 'other' | 'samples' | 'samples_kept'
> = {
  more: false,
  part: 0,
  workout: null,
  sleeps: [],
  day: null,
  epoch: null,
  other: null,
  samples: [],
  samples_kept: false,
};

/** The item as a whole cannot be stored. */
export function refused(field: string, reason: string): { ok: false; problems: Problem[] } {
  return { ok: false, problems: [{ field, reason }] };
}

/** A number in a closed range; null where it was not sent. */
export function measure(least: number, most: number) {
  const range = `must be ${least} to ${most}`;
  return z.number('must be a number').min(least, range).max(most, range).nullable().default(null);
}

/** As `measure`, rounded to a whole number. */
export function count(least: number, most: number) {
  return measure(least, most).transform((value) => (value === null ? null : Math.round(value)));
}

/**
 * As `measure`, of a field in which a value of 0 or less means "not measured", unless it is in the range: it is counted
 * as a placeholder and not reported.
 */
export function measureOrPlaceholder(least: number, most: number) {
  const range = `must be ${least} to ${most}`;
  const low = {
    error: ({ input }: { readonly input?: unknown }) => (Number(input) <= 0 ? placeholderReason : range),
  };
  return z.number('must be a number').min(least, low).max(most, range).nullable().default(null);
}

const placeholderReason = 'is a placeholder';

/** A flag; null where it was not sent. */
export const flag = z.boolean('must be true or false').nullable().default(null);

/** A text of at most `most` characters, without what a database refuses; longer ones are cut. */
export function text(most: number) {
  return z
    .string('must be a text')
    .transform((value) => cleanText(value, most) || null)
    .nullable()
    .default(null);
}

/** Trims, cuts, and takes out NUL and halves of characters, which PostgreSQL does not store. */
export function cleanText(value: string, most: number): string {
  return value.replaceAll('\0', '').trim().slice(0, most).toWellFormed();
}

const idReason = 'must be a whole number, or a text of at most 100 characters';

/** An id that is sent as a number or as a text. */
export const id = z
  .union([z.int(idReason), z.string().max(100, idReason)], idReason)
  .transform((value) => cleanText(String(value), 100) || null)
  .nullable()
  .default(null);

/** An object of values by offset, or by name; its values are looked at one by one. */
export const map = z
  .custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
  .nullable()
  .default(null);

/** A list; its entries are looked at one by one. */
export const list = z.array(z.unknown(), 'must be a list').nullable().default(null);

/** Fields that most types share. */
export const head = {
  summaryId: id,
  startTimeInSeconds: z.number('must be a number'),
  startTimeOffsetInSeconds: measure(-64_800, 64_800),
  durationInSeconds: count(0, 31 * 86_400),
  deviceName: text(100),
};

/** Beats per minute, whole; a heart rate of 0 or less is a placeholder. */
export const beats = measureOrPlaceholder(1, 300).transform((bpm) => (bpm === null ? null : Math.round(bpm)));

/** Whether a value is an object with named fields. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What was read of an item: its fields, the bad ones being null, or the reasons why it is useless. */
export type Read<T> =
  | { readonly ok: true; readonly fields: T; readonly problems: Problem[] }
  | { readonly ok: false; readonly problems: Problem[] };

/**
 * Reads an item by its schema, field by field: one that is not as it must be is left out and named, and the rest
 * is kept, unless it is one of `required`.
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

/** Seconds of a provider as milliseconds; null before 1990 (a clock never set) and more than a day ahead of now. */
export function instantMs(seconds: number, nowMs: number): number | null {
  const ms = Math.round(seconds * 1000);
  return ms >= earliestMs && ms <= nowMs + dayMs ? ms : null;
}

/** The reason for an instant that `instantMs` refuses. */
export const instantReason = 'is before 1990 or more than a day ahead';

/** A clock's distance from UTC in whole minutes; null where it is not known. */
export function offsetMinutes(seconds: number | null): number | null {
  return seconds === null ? null : Math.round(seconds / 60);
}
