import type { Metrics } from './metrics.ts';

/** The most names of a process. Further ones are counted as `other`: senders choose names. */
const mostNames = 200;
const namesOf = new WeakMap<Metrics, Set<string>>();

/** Counts fields of an item that no field table lists, by name. */
export function countUnlisted(
  metrics: Metrics,
  provider: string,
  data_type: string,
  names: readonly string[],
): void {
  const known = namesOf.get(metrics) ?? new Set<string>();
  namesOf.set(metrics, known);
  for (const name of names) {
    const key = `${provider} ${data_type} ${name}`;
    if (known.size < mostNames) known.add(key);
    const field = known.has(key) ? name : 'other';
    metrics.count('pulsebus_unlisted_fields_total', { provider, data_type, field });
  }
}
