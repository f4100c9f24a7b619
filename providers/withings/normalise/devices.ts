import type { DeviceType } from '../../../domain/records/interval-records.ts';

/** The device of rows that Withings imported from another maker's service. */
export const importedDevice = 'imported';

/** The fields that tell an imported row. */
export interface RowOrigin {
  readonly deviceid: string | null;
  readonly brand: number | null;
  readonly is_tracker: boolean | null;
}

const importedBrand = 18;

/** Whether a row was imported from another maker. Such a row repeats data that its maker sends as well. */
export function isImported({ deviceid, brand, is_tracker }: RowOrigin): boolean {
  return deviceid === null && (brand === importedBrand || is_tracker === false);
}

const kinds: readonly (readonly [pattern: RegExp, type: DeviceType])[] = [
  [/phone|ios|android|healthkit|google fit|samsung health|huawei/i, 'phone'],
  [/watch|activit|steel|move|pulse hr/i, 'watch'],
  [/pulse|\bgo\b/i, 'band'],
  [/body|scale|wbs|ws-?30/i, 'scale'],
];

/** The kind of a device, by the name of its model. */
export function deviceTypeOf(model: string | null): DeviceType {
  return kinds.find(([pattern]) => pattern.test(model ?? ''))?.[1] ?? 'unknown';
}
