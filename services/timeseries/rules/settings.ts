import type { Mixin } from '../../../runtime/environment.ts';
import type { SourceOrder } from './ranks.ts';

/** Settings of how stored data is judged and shown. */
export interface Settings {
  /** Providers by priority, highest first. */
  readonly sourcePriority: readonly string[];
  /** The order in which sources of intervals count. */
  readonly sourceOrder: SourceOrder;
  /** The display name of a provider. */
  readonly shownAs: (provider: string) => string;
}

/** The settings of this service as a mixin. */
export function settings(): Mixin<Settings> {
  return ({ config }) => ({
    sourcePriority: config.SOURCE_PRIORITY,
    sourceOrder: { providers: config.SOURCE_PRIORITY, deviceTypes: config.DEVICE_PRIORITY },
    shownAs: (provider) => config.PROVIDER_NAMES[provider] ?? provider,
  });
}
