import type { Config } from '../../config.ts';
import { readMethod } from '../../domain/records/recording-method.ts';
import type { Source } from '../../domain/wire.ts';

/** Configured priority and display names of sources. */
export interface SourceRules {
  /** Providers by priority, highest first. */
  readonly priority: readonly string[];
  /** The display name of a provider. */
  readonly shownAs: (provider: string) => string;
}

/** The configured rules. */
export function sourceRules(config: Pick<Config, 'SOURCE_PRIORITY' | 'PROVIDER_NAMES'>): SourceRules {
  return {
    priority: config.SOURCE_PRIORITY,
    shownAs: (provider) => config.PROVIDER_NAMES[provider] ?? provider,
  };
}

/** A source as the API shows it. */
export function sourceToWire(provider: string, device: string | undefined, rules: SourceRules): Source {
  return { provider: rules.shownAs(provider), device: readMethod(device ?? 'unknown').device };
}
