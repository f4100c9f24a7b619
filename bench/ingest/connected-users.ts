import { z } from 'zod';
import type { Product } from '../product.ts';

/** A user who is connected to an account at the device maker. */
export interface ConnectedUser {
  readonly userId: string;
  readonly account: string;
}

const Id = z.object({ id: z.string() });
const atOnce = 8;

/** Creates users and their connections through the API. */
export async function createConnectedUsers(
  product: Product,
  name: string,
  count: number,
): Promise<ConnectedUser[]> {
  const accounts = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const rest = accounts.values();
  const made: ConnectedUser[] = [];
  const lane = async () => {
    for (const account of rest) made.push(await createConnectedUser(product, account));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return made;
}

async function createConnectedUser(product: Product, account: string): Promise<ConnectedUser> {
  const { id } = Id.parse(await product.post('/users', { external_user_id: account }));
  await product.post(`/users/${id}/connections`, { provider: 'devicemaker', provider_user_id: account });
  return { userId: id, account };
}
