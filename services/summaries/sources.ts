import type { Config } from '../../config.ts';
import type { Source } from '../../domain/wire.ts';

/** How an operator wants sources to be judged and named. */
export interface SourceRules {
  /** Providers, the most trusted first. */
  readonly priority: readonly string[];
  /** The name that a provider is shown under. */
  readonly shownAs: (provider: string) => string;
}

/** The rules that the settings state. */
export function sourceRules(config: Pick<Config, 'SOURCE_PRIORITY' | 'PROVIDER_NAMES'>): SourceRules {
  return {
    priority: config.SOURCE_PRIORITY,
    shownAs: (provider) => config.PROVIDER_NAMES[provider] ?? provider,
  };
}

/** Sources by priority, the most trusted first; those that no setting names come last, by name. */
export function byPriority<T extends { readonly provider: string }>(
  sources: readonly T[],
  { priority }: SourceRules,
): T[] {
  const rank = ({ provider }: T) => {
    const place = priority.indexOf(provider);
    return place === -1 ? priority.length : place;
  };
  return sources.toSorted((a, b) => rank(a) - rank(b) || (a.provider < b.provider ? -1 : 1));
}

/** The one with the largest value, of equal ones the first; undefined where there is none. */
export function largest<T>(candidates: readonly T[], measure: (candidate: T) => number): T | undefined {
  return candidates.reduce<T | undefined>(
    (best, one) => (best === undefined || measure(one) > measure(best) ? one : best),
    undefined,
  );
}

/** A source as the API shows it. */
export function sourceToWire(provider: string, device: string | undefined, rules: SourceRules): Source {
  return { provider: rules.shownAs(provider), device: device ?? 'unknown' };
}
