import { hash } from 'node:crypto';
import { ownText } from '../../../domain/own-text.ts';
import {
  bareItem,
  type SampleBlock,
  type SleepRecord,
  type StoreItem,
} from '../../../domain/records/records.ts';
import { type Entry, keyOf, type Skipped, type Span } from '../../../providers/file/entry.ts';
import { chooseGroups, joinPhases, withTimeInBed } from '../../../providers/phone/nights/join-phases.ts';
import { sessionOf } from '../../../providers/phone/nights/night-session.ts';
import type { PhoneRecord } from '../../../providers/phone/normalise/record.ts';
import type { SleepPhase } from '../../../providers/phone/normalise/sleep-phase.ts';
import { type IntervalCall, intervalCalls, itemCalls } from '../../../providers/phone/store/calls.ts';

/** Where reading goes on: at the beginning of a member, or of the file. */
export interface Cursor {
  /** The number of the member in its archive, behind those of the archives that it is in. Empty: the beginning of the file. */
  readonly path: readonly number[];
  /** The number of entries before it. */
  readonly position: number;
}

/** What is known of a part beside its entries. */
interface Reached {
  /** The number of entries of the file up to the end of this part. */
  readonly position: number;
  readonly progress: number;
  readonly cursor: Cursor;
}

/** What became of a member of an archive. */
export interface MemberReport {
  readonly path: readonly number[];
  readonly name: string;
  /** `damaged`: what stands before the damage is stored. `unread`: it is of a kind that is not read. */
  readonly state: 'read' | 'damaged' | 'unread';
  readonly entries: number;
  /** Why it was not read to its end, or the first of its entries was skipped. */
  readonly reason: string | null;
}

/** Members that ended in a part: the first of them, and the numbers of those that were not read. */
export interface EndedMembers {
  readonly reports: readonly MemberReport[];
  readonly damaged: number;
  readonly unread: number;
}

/** Part of a file, as it is stored. */
export interface ImportBatch extends Reached {
  readonly members: EndedMembers;
  readonly items: readonly (readonly StoreItem[])[];
  readonly intervals: readonly IntervalCall[];
  readonly counts: Readonly<Record<string, number>>;
  readonly skipped: readonly SkippedItems[];
  readonly span: Span | null;
}

interface SkippedItems {
  readonly type: string;
  readonly reason: string;
  readonly items: number;
  /** Where the first of them are in the file. */
  readonly positions: readonly number[];
}

/** The most members of an import that are named. */
export const mostReports = 1000;

/** The most positions that are kept of equal entries. */
export const mostPositions = 10;

/** The entries of a part. Parts of 6,000 take 15 MB more, for their calls are large objects to V8, and are stored as fast. */
export const entriesPerBatch = 4000;

/** A part with more samples ends: recordings of two days have 800,000 each. */
const heavySamples = 400_000;
/** What an item without samples counts. */
const itemWeight = 100;

/** Gathers entries until they are stored. */
export class BatchBuilder {
  readonly #samples = new SampleColumns();
  readonly #localSamples = new SampleColumns();
  readonly #intervals: PhoneRecord[] = [];
  readonly #items: StoreItem[] = [];
  readonly #counts = new Map<string, number>();
  readonly #skipped = new Map<string, { type: string; reason: string; items: number; positions: number[] }>();
  #span: Span | null = null;
  #weight = 0;
  readonly #members: { reports: MemberReport[]; damaged: number; unread: number } = {
    reports: [],
    damaged: 0,
    unread: 0,
  };

  /** Whether no more should be added, because of the memory that it takes. */
  get isHeavy(): boolean {
    return this.#weight >= heavySamples;
  }

  /** The number of members that have ended. */
  get members(): number {
    const { reports, damaged, unread } = this.#members;
    return Math.max(reports.length, damaged + unread);
  }

  /** Adds an entry, with its number in the file. */
  add(entry: Exclude<Entry, { kind: 'phase' }>, position: number): void {
    if (entry.kind === 'skipped') this.addSkipped(entry, position);
    else if (entry.kind === 'item') {
      this.#items.push(entry.item);
      this.#weight += itemWeight + entry.item.samples.reduce((sum, { at }) => sum + at.length, 0);
      this.#count(entry.type, entry.span);
      for (const note of entry.notes ?? []) this.addSkipped(note, position);
    } else {
      const { record } = entry;
      if (record.kind === 'sample')
        (record.is_local === true ? this.#localSamples : this.#samples).add(record);
      else this.#intervals.push(record);
      this.#count(record.series, record);
    }
  }

  addSkipped({ type, reason, position: own, items = 1 }: Skipped, number?: number): void {
    const position = own ?? number;
    const key = `${type}\n${reason}`;
    const same = this.#skipped.get(key) ?? { type: ownText(type), reason, items: 0, positions: [] };
    if (same.items === 0) this.#skipped.set(`${same.type}\n${reason}`, same);
    same.items += items;
    if (position !== undefined && same.positions.length < mostPositions) same.positions.push(position);
  }

  /** Notes that a member has ended. */
  addMember(report: MemberReport): void {
    const { reports } = this.#members;
    if (reports.length < mostReports) reports.push(report);
    if (report.state !== 'read') this.#members[report.state] += 1;
  }

  #count(type: string, { start_ms, end_ms }: Span): void {
    this.#counts.set(type, (this.#counts.get(type) ?? 0) + 1);
    const span = this.#span;
    if (span === null) this.#span = { start_ms, end_ms };
    else if (start_ms < span.start_ms || end_ms > span.end_ms)
      this.#span = {
        start_ms: Math.min(span.start_ms, start_ms),
        end_ms: Math.max(span.end_ms, end_ms),
      };
  }

  take(reached: Reached): ImportBatch {
    const samples = [
      ...sampleItems(this.#samples.blocks(), false),
      ...sampleItems(this.#localSamples.blocks(), true),
    ];
    return {
      ...reached,
      members: this.#members,
      span: this.#span,
      items: itemCalls([...samples, ...this.#items]),
      intervals: [...intervalCalls(this.#intervals)],
      counts: Object.fromEntries(this.#counts),
      skipped: [...this.#skipped.values()],
    };
  }
}

// The same samples of another file are the same item.
function sampleItems(samples: SampleBlock[], is_local: boolean): StoreItem[] {
  if (samples.length === 0) return [];
  const key = hash('sha256', JSON.stringify(is_local ? [samples, 'local'] : samples), 'base64url');
  const item = { ...bareItem, data_type: 'records', key, hash: key, samples, is_local } as const;
  return [{ ...item, supersede: 'latest', duration_seconds: 0 }];
}

/** The nights of all phases of a file. */
export function nightsOf(phases: readonly SleepPhase[]): Entry[] {
  const sourced = phases.map(({ source, ...phase }) => ({
    ...phase,
    device: source.device,
    device_type: source.device_type,
    source: JSON.stringify([source.device, source.app]),
  }));
  const groups = joinPhases(sourced);
  return withTimeInBed(chooseGroups(groups), groups).map((group) => nightItem(sessionOf(group)));
}

function nightItem(session: SleepRecord): Entry {
  const { start_ms, end_ms, device } = session;
  const duration_seconds = Math.round((end_ms - start_ms) / 1000);
  const source = { device, device_type: 'unknown', device_id: null, app: null } as const;
  const item: StoreItem = {
    ...bareItem,
    data_type: 'sleep',
    supersede: 'sleep',
    duration_seconds,
    sleeps: [session],
    key: keyOf('sleep', source, session, null),
    hash: hash('sha256', JSON.stringify(session), 'base64url'),
  };
  return { kind: 'item', item, type: 'sleep', span: { start_ms, end_ms } };
}

/** A series of a part: its samples in the order of the file. */
interface Columns extends Pick<SampleBlock, 'type' | 'device' | 'zone_offset_minutes'> {
  readonly times: number[];
  readonly values: number[];
}

/** Gathers samples as columns: a record with its objects takes ten times the memory, and each collection copies it. */
export class SampleColumns {
  readonly #groups = new Map<string, Columns>();
  #last: Columns | null = null;

  add({ series, source: { device }, zone_offset_minutes, start_ms, value }: PhoneRecord): void {
    const last = this.#last;
    const isSame =
      last?.type === series && last.device === device && last.zone_offset_minutes === zone_offset_minutes;
    const columns = isSame ? last : this.#groupOf(series, device, zone_offset_minutes);
    columns.times.push(start_ms);
    columns.values.push(value);
    this.#last = columns;
  }

  #groupOf(type: Columns['type'], device: string, zone_offset_minutes: number | null): Columns {
    const key = `${type}\0${zone_offset_minutes}\0${device}`;
    const existing = this.#groups.get(key);
    if (existing !== undefined) return existing;
    const columns = { type, device, zone_offset_minutes, times: [], values: [] };
    this.#groups.set(key, columns);
    return columns;
  }

  /** Blocks in the order of time. Of several samples at one instant the last one counts. */
  blocks(): SampleBlock[] {
    return [...this.#groups.values()].map(blockOf);
  }
}

function blockOf({ times, values, ...series }: Columns): SampleBlock {
  const order = isAscending(times) ? null : ascendingOrder(times);
  const sorted = order === null ? times : inOrder(times, order);
  const base_ms = sorted[0] ?? 0;
  return {
    ...series,
    base_ms,
    at: sorted.map((ms) => ms - base_ms),
    values: order === null ? values : inOrder(values, order),
  };
}

function isAscending(times: readonly number[]): boolean {
  return times.every((ms, index) => index === 0 || ms > (times[index - 1] ?? ms));
}

function ascendingOrder(times: readonly number[]): number[] {
  const lastAt = new Map(times.map((ms, index) => [ms, index]));
  return [...lastAt].toSorted(([a], [b]) => a - b).map(([, index]) => index);
}

function inOrder(numbers: readonly number[], order: readonly number[]): number[] {
  return order.map((index) => numbers[index] ?? 0);
}
