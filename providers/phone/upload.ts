import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import type { StoreItem } from '../../domain/records/records.ts';
import { readEvent } from './normalise/event.ts';
import { idOf, idProblem, isProblem, type Problem, textOrNull } from './normalise/item.ts';
import { type PhoneRecord, readRecord } from './normalise/record.ts';
import { readSleepPhase, type SleepPhase } from './normalise/sleep-phase.ts';
import { readWorkout } from './normalise/workout.ts';

/** The lists of an upload. */
export const uploadLists = ['records', 'sleep', 'workouts', 'deleted'] as const;
export type UploadList = (typeof uploadLists)[number];

/** The health stores that phones upload from. */
export const phoneSources = ['apple', 'google', 'samsung'] as const;

/** One item of an upload, read. `set_aside`: it is invalid, and the others are not affected. */
export type UploadItem =
  | { readonly list: 'records'; readonly record: PhoneRecord }
  | { readonly list: 'events'; readonly event: StoreItem }
  | { readonly list: 'sleep'; readonly phase: SleepPhase }
  | { readonly list: 'workouts'; readonly workout: StoreItem }
  | { readonly list: 'deleted'; readonly id: string; readonly mayBeWorkout: boolean }
  | { readonly list: 'unmapped'; readonly id: string | null; readonly type: string }
  | {
      readonly list: 'set_aside';
      readonly id: string | null;
      readonly in: UploadList;
      readonly problem: Problem;
    };

/** The health store that the field `provider` of a body names. Null: it names none of them. */
export function sourceNamed(provider: unknown): (typeof phoneSources)[number] | null {
  const given = textOrNull(provider, 20)?.toLowerCase();
  return phoneSources.find((name) => name === given) ?? null;
}

/**
 * Reads one item of a list. Pure, and never throws because of an item's content. `timeZone`: the zone of the upload, for items that
 * name neither an offset nor a zone.
 */
export function readItem(
  list: UploadList,
  item: unknown,
  nowMs: number,
  timeZone: string | null = null,
): UploadItem {
  const isObject = isItem(item);
  const read = isObject ? readers[list](item, nowMs, timeZone) : { field: '', reason: 'must be an object' };
  return isProblem(read)
    ? { list: 'set_aside', id: isObject ? idOf(item) : null, in: list, problem: read }
    : read;
}

type Reader = (item: Item, nowMs: number, timeZone: string | null) => UploadItem | Problem;

const readers: Readonly<Record<UploadList, Reader>> = {
  records(item, nowMs, timeZone) {
    const record = readRecord(item, nowMs, timeZone);
    if (isProblem(record)) return record;
    if (record.kind !== 'unmapped') return { list: 'records', record };
    // The types of events have no series.
    const event = readEvent(item, nowMs, timeZone);
    if (event === null) return { list: 'unmapped', id: idOf(item), type: record.type };
    return isProblem(event) ? event : { list: 'events', event };
  },
  sleep(...entry) {
    const phase = readSleepPhase(...entry);
    return isProblem(phase) ? phase : { list: 'sleep', phase };
  },
  workouts(...entry) {
    const workout = readWorkout(...entry);
    return isProblem(workout) ? workout : { list: 'workouts', workout };
  },
  deleted(item) {
    const id = idOf(item);
    // Without a type, the item may be of any list.
    const mayBeWorkout = typeof item.type !== 'string' || /workout|exercise/i.test(item.type);
    return id === null ? idProblem : { list: 'deleted', id, mayBeWorkout };
  },
};
