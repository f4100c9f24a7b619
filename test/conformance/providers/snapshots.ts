import { found, readLedger, type Snapshot, wanted } from '../../sandbox/compare.ts';
import type { Product } from '../product.ts';
import type { Account, Comparison } from '../scenarios.ts';

/** Compares snapshots of a user's data. `left` replaces what the provider has no expectation of. */
export async function compareSnapshots(
  { api, sandbox }: Product,
  { userId, person }: Account,
  left: Partial<Snapshot> = {},
): Promise<Comparison> {
  const ledger = await readLedger(sandbox.access.url, person);
  const have = await found((path) => api.expect(200, path), userId, ledger);
  return { want: withoutEmpty({ ...wanted(ledger), ...left }), have: withoutEmpty({ ...have, ...left }) };
}

function withoutEmpty({ samples, ...rest }: Snapshot): Snapshot {
  return { ...rest, samples: Object.fromEntries(Object.entries(samples).filter(([, count]) => count > 0)) };
}
