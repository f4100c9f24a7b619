import type { Mixin } from '../../runtime/environment.ts';

/** What an operator may change of how stored data is judged and shown. */
export interface Settings {
  /** Providers, the most trusted first. */
  readonly sourcePriority: readonly string[];
  /** The name that a provider is shown under. */
  readonly shownAs: (provider: string) => string;
}

/** The settings that this service uses, as a mixin of its handlers. */
export function settings(): Mixin<Settings> {
  return {
    start: async ({ config }) => ({
      sourcePriority: config.SOURCE_PRIORITY,
      shownAs: (provider) => config.PROVIDER_NAMES[provider] ?? provider,
    }),
    stop: async () => undefined,
  };
}
