import { join } from 'node:path';
import { startChild } from '../child.ts';
import { type Flood, Flooded, type Target, Turned, type Turns } from './job.ts';

/** A request of the load. */
export interface LoadRequest {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Makes it a POST. */
  readonly body?: string;
}

/** Requests for one server; they are sent in turn. */
export interface LoadTarget {
  readonly url: string;
  readonly requests: readonly LoadRequest[];
}

/** The process that sends load. An answer that is not 200, or none at all, is an Error. */
export interface Load {
  /** Over several connections at once. */
  flood(
    target: LoadTarget,
    bounds: { connections: number; most_ms?: number; most_requests?: number },
  ): Promise<Flooded>;
  /** One request at a time, to each target in turn; the median time of an answer of each, in ms. */
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
    async flood(target, { connections, most_ms = longestMs, most_requests = mostRequests }) {
      const job: Flood = { kind: 'flood', target: encoded(target), connections, most_ms, most_requests };
      const flooded = await child.ask(Flooded, job);
      refuseFailures(target, flooded.failures, flooded.requests);
      return flooded;
    },
    async turns(targets, times) {
      const job: Turns = { kind: 'turns', targets: targets.map(encoded), times };
      const { failures, medians_ms } = await child.ask(Turned, job);
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

/** @throws Error when the URL leads to another machine: this is no tool against others. */
function encoded({ url, requests }: LoadTarget): Target {
  const { hostname, port } = new URL(url);
  if (!loopback.has(hostname)) throw new Error(`${hostname} is not this machine`);
  return {
    host: hostname,
    port: Number(port),
    requests: requests.map((request) => encode(request, `${hostname}:${port}`)),
  };
}

function encode({ path, headers = {}, body }: LoadRequest, host: string): Uint8Array<ArrayBuffer> {
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const lines = Object.entries({ Host: host, ...headers, ...length }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const method = body === undefined ? 'GET' : 'POST';
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`);
}
