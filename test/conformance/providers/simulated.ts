import type { Post } from '../../../sandbox/server/delivery.ts';
import type { Contents } from '../../../sandbox/server/store.ts';
import { emptyValues } from '../../../sandbox/simulation/expected-series.ts';
import type { Account as SimulatedAccount } from '../../../sandbox/simulation/simulation.ts';
import { consent, newUser, type Product, simulationOf } from '../product.ts';
import type { Account } from '../scenarios.ts';

/** Connects a user to a simulated account. @throws Error without a connection */
export async function connectTo(
  product: Product,
  provider: string,
  person: number,
  without: readonly string[],
  region?: string,
): Promise<Account> {
  const userId = await newUser(product);
  const fromMs = product.sandbox.world.clock.nowMs();
  const status = await consent(product, { userId, provider, person, without, region });
  if (status !== 'connected') throw new Error(`${provider}: ${status}`);
  return { userId, person, fromMs, without };
}

/** The simulated account of a connection. */
export function accountAt(
  product: Product,
  provider: string,
  { person }: Pick<Account, 'person'>,
): SimulatedAccount {
  const found = simulationOf(product, provider).account(person - 1);
  if (found === null) throw new Error(`${provider} has no account of person ${person}`);
  return found;
}

/** The samples that are expected of an account. */
export function samplesOf(product: Product, provider: string, account: Account) {
  const values = emptyValues(null);
  accountAt(product, provider, account).addSamples(values);
  return values.list();
}

/** The request of a notification as the simulation sends it. @throws Error if it sends none */
export function postOf(product: Product, provider: string, contents: Contents): Post {
  const post = simulationOf(product, provider).post(contents);
  if (post === null) throw new Error(`${provider} has nothing to send`);
  return post;
}
