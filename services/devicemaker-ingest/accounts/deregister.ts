import { type Arrival, findLinkedUsers, type LinkedUser } from '../../../mixins/inbox/linked-users.ts';
import type { Call } from '../../../runtime/environment.ts';
import { providerUserIdOf } from '../items/entries.ts';
import { notConnected } from '../items/not-connected.ts';

/** The answer to `deregistrations`. `revoked` counts the connections whose status is `revoked` now. */
export interface Deregistered {
  readonly revoked: number;
  readonly errors: string[];
}

const problems = {
  checked_first: 'too many deregistrations came: the provider is asked first',
  outdated: 'the provider has confirmed the connection since',
} as const;

/**
 * Ends the connections of deregistered accounts: permanently if the delivery is authenticated, otherwise reversibly
 * until the provider is asked. An unknown account is reported and is not a failure.
 */
export async function deregister(
  call: Call,
  items: readonly unknown[],
  arrival: Arrival,
): Promise<Deregistered> {
  const ids = items.map(providerUserIdOf);
  const known = ids.filter((id) => id !== null);
  const linkedUsers = await findLinkedUsers(call, 'devicemaker', known, arrival);
  const outcomes = new Map<string, Outcome[]>();
  for (const [id, found] of linkedUsers) outcomes.set(id, await endAll(call, found, arrival));
  const revoked = [...outcomes.values()].flat().filter((outcome) => outcome === 'revoked').length;
  return { revoked, errors: ids.flatMap((id, index) => problemOf(id, index, outcomes)) };
}

type Outcome = Awaited<ReturnType<typeof end>>;

async function endAll(call: Call, linkedUsers: readonly LinkedUser[], arrival: Arrival): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const linkedUser of linkedUsers) outcomes.push(await end(call, linkedUser, arrival));
  return outcomes;
}

async function end(call: Call, linkedUser: LinkedUser, { authenticated, receivedMs }: Arrival) {
  const { connection_id, user_id } = linkedUser;
  const report = { connection_id, user_id, authenticated, received_ms: receivedMs };
  const { outcome } = await call('users.endByEvent', report);
  return outcome;
}

function problemOf(id: string | null, index: number, outcomes: ReadonlyMap<string, Outcome[]>): string[] {
  const where = `deregistrations[${index}]`;
  if (id === null) return [`${where}: userId: must be a text`];
  const found = outcomes.get(id);
  if (found === undefined) return [`${where}: ${notConnected}`];
  const open = found.find((outcome) => outcome === 'checked_first' || outcome === 'outdated');
  return open === undefined ? [] : [`${where}: ${problems[open]}`];
}
