import { z } from 'zod';
import type { HttpRequest } from '../load/load.ts';
import type { Product } from '../product.ts';
import { Id } from '../requests.ts';
import { type ConnectedUser, dailiesOf } from './bodies.ts';

const atOnce = 8;

/** Creates users and their connections through the API. */
export async function createConnectedUsers(
  product: Product,
  name: string,
  count: number,
): Promise<ConnectedUser[]> {
  const accounts = Array.from({ length: count }, (_, index) => `${name}-${index}`).values();
  const made: ConnectedUser[] = [];
  const lane = async () => {
    for (const account of accounts) {
      const { id: userId } = Id.parse(await product.post('/users', { external_user_id: account }));
      const link = { provider: 'devicemaker', provider_user_id: account };
      await product.post(`/users/${userId}/connections`, link);
      made.push({ userId, account });
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
  return made;
}

/** The request of a push. */
function pushRequest(body: string): HttpRequest {
  const headers = { 'devicemaker-client-id': 'bench', 'content-type': 'application/json' };
  return { path: '/api/v1/webhooks/devicemaker/push', headers, body };
}

const Answer = z.object({
  errors: z.array(z.string()),
  wellness: z.record(z.string(), z.object({ processed: z.int(), saved: z.int() })),
});

/** The requests of pushes of a day of one user each: all users of a day, then those of the next one. */
export function dayPushes(users: readonly ConnectedUser[], first: number, days: number): HttpRequest[] {
  return Array.from({ length: days }, (_, index) =>
    users.map((user) => pushRequest(dailiesOf([user], first + index))),
  ).flat();
}

/** Sends a push; returns the response time and the answer. @throws Error if its status is not 200 */
export async function timePush({ url }: Product, text: string): Promise<{ tookMs: number; answer: string }> {
  const { path, headers = {} } = pushRequest('');
  const body = Buffer.from(text);
  const began = performance.now();
  const response = await fetch(url + path, { method: 'POST', headers, body });
  const answer = await response.text();
  if (response.status !== 200) throw new Error(`a push was answered with ${response.status}`);
  return { tookMs: performance.now() - began, answer };
}

/** Sends a push; returns the response time. @throws Error if an item was not saved */
export async function sendPush(product: Product, body: string, items: number): Promise<number> {
  const { tookMs, answer } = await timePush(product, body);
  const { errors, wellness } = Answer.parse(JSON.parse(answer));
  const saved = Object.values(wellness).reduce((sum, one) => sum + one.saved, 0);
  if (errors.length > 0 || saved !== items)
    throw new Error(`${saved} of ${items} items were saved: ${errors[0] ?? ''}`);
  return tookMs;
}
