import type { StoreItem } from '../../domain/records/records.ts';
import { readEvent } from './normalise/event.ts';
import { idOf, isObject, isProblem, type Problem, type RawItem, textOrNull } from './normalise/item.ts';
import { type PhoneRecord, readRecord, type Unmapped } from './normalise/record.ts';
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
  if (!isObject(item)) return setAside(list, null, { field: '', reason: 'must be an object' });
  const read = readers[list](item, nowMs, timeZone);
  return 'reason' in read ? setAside(list, idOf(item), read) : read;
}

type Reader = (item: RawItem, nowMs: number, timeZone: string | null) => UploadItem | Problem;

const readers: Readonly<Record<UploadList, Reader>> = {
  records(item, nowMs, timeZone) {
    const read = readRecord(item, nowMs, timeZone);
    if (isProblem(read)) return read;
    return read.kind === 'unmapped'
      ? eventItem(item, nowMs, timeZone, read)
      : { list: 'records', record: read };
  },
  sleep(item, nowMs, timeZone) {
    const phase = readSleepPhase(item, nowMs, timeZone);
    return isProblem(phase) ? phase : { list: 'sleep', phase };
  },
  workouts(item, nowMs, timeZone) {
    const workout = readWorkout(item, nowMs, timeZone);
    return isProblem(workout) ? workout : { list: 'workouts', workout };
  },
  deleted(item) {
    const id = idOf(item);
    return id === null
      ? { field: 'id', reason: 'must be a text of 1 to 200 characters' }
      : { list: 'deleted', id, mayBeWorkout: mayBeWorkout(item.type) };
  },
};

// Without a type, the item may be of any list.
function mayBeWorkout(type: unknown): boolean {
  return typeof type !== 'string' || /workout|exercise/i.test(type);
}

// The types of events have no series.
function eventItem(
  item: RawItem,
  nowMs: number,
  timeZone: string | null,
  { type }: Unmapped,
): UploadItem | Problem {
  const event = readEvent(item, nowMs, timeZone);
  if (event === null) return { list: 'unmapped', id: idOf(item), type };
  return isProblem(event) ? event : { list: 'events', event };
}

function setAside(list: UploadList, id: string | null, problem: Problem): UploadItem {
  return { list: 'set_aside', id, in: list, problem };
}
