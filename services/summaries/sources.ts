import type { Config } from '../../config.ts';
import { withoutNoise } from '../../domain/json/decimals.ts';
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

/** A whole number: steps and beats are counted. */
export function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

/** A mean, to a hundredth of its unit. */
export function hundredths(value: number | null): number | null {
  return value === null ? null : Math.round(value * 100) / 100;
}

/** As `withoutNoise`, of a value that may not be there. */
export function clean(value: number | null): number | null {
  return value === null ? null : withoutNoise(value);
}
