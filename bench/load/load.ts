import { join } from 'node:path';
import { startChild } from '../child.ts';
import {
  type AlternatingRequest,
  AlternatingResult,
  type LoadRequest,
  LoadResult,
  type Target,
} from './load-request.ts';

/** A request of the load. */
export interface HttpRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string;
}

/** Requests to one server, which are sent in turn. */
export interface LoadTarget {
  readonly url: string;
  readonly requests: readonly HttpRequest[];
}

/** The process that sends load. Any status but 200, or a missing answer, is an Error. */
export interface Load {
  /** Sends requests over several connections at once. */
  sendLoad(
    target: LoadTarget,
    bounds: { connections: number; most_ms?: number; most_requests?: number },
  ): Promise<LoadResult>;
  /** Sends one request at a time to each target in turn; returns the median response time of each, in ms. */
  turns(targets: readonly LoadTarget[], times: number): Promise<number[]>;
  stop(): Promise<void>;
}

const loopback = new Set(['127.0.0.1', '[::1]', 'localhost']);
const longestMs = 300_000;
const mostRequests = 10_000_000;

/** Starts the process that sends load. */
export function startLoad(): Load {
  const child = startChild(join(import.meta.dirname, 'load-process.ts'));
  return {
    async sendLoad(target, { connections, most_ms = longestMs, most_requests = mostRequests }) {
      const job: LoadRequest = { target: encoded(target), connections, most_ms, most_requests };
      const result = await child.ask(LoadResult, { kind: 'parallel', ...job });
      refuseFailures(target, result.failures, result.requests);
      return result;
    },
    async turns(targets, times) {
      const job: AlternatingRequest = { targets: targets.map(encoded), times };
      const { failures, medians_ms } = await child.ask(AlternatingResult, { kind: 'alternating', ...job });
      for (const target of targets) refuseFailures(target, failures, times);
      return medians_ms;
    },
    stop: () => child.stop(),
  };
}

function refuseFailures({ requests }: LoadTarget, failures: number, count: number): void {
  if (failures > 0 || count === 0)
    throw new Error(`${failures} of ${count} answers were not 200; ${requests[0]?.path}`);
}

/** @throws Error if the URL is on another machine, which must not receive load */
function encoded({ url, requests }: LoadTarget): Target {
  const { hostname, port } = new URL(url);
  if (!loopback.has(hostname)) throw new Error(`${hostname} is not this machine`);
  return {
    host: hostname,
    port: Number(port),
    requests: requests.map((request) => encode(request, `${hostname}:${port}`)),
  };
}

function encode({ path, headers = {}, body }: HttpRequest, host: string): Uint8Array<ArrayBuffer> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: host, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const method = body === undefined ? 'GET' : 'POST';
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}
