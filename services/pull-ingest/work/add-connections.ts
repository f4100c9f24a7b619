import type { Queryable } from '../../../mixins/database/database.ts';
import type { LinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import { type PulledName, pullOf } from '../../../providers/all.ts';
import { sweepsOf } from '../rules/pulled.ts';
import { type Addition, addConnections, type ListedConnection } from '../tables/connections.ts';

/** Adds connections with the sweeps of their provider, unless they are stored. Returns the ids of the new ones. */
export function addListed(
  transaction: Queryable,
  provider: PulledName,
  connections: readonly ListedConnection[],
  more: Pick<Addition, 'isReadAtOnce' | 'completes'> = {},
): Promise<string[]> {
  if (connections.length === 0) return Promise.resolve([]);
  const subscribes = pullOf(provider).subscription?.of === 'account';
  return addConnections(transaction, provider, connections, {
    sweeps: sweepsOf(provider),
    subscribes,
    ...more,
  });
}

/** Adds the connections that a notification names. */
export async function addLinked(
  transaction: Queryable,
  provider: PulledName,
  linked: LinkedUsers,
): Promise<void> {
  const connections = [...linked.values()].flat().map(({ connection_id, user_id, connectedMs }) => ({
    connection_id,
    user_id,
    connected_at: new Date(connectedMs).toISOString(),
  }));
  await addListed(transaction, provider, connections);
}
