import { type Arrival, findLinkedUsers, type LinkedUsers } from '../../../mixins/inbox/linked-users.ts';
import type { Call } from '../../../runtime/environment.ts';
import { providerUserIdOf } from '../items/entries.ts';
import { notConnected } from '../items/not-connected.ts';

/** The answer to `deregistrations`. `revoked` counts the connections whose status is `revoked` now. */
export interface Deregistered {
  readonly revoked: number;
  readonly errors: string[];
}

/** Ends the connections of deregistered accounts. An unknown account is reported and is not a failure. */
export async function deregister(
  call: Call,
  items: readonly unknown[],
  arrival: Arrival,
): Promise<Deregistered> {
  const ids = items.map(providerUserIdOf);
  const known = ids.filter((id) => id !== null);
  const linkedUsers = await findLinkedUsers(call, 'devicemaker', known, arrival);
  let revoked = 0;
  for (const { connection_id, user_id } of [...linkedUsers.values()].flat()) {
    const ended = await call('users.endByEvent', { connection_id, user_id });
    revoked += ended.revoked ? 1 : 0;
  }
  return { revoked, errors: ids.flatMap((id, index) => problemOf(id, index, linkedUsers)) };
}

function problemOf(id: string | null, index: number, linkedUsers: LinkedUsers): string[] {
  const where = `deregistrations[${index}]`;
  if (id === null) return [`${where}: userId: must be a text`];
  return linkedUsers.has(id) ? [] : [`${where}: ${notConnected}`];
}
