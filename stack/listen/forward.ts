import * as http from 'node:http';
import * as https from 'node:https';
import { errorCodeOf } from '../../domain/error-code.ts';
import type { ReceivedMessage } from '../../sandbox/receiver/message-log.ts';

/** As long as the product waits for an endpoint. */
const limitMs = 15_000;
const mostAnswerBytes = 64 * 1024;

/** Posts a message as it arrived: its headers and body. Returns the status, or why there is none. Redirects are not followed. */
export async function forward(to: URL, { headers, body }: ReceivedMessage): Promise<string> {
  const began = performance.now();
  const result = await post(to, headers, body).catch(failureOf);
  return `${result}  POST ${to.origin}${to.pathname}  ${Math.round(performance.now() - began)} ms`;
}

function post(to: URL, given: Readonly<Record<string, string>>, body: string): Promise<string> {
  const { request } = to.protocol === 'https:' ? https : http;
  const headers = { ...given, 'content-length': Buffer.byteLength(body) };
  const signal = AbortSignal.timeout(limitMs);
  return new Promise((resolve, reject) => {
    request(to, { method: 'POST', headers, signal, agent: false }, (response) => {
      resolve(String(response.statusCode ?? 0));
      discard(response);
    })
      .on('error', reject)
      .end(body);
  });
}

// The status decides. The rest is read so that the sender of a short answer sees no broken connection.
function discard(response: http.IncomingMessage): void {
  let read = 0;
  response.on('error', () => undefined);
  response.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > mostAnswerBytes) response.destroy();
  });
}

function failureOf(error: unknown): string {
  const code = errorCodeOf(error);
  if (code === 'ABORT_ERR' || (error instanceof Error && /^(Abort|Timeout)Error$/.test(error.name)))
    return `no answer within ${limitMs / 1000} s`;
  return `not delivered: ${code ?? (error instanceof Error ? error.message : 'unknown error')}`;
}
