import { dateToMs, dayMs, isoTime, localDate, parseInstant } from '../time/time.ts';

/*
 * A date without a time is compared with the local day of an Observation, a time with its instants. Both are compared as FHIR
 * compares ranges: a value of a search is as long as its precision.
 */

const prefixes = ['eq', 'ge', 'gt', 'le', 'lt'] as const;
type Prefix = (typeof prefixes)[number];

/** A condition on the time of an Observation: on its local day, or on its instants in milliseconds, [first, end). */
export type DateCondition = { readonly text: string } & (
  | { readonly on: 'date'; readonly prefix: Prefix; readonly first: string; readonly last: string }
  | { readonly on: 'instant'; readonly prefix: Prefix; readonly first: number; readonly end: number }
);

/** The condition of a parameter; null if it has none of the forms. */
export function dateCondition(text: string): DateCondition | null {
  const prefix = prefixes.find((one) => text.startsWith(one)) ?? 'eq';
  const value = prefixes.some((one) => text.startsWith(one)) ? text.slice(2) : text;
  const days = daysOf(value);
  if (days !== null) return { text, on: 'date', prefix, ...days };
  if (!/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+ -]\d{2}:\d{2})?$/.test(value)) return null;
  const instant = parseInstant(value);
  if (instant === null) return null;
  const length = value.includes('.') ? 1 : /T\d{2}:\d{2}:\d{2}/.test(value) ? 1000 : 60_000;
  return { text, on: 'instant', prefix, first: instant.ms, end: instant.ms + length };
}

function daysOf(value: string): { first: string; last: string } | null {
  const isWhole = /^\d{4}(-\d{2}(-\d{2})?)?$/.test(value);
  const first = `${value}-01-01`.slice(0, 10);
  if (!isWhole || parseInstant(first) === null) return null;
  if (value.length === 10) return { first, last: first };
  const [year = 0, month = 12] = value.split('-').map(Number);
  return { first, last: isoTime(Date.UTC(year, month, 0)).slice(0, 10) };
}

/** The time of an Observation. */
export interface ObservedTime {
  readonly date: string;
  readonly start_ms: number;
  readonly end_ms: number | null;
}

/** Whether the time of an Observation satisfies all conditions. */
export function satisfies(
  { date, start_ms, end_ms }: ObservedTime,
  conditions: readonly DateCondition[],
): boolean {
  return conditions.every((one) =>
    one.on === 'date'
      ? holds(one.prefix, [date, date], [one.first, one.last])
      : holds(one.prefix, [start_ms, end_ms ?? start_ms], [one.first, one.end - 1]),
  );
}

// Both ranges contain their ends.
function holds<T extends string | number>(
  prefix: Prefix,
  [low, high]: [T, T],
  [first, last]: [T, T],
): boolean {
  if (prefix === 'ge') return high >= first;
  if (prefix === 'gt') return high > last;
  if (prefix === 'le') return low <= last;
  if (prefix === 'lt') return low < first;
  return low >= first && high <= last;
}

/** The local days that may satisfy the conditions. Instants are on the dates that some clock shows. */
export function daysWithin(conditions: readonly DateCondition[]): {
  first: string | null;
  last: string | null;
} {
  const bounds = conditions.map((one) => ({ prefix: one.prefix, ...daysAround(one) }));
  const firsts = bounds.flatMap(({ prefix, first }) => (prefix === 'le' || prefix === 'lt' ? [] : [first]));
  const lasts = bounds.flatMap(({ prefix, last }) => (prefix === 'ge' || prefix === 'gt' ? [] : [last]));
  return {
    first: firsts.reduce<string | null>((a, b) => (a === null || b > a ? b : a), null),
    last: lasts.reduce<string | null>((a, b) => (a === null || b < a ? b : a), null),
  };
}

// An Observation of a local day, and a sleep, may have begun two dates before an instant that it contains.
function daysAround(condition: DateCondition): { first: string; last: string } {
  if (condition.on === 'date') return condition;
  const around = (ms: number, days: number) => localDate(Math.max(0, ms + days * dayMs), 0);
  return { first: around(condition.first, -3), last: around(condition.end, 3) };
}

/** Whether a local day and a span of instants may have a common instant, on any clock. */
export function mayTouch(date: string, firstMs: number, lastMs: number): boolean {
  const midnight = dateToMs(date);
  return firstMs < midnight + 42 * 3_600_000 && lastMs >= midnight - 18 * 3_600_000;
}
