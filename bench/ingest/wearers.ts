import { z } from 'zod';
import type { Product } from '../product.ts';

/** A user who is linked to an account at the device maker. */
export interface Wearer {
  readonly userId: string;
  readonly account: string;
}

const Id = z.object({ id: z.string() });
const atOnce = 8;

/** Makes users with their links, through the API. */
export async function makeWearers(product: Product, name: string, count: number): Promise<Wearer[]> {
  const accounts = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  const rest = accounts.values();
  const made: Wearer[] = [];
  const lane = async () => {
    for (const account of rest) made.push(await makeWearer(product, account));
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return made;
}

async function makeWearer(product: Product, account: string): Promise<Wearer> {
  const { id } = Id.parse(await product.post('/users', { external_user_id: account }));
  await product.post(`/users/${id}/connections`, { provider: 'devicemaker', provider_user_id: account });
  return { userId: id, account };
}
