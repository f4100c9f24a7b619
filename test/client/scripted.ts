import { Pulsebus, type PulsebusOptions } from '../../clients/typescript/src/index.ts';

/** One response of a script; null is a lost connection. */
export type Scripted = {
  readonly status?: number;
  readonly body?: unknown;
  readonly text?: string;
  readonly headers?: Readonly<Record<string, string>>;
} | null;

/** A request as the client sent it. */
interface Sent {
  readonly line: string;
  readonly headers: Headers;
  readonly body: unknown;
}

/** A client whose requests are recorded and answered by a script. The last response answers all further requests. */
export function scripted(script: readonly Scripted[], options: Partial<PulsebusOptions> = {}) {
  const sent: Sent[] = [];
  const send: typeof fetch = async (url, { method = 'GET', headers, body, signal } = {}) => {
    signal?.throwIfAborted();
    const { pathname, search } = new URL(String(url));
    sent.push({
      line: `${method} ${pathname}${search}`,
      headers: new Headers(headers),
      body: typeof body === 'string' ? JSON.parse(body) : body,
    });
    return responseOf(script[Math.min(sent.length, script.length) - 1] ?? null);
  };
  const pulsebus = new Pulsebus({ baseUrl: 'http://pulsebus.test', apiKey: 'sk-1', fetch: send, ...options });
  return { pulsebus, sent };
}

function responseOf(scripted: Scripted): Response {
  if (scripted === null) throw new TypeError('fetch failed');
  const { status = 200, body = {}, text = JSON.stringify(body), headers = {} } = scripted;
  return new Response(text, { status, headers });
}
