import { deviceTypes } from '../../../domain/records/interval-records.ts';
import type { Mixin } from '../../../runtime/environment.ts';

/** Providers and device types, best first. */
export interface SourceOrder {
  readonly providers: readonly string[];
  readonly deviceTypes: readonly string[];
}

/** The order as text, to find statistics that were computed by another one, or by another rule for sources of equal rank. */
export function orderName({ providers, deviceTypes }: SourceOrder): string {
  return `${providers.join(',')};${deviceTypes.join(',')};${ruleVersion}`;
}

// 2: of equal rank the larger value counts. Without a version: the name of the device decided.
const ruleVersion = 2;

/** A source that takes part in the cut of a type. */
interface RankedSource {
  readonly id: number;
  readonly provider: string;
  readonly device: string;
  readonly device_type: string;
}

/** The device types in the order that applies unless a setting or the user has another one. */
const defaultDeviceTypes: readonly string[] = deviceTypes;

/** What decides between sources. */
export interface SourceRank {
  /** The smallest is the best. Devices of one provider and type have the same. */
  readonly rank: number;
  /** Decides between equal values of one rank: by the name of the device. */
  readonly place: number;
}

/**
 * The ranks of series: by provider, then by device type. What an order does not name comes after what it names, in the default
 * order.
 */
export function rankSources(
  series: readonly RankedSource[],
  order: SourceOrder,
): <T extends { readonly series_id: number }>(interval: T) => T & SourceRank {
  const place = (list: readonly string[], name: string) => {
    const index = list.indexOf(name);
    return index === -1 ? list.length : index;
  };
  const byText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
  const compareTiers = (a: RankedSource, b: RankedSource) =>
    place(order.providers, a.provider) - place(order.providers, b.provider) ||
    byText(a.provider, b.provider) ||
    place(order.deviceTypes, a.device_type) - place(order.deviceTypes, b.device_type) ||
    place(defaultDeviceTypes, a.device_type) - place(defaultDeviceTypes, b.device_type);
  const sorted = series.toSorted((a, b) => compareTiers(a, b) || byText(a.device, b.device) || a.id - b.id);
  const ranks = new Map<number, SourceRank>();
  let rank = 0;
  for (const [index, source] of sorted.entries()) {
    const before = sorted[index - 1];
    if (before !== undefined && compareTiers(before, source) !== 0) rank = index;
    ranks.set(source.id, { rank, place: index });
  }
  return (interval) => ({ ...interval, ...(ranks.get(interval.series_id) ?? { rank: 0, place: 0 }) });
}

/** Settings of how stored data is judged and shown. */
export interface Settings {
  /** The order in which sources of intervals count. */
  readonly sourceOrder: SourceOrder;
  /** The display name of a provider. */
  readonly shownAs: (provider: string) => string;
}

/** The settings of this service as a mixin. */
export function settings(): Mixin<Settings> {
  return ({ config }) => ({
    sourceOrder: { providers: config.SOURCE_PRIORITY, deviceTypes: config.DEVICE_PRIORITY },
    shownAs: (provider) => config.PROVIDER_NAMES[provider] ?? provider,
  });
}

/** A user's data of one provider. */
export interface UserProvider {
  readonly user_id: string;
  readonly provider: string;
}
