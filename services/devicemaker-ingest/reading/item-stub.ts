import { isObject } from '../../../providers/devicemaker/normalise/item.ts';
import { startMsOf } from '../items/report-received.ts';

/** What an answer, a lookup and a history run need of an item whose content stays where it is. */
const kept = ['userId', 'summaryId', 'activityId', 'activityName', 'activityType', 'callbackURL'];
const keptOfSpecial = ['userId', 'changeTimeInSeconds'];
/** More than any of them is read of. */
const longestText = 10_000;
/** A hundred names of a hundred characters take a third of it. */
const longestPermissions = 64 * 1024;

/** A small stand-in for an item, for which the answer comes out as it would for the item. */
export function stubOf(item: unknown): unknown {
  if (!isObject(item)) return light(item);
  const startMs = startOf(item);
  return { ...pick(item, kept), ...(startMs === null ? {} : { startTimeInSeconds: startMs / 1000 }) };
}

/** The same of an item of the arrays beside the data. */
export function stubOfSpecial(item: unknown): unknown {
  if (!isObject(item)) return light(item);
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
  return isObject(value) ? {} : value;
}

// A summary within a summary may be nested without end.
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
