import { median } from '../rounds.ts';
import { type Connection, openConnection } from './connection.ts';
import type {
  AlternatingRequest,
  AlternatingResult,
  LoadRequest,
  LoadResult,
  Target,
} from './load-request.ts';

/** Sends requests over all connections at once. @throws Error if a connection fails */
export async function sendLoad({
  target,
  connections,
  most_requests,
  most_ms,
}: LoadRequest): Promise<LoadResult> {
  const broken = Promise.withResolvers<never>();
  const lines = await openConnections(
    Array.from({ length: connections }, () => target),
    broken.reject,
  );
  const latencies: number[] = [];
  let failures = 0;
  let sent = 0;
  const began = performance.now();
  const drive = (line: Connection) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const next = () => {
      const sentAt = performance.now();
      if (sent >= most_requests || sentAt - began >= most_ms) return resolve();
      line.exchange(requestAt(target, sent++), (status) => {
        latencies.push(performance.now() - sentAt);
        if (status !== 200) failures += 1;
        next();
      });
    };
    next();
    return promise;
  };
  await Promise.race([Promise.all(lines.map(drive)), broken.promise]);
  const seconds = (performance.now() - began) / 1000;
  for (const line of lines) line.close();
  latencies.sort((a, b) => a - b);
  const p99_ms = latencies[Math.floor(latencies.length * 0.99)] ?? 0;
  return { requests: latencies.length, failures, seconds, median_ms: median(latencies), p99_ms };
}

/** Sends one request to each target in turn, repeatedly. @throws Error if a connection fails */
export async function sendAlternating({ targets, times }: AlternatingRequest): Promise<AlternatingResult> {
  const broken = Promise.withResolvers<never>();
  const lines = await openConnections(targets, broken.reject);
  const latencies = targets.map((): number[] => []);
  let failures = 0;
  for (let time = 0; time < times; time++)
    for (const [index, target] of targets.entries()) {
      const began = performance.now();
      const answer = Promise.withResolvers<number>();
      lines[index]?.exchange(requestAt(target, time), answer.resolve);
      const status = await Promise.race([answer.promise, broken.promise]);
      latencies[index]?.push(performance.now() - began);
      if (status !== 200) failures += 1;
    }
  for (const line of lines) line.close();
  return { failures, medians_ms: latencies.map(median) };
}

function openConnections(
  targets: readonly Target[],
  onBroken: (error: Error) => void,
): Promise<Connection[]> {
  return Promise.all(targets.map(({ host, port }) => openConnection(host, port, onBroken)));
}

function requestAt({ requests }: Target, index: number): Uint8Array {
  const request = requests[index % requests.length];
  if (request === undefined) throw new Error('there is no request to send');
  return request;
}
