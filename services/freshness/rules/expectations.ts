import { FreshKind, kindsOfPulled } from '../../../domain/freshness/shared-kinds.ts';
import type { Provider } from '../../../domain/provider/provider.ts';
import { hourMs } from '../../../domain/time/time.ts';
import { isPulled, type ProviderName, providers, pullOf } from '../../../providers/all.ts';

/** How missing data is fetched: read again, or requested from the provider. Null: only the user can send it. */
type RepairMeans = 'read' | 'request' | null;

const meansOf: Readonly<Record<Provider['backfill']['from'], RepairMeans>> = {
  pages: 'read',
  requests: 'request',
  uploads: null,
  files: null,
};

/** How missing data of a provider is fetched. */
export function repairMeans(provider: ProviderName): RepairMeans {
  return meansOf[providers[provider].backfill.from];
}

/** The data types to request of a provider for missing kinds of data. Empty: its past data is not requested. */
export function typesBringing(provider: ProviderName, kinds: readonly FreshKind[]): string[] {
  const { backfill }: Provider = providers[provider];
  if (backfill.from !== 'requests') return [];
  return backfill.types.filter((type) => kinds.some((kind) => backfill.brings[type]?.includes(kind)));
}

/** Whether a granted scope excludes requests of past data. A scope that is not known excludes nothing. */
export function isPastWithheld(provider: ProviderName, scope: readonly string[]): boolean {
  const { backfill }: Provider = providers[provider];
  return backfill.from === 'requests' && scope.length > 0 && !backfill.isPastGranted(scope);
}

/** The cadence in the description of the provider. Null: there is none. */
export function cadenceMs(provider: ProviderName, kind: FreshKind): number | null {
  const { cadenceHours }: Provider = providers[provider];
  const hours = cadenceHours[kind];
  return hours === undefined ? null : hours * hourMs;
}

/** The kinds that come regularly from whoever uses a device of a provider. */
export function regularKinds(provider: ProviderName): FreshKind[] {
  return FreshKind.options.filter((kind) => cadenceMs(provider, kind) !== null);
}

/** Whether a granted scope excludes a kind of data. A scope that is not known excludes nothing. */
export function isWithheld(provider: ProviderName, scope: readonly string[], kind: FreshKind): boolean {
  if (scope.length === 0) return false;
  const { withholds }: Provider = providers[provider];
  if (withholds !== undefined) return withholds(scope, kind);
  if (!isPulled(provider)) return false;
  const bringing = Object.values(pullOf(provider).types).filter((type) => kindsOfPulled(type).has(kind));
  return bringing.length > 0 && bringing.every((type) => !type.isGranted(scope));
}
