import type { UploadAnswer } from '../../../contracts/phone-ingest/answers.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import type { NightPhase } from '../../../providers/phone/nights/join-phases.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';

type SetAside = Extract<UploadItem, { list: 'set_aside' }>;

const mostProblems = 100;
const mostTypes = 200;

/** Counts what became of the items of an upload. */
export class Tally {
  stored = 0;
  setAside = 0;
  /** The numbers of items that were set aside, by the field that is wrong. */
  readonly setAsideFor = new Map<string, number>();
  readonly #problems: UploadAnswer['problems'] = [];
  readonly #unmapped = new Map<string, number>();

  addProblem({ in: list, id, problem: { field, reason } }: SetAside): void {
    this.setAside += 1;
    this.setAsideFor.set(field, (this.setAsideFor.get(field) ?? 0) + 1);
    if (this.#problems.length < mostProblems) this.#problems.push({ item: list, id, field, reason });
  }

  /** Counts items that were not read, because nearly all before them are invalid. */
  addUnread(items: number): void {
    if (items === 0) return;
    this.setAside += items;
    this.setAsideFor.set('unread', items);
  }

  addUnmapped(type: string): void {
    const name = this.#unmapped.has(type) || this.#unmapped.size < mostTypes ? type : 'others';
    this.#unmapped.set(name, (this.#unmapped.get(name) ?? 0) + 1);
  }

  /** The numbers of items that are neither of a series nor events, by type. */
  unmapped(): Record<string, number> {
    return Object.fromEntries(this.#unmapped);
  }

  /** The answer to the upload. */
  answer(userId: string, received: number, response: string): UploadAnswer {
    return {
      status_code: 202,
      response,
      user_id: userId,
      received,
      stored: this.stored,
      problems: this.#problems,
      set_aside: this.setAside,
      unmapped: this.unmapped(),
    };
  }
}

/** An item that was deleted on the phone. */
export interface DeletedItem {
  readonly id: string;
  readonly mayBeWorkout: boolean;
}

/** The items of a batch by where they are stored. */
interface Parts {
  readonly samples: PhoneRecord[];
  readonly intervals: PhoneRecord[];
  readonly phases: SleepPhase[];
  readonly workouts: StoreItem[];
  readonly events: StoreItem[];
  readonly deleted: DeletedItem[];
  /** The ids of records that are not stored. */
  readonly unmade: string[];
}

/** Sorts the items of a batch. Those that cannot be stored are counted. */
export function sortBatch(batch: readonly UploadItem[], tally: Tally): Parts {
  const parts: Parts = {
    samples: [],
    intervals: [],
    phases: [],
    workouts: [],
    events: [],
    deleted: [],
    unmade: [],
  };
  for (const item of batch) {
    parts.unmade.push(...unmadeId(item));
    if (item.list === 'records')
      parts[item.record.kind === 'sample' ? 'samples' : 'intervals'].push(item.record);
    else if (item.list === 'sleep') parts.phases.push(item.phase);
    else if (item.list === 'workouts') parts.workouts.push(item.workout);
    else if (item.list === 'events') parts.events.push(item.event);
    else if (item.list === 'deleted') parts.deleted.push(item);
    else if (item.list === 'unmapped') tally.addUnmapped(item.type);
    else tally.addProblem(item);
  }
  return parts;
}

function unmadeId(item: UploadItem): string[] {
  const isUnmade = item.list === 'unmapped' || (item.list === 'set_aside' && item.in === 'records');
  return isUnmade && item.id !== null ? [item.id] : [];
}

/** The ids whose deletion on the phone deletes an event: its own, and that of its meal. */
export function idsOfEvent({ key, other }: StoreItem): string[] {
  const meal = other?.data.meal_id;
  return typeof meal === 'string' && meal !== key ? [key, meal] : [key];
}

/** Whether an event, or its meal, was deleted on the phone. */
export function isGone(event: StoreItem, gone: ReadonlySet<string>): boolean {
  return idsOfEvent(event).some((id) => gone.has(id));
}

/** A phase as it is stored. */
export function phaseRow({ source, ...phase }: SleepPhase): NightPhase {
  const { device, device_type, device_id, app } = source;
  return { ...phase, device, device_type, source: JSON.stringify([device_id ?? device, app]) };
}
