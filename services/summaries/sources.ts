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

/** Sources by priority, highest first. Sources without a configured priority come last, by name. */
export function byPriority<T extends { readonly provider: string }>(
  sources: readonly T[],
  { priority }: SourceRules,
): T[] {
  const rank = ({ provider }: T) => {
    const rank = priority.indexOf(provider);
    return rank === -1 ? priority.length : rank;
  };
  return sources.toSorted((a, b) => rank(a) - rank(b) || (a.provider < b.provider ? -1 : 1));
}

/** The candidate with the largest value, on a tie the first one. Undefined if there is none. */
export function largest<T>(candidates: readonly T[], measure: (candidate: T) => number): T | undefined {
  return candidates.reduce<T | undefined>(
    (best, one) => (best === undefined || measure(one) > measure(best) ? one : best),
    undefined,
  );
}

/** A source as the API shows it. */
export function sourceToWire(provider: string, device: string | undefined, rules: SourceRules): Source {
  return { provider: rules.shownAs(provider), device: readMethod(device ?? 'unknown').device };
}
