import { z } from 'zod';
import type { HttpRequest } from '../load/load.ts';
import type { Product } from '../product.ts';

const path = '/api/v1/webhooks/devicemaker/push';
const headers = { 'devicemaker-client-id': 'bench', 'content-type': 'application/json' };

/** The request of a push. */
export function pushRequest(body: string): HttpRequest {
  return { path, headers, body };
}

const Answer = z.object({
  errors: z.array(z.string()),
  wellness: z.record(z.string(), z.object({ processed: z.int(), saved: z.int() })),
});

/** Sends a push; returns the response time. @throws Error if an item was not saved */
export async function sendPush({ url }: Product, body: string, items: number): Promise<number> {
  const bytes = Buffer.from(body);
  const began = performance.now();
  const response = await fetch(url + path, { method: 'POST', headers, body: bytes });
  const text = await response.text();
  const tookMs = performance.now() - began;
  if (response.status !== 200) throw new Error(`a push was answered with ${response.status}`);
  const { errors, wellness } = Answer.parse(JSON.parse(text));
  const saved = Object.values(wellness).reduce((sum, one) => sum + one.saved, 0);
  if (errors.length > 0 || saved !== items)
    throw new Error(`${saved} of ${items} items were saved: ${errors[0] ?? ''}`);
  return tookMs;
}
