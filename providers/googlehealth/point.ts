import {
  assumed,
  computed,
  decides,
  type FieldReader,
  type FieldTable,
  kept,
  notKept,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';

/** Why a point is left out. */
export const invalid = 'POINT_INVALID';

/** Seconds of a duration such as `7200s`. Null: it cannot be read. */
export function secondsOf(duration: unknown): number | null {
  const found = /^(-?\d{1,9})(?:\.\d+)?s$/.exec(typeof duration === 'string' ? duration : '');
  return found === null ? null : Number(found[1]);
}

const minutesOf: FieldReader = (offset) => {
  const seconds = secondsOf(offset);
  return seconds === null ? null : seconds / 60;
};
/** A UTC offset such as `7200s`. */
export const utcOffset = computed(minutesOf, 's', 'zone_offset');

const ofDevice = 'describes the device, which the source names';
const civil = 'the interval and its offset have the same time';
/** A field that ranks sources. */
export const ranked = decides(null, 'source');

/** Fields of every point. */
export const point: FieldTable = {
  name: decides(null, 'key'),
  'dataSource.platform': notKept(ofDevice),
  'dataSource.device.displayName': kept(null, 'source'),
  ...assumed({ 'dataSource.device.model': kept(null, 'source') }),
  'dataSource.device.manufacturer': kept(null, 'source'),
  'dataSource.device.formFactor': notKept('the kind of device ranks sources of summed values only'),
  ...assumed({
    'dataSource.application': notKept('the source is the device'),
    'dataSource.recordingMethod': notKept('a night or a day value that was typed in counts like others'),
  }),
};

const stamp = notKept('the time of the record at the provider');
/** Fields of a session that say when the provider changed it. */
export const stamps: FieldTable = { createTime: stamp, updateTime: stamp };

/** Fields of a member with an interval. */
export function intervalFields(member: string): FieldTable {
  return {
    [`${member}.interval.startTime`]: kept(null, 'start_time'),
    [`${member}.interval.endTime`]: kept(null, 'end_time'),
    [`${member}.interval.startUtcOffset`]: utcOffset,
    ...assumed({
      [`${member}.interval.endUtcOffset`]: notKept('the offset of the start counts', 's'),
      [`${member}.interval.civilStartTime`]: notKept(civil),
      [`${member}.interval.civilEndTime`]: notKept(civil),
    }),
  };
}

/** What all types have in common. What is no object is an invalid point. */
export const common = {
  device: 'unknown',
  isOfSpan: true,
  join: (points) => points.map((one) => (isItem(one) ? one : {})),
} as const satisfies Partial<RecordType>;

/** How a point was recorded. */
export function methodOf({ dataSource }: Item): unknown {
  return isItem(dataSource) ? dataSource.recordingMethod : null;
}

/** Whether a recording method says that a person typed the value. */
export const isManual = (method: unknown): boolean => method === 'MANUAL' || method === 'MANUAL_ENTRY';

const longestId = 200;

/** The last segment of a point's name, which identifies it. Null: it has no name. */
export function idOf({ name, dataPointName }: Item): string | null {
  const given = name ?? dataPointName;
  const id = typeof given === 'string' ? (given.split('/').at(-1) ?? '') : '';
  return id === '' || id.length > longestId ? null : id;
}

/** The draft of a session with its id. Null: the point has no interval. */
export function sessionOf(
  draft: Draft,
  session: Item,
): (Draft & { start_time: number; end_time: number }) | null {
  const [id, { start_time, end_time }] = [idOf(session), draft];
  if (start_time === undefined || end_time === undefined) return null;
  return { ...draft, start_time, end_time, ...(id === null ? {} : { key: id }) };
}
