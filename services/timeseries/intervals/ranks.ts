import { deviceTypes } from '../../../domain/records/interval-records.ts';

/** Providers and device types, best first. */
export interface SourceOrder {
  readonly providers: readonly string[];
  readonly deviceTypes: readonly string[];
}

/** The order as text, to find statistics that were computed by another one. */
export function orderName({ providers, deviceTypes }: SourceOrder): string {
  return `${providers.join(',')};${deviceTypes.join(',')}`;
}

/** A source that takes part in the cut of a type. */
export interface RankedSource {
  readonly id: number;
  readonly provider: string;
  readonly device: string;
  readonly device_type: string;
}

/** The device types in the order that applies unless a setting or the user has another one. */
const defaultDeviceTypes: readonly string[] = deviceTypes;

/**
 * The rank of each series: by provider, then by device type, then by the name of the device. What an order does not name
 * comes after what it names, in the default order.
 */
export function ranksOf(series: readonly RankedSource[], order: SourceOrder): ReadonlyMap<number, number> {
  const place = (list: readonly string[], name: string) => {
    const index = list.indexOf(name);
    return index === -1 ? list.length : index;
  };
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const sorted = series.toSorted(
    (a, b) =>
      place(order.providers, a.provider) - place(order.providers, b.provider) ||
      byText(a.provider, b.provider) ||
      place(order.deviceTypes, a.device_type) - place(order.deviceTypes, b.device_type) ||
      place(defaultDeviceTypes, a.device_type) - place(defaultDeviceTypes, b.device_type) ||
      byText(a.device, b.device) ||
      a.id - b.id,
  );
  return new Map(sorted.map(({ id }, index) => [id, index]));
}
