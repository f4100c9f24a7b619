import type { Provider } from '../../domain/provider/provider.ts';
import { providers } from '../../providers/all.ts';

const limits = Object.values(providers).flatMap(({ settings }: Provider) =>
  Object.keys(settings).filter((name) => /_(REQUESTS|READS)_PER_/.test(name)),
);

/** Settings by which the services send requests without a limit, because hours of the scenarios last seconds. */
export const unlimited: Readonly<Record<string, string>> = Object.fromEntries(
  limits.map((name) => [name, '100000']),
);
