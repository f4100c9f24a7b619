import { assumed, computed, each, type FieldTable, notKept } from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import type { Item } from '../../domain/recipe/read-fields.ts';
import { earliestMs, lastMs } from '../../domain/time/time.ts';
import { offsetMinutesIn } from '../../domain/time/zone.ts';

/** Fields that tell how to read a row, or describe its device. */
export const onlyRead = notKept('used to read, not part of a record');
export const ofDevice = notKept('describes the device, which the source names');

/** The ids of the device of a row. */
export const device: FieldTable = assumed(each(ofDevice, 'hash_deviceid', 'model_id'));

/** A text; null: it is none. */
export const textOf = (value: unknown): string | null =>
  typeof value === 'string' ? value.replaceAll('\0', '').trim().slice(0, 100).toWellFormed() || null : null;

/** A number within bounds, rounded to a whole one; null: it is none. */
export function wholeWithin(value: unknown, least: number, most: number): number | null {
  const whole = typeof value === 'number' ? Math.round(value) : Number.NaN;
  return whole >= least && whole <= most ? whole : null;
}

/** The name of the device of a row. Some rows have a number there. */
export const deviceName = computed(textOf, null, 'source');
export const rowDevice: FieldTable = { ...device, ...assumed({ model: deviceName }) };
/** The device of rows that name none. */
export const unknownDevice = 'unknown';
/** The device of rows that Withings imported from another maker's service. */
export const importedDevice = 'imported';

/** The name of a time zone, in which the clock has an offset at the start of the record. */
export const zoneAt = (start: string) =>
  computed(
    (zone, { [start]: seconds }) => {
      const ms = Number(seconds) * 1000;
      return typeof zone === 'string' && ms >= earliestMs && ms <= lastMs ? offsetMinutesIn(zone, ms) : null;
    },
    null,
    'zone_offset',
  );

/** Whether a row is a record: it has an id, a start and, where records have one, an end. */
export function isReadable({ key, start_time = 0, end_time }: Draft, hasEnd = true): boolean {
  return key !== undefined && start_time >= earliestMs && (!hasEnd || end_time !== undefined);
}

/** The object of a row with its figures. */
export const dataOf = ({ data }: Item): Item => Object(data);
