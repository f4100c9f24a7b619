import { type FreshKind, kindsOfPulled } from '../../domain/freshness/shared-kinds.ts';
import type { Database } from '../../mixins/database/database.ts';
import { pullOf } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { addListed } from './add-known.ts';
import { pulledNamed } from './pulled.ts';
import { demandPast } from './queries/demand-reads.ts';

interface Reconciling {
  readonly database: Database;
  readonly call: Call;
}

interface Reconciled {
  readonly user_id: string;
  readonly provider: string;
  readonly kinds?: readonly FreshKind[] | undefined;
  readonly start_ms: number;
}

/**
 * Reads kinds of data of a connection again from an instant until now, after what notifications demand. Types that were not granted are
 * left out. Returns the number of types. @throws CONNECTION_NOT_FOUND (404)
 */
export async function reconcile(
  { database, call }: Reconciling,
  { user_id, provider: name, kinds, start_ms }: Reconciled,
  nowMs: number,
): Promise<number> {
  const provider = pulledNamed(name);
  if (provider === undefined) return 0;
  const { id: connection_id, status, scope } = await call('users.connection', { user_id, provider });
  if (status !== 'active') return 0;
  const types = Object.entries(pullOf(provider).types).flatMap(([type, pulled]) => {
    const isWanted = kinds === undefined || kinds.some((kind) => kindsOfPulled(pulled).has(kind));
    return isWanted && pulled.isGranted(scope) ? [type] : [];
  });
  const { connected_at } = await call('users.tokens', { user_id, provider });
  return database.transaction(async (transaction) => {
    await addListed(transaction, provider, [{ connection_id, user_id, connected_at }]);
    return demandPast(transaction, connection_id, types, { startMs: start_ms, endMs: nowMs });
  });
}
