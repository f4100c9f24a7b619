import type { Change } from '../index.ts';
import { UsageError } from './command.ts';
import { signedHeaders } from './sign.ts';

/** As long as Pulsebus waits for an endpoint. */
const limitMs = 15_000;
const hosts = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** An address of this machine. Bodies may contain health data. @throws UsageError for another one */
export function targetOf(text: string): string {
  try {
    const { protocol, hostname, username, password, href } = new URL(text);
    if (/^https?:$/.test(protocol) && hosts.test(hostname) && username + password === '') return href;
  } catch {}
  throw new UsageError(
    '--to is an http address of this machine: http://localhost:4000/hooks. For another machine register a webhook endpoint.',
  );
}

/** Posts a change as a webhook message. Returns the status, or why there is none. Redirects are not followed. */
export async function forward(
  to: string,
  { id, type, timestamp, data }: Change,
  secret: string,
): Promise<string> {
  const body = JSON.stringify({ type, timestamp, data });
  const headers = signedHeaders(id, body, secret, Date.now());
  try {
    const signal = AbortSignal.timeout(limitMs);
    const response = await fetch(to, { method: 'POST', headers, body, redirect: 'manual', signal });
    await response.body?.cancel();
    return String(response.status);
  } catch (error) {
    const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
    return `not delivered (${String(Reflect.get(Object(cause), 'code') ?? Reflect.get(Object(cause), 'name'))})`;
  }
}
