import type { Config } from '../../config.ts';
import type { ProviderName } from '../../domain/wire.ts';

/** How checks of a provider's accounts are carried out. */
export interface AccessLimits {
  /** The action that reads at the provider. */
  readonly action: 'connect.checkAccess' | 'activitynet-ingest.checkAccess';
  /** Reads in an hour, of all accounts together, and changes that may be applied before they are checked. */
  readonly readsPerHour: (config: Config) => number;
}

/** The activity platform limits reads: its checks take at most a hundredth of a day's reads in an hour. */
export const accessLimits: Readonly<Record<ProviderName, AccessLimits>> = {
  devicemaker: { action: 'connect.checkAccess', readsPerHour: () => 300 },
  activitynet: {
    action: 'activitynet-ingest.checkAccess',
    readsPerHour: ({ ACTIVITYNET_READS_PER_DAY }) => Math.ceil(ACTIVITYNET_READS_PER_DAY / 100),
  },
};
