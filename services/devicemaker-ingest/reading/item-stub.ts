import { isItem } from '../../../domain/recipe/read-fields.ts';
import { startMsOf } from '../items/report-received.ts';

/** The fields of an item that answers, lookups and backfill reports need. */
const kept = ['userId', 'summaryId', 'activityId', 'activityName', 'activityType', 'callbackURL'];
const keptOfSpecial = ['userId', 'changeTimeInSeconds'];
/** Longer than any text that is read from a stub. */
const longestText = 10_000;
/** A hundred names of a hundred characters take a third of it. */
const longestPermissions = 64 * 1024;

/** A small copy of an item with the fields that the answer depends on. */
export function stubOf(item: unknown): unknown {
  if (!isItem(item)) return light(item);
  const startMs = startOf(item);
  return { ...pick(item, kept), ...(startMs === null ? {} : { startTimeInSeconds: startMs / 1000 }) };
}

/** As `stubOf`, for an item of the arrays beside the data. */
export function stubOfSpecial(item: unknown): unknown {
  if (!isItem(item)) return light(item);
  const permissions = bounded(item.permissions);
  return { ...pick(item, keptOfSpecial), ...(permissions === undefined ? {} : { permissions }) };
}

function pick(item: Readonly<Record<string, unknown>>, names: readonly string[]): Record<string, unknown> {
  const there = names.filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(there.map((name) => [name, light(item[name])]));
}

function light(value: unknown): unknown {
  if (typeof value === 'string') return value.length > longestText ? value.slice(0, longestText) : value;
  if (Array.isArray(value)) return [];
  return isItem(value) ? {} : value;
}

// The nesting of summaries within summaries is bounded.
function startOf(item: unknown): number | null {
  try {
    return startMsOf(item);
  } catch {
    return null;
  }
}

function bounded(value: unknown): unknown {
  try {
    return (JSON.stringify(value)?.length ?? 0) > longestPermissions ? null : value;
  } catch {
    return null;
  }
}
