import type { Overview } from '../../../../clients/typescript/src/index.ts';
import { titleOf } from '../../titles.ts';
import { shortTime } from './scale.ts';

/** Where data takes longest from its receipt until it can be read. */
export function slowestSentence(times: Overview['receipt_to_readable']): string {
  const slowest = [...times].sort((a, b) => b.p99_ms - a.p99_ms)[0];
  if (slowest === undefined) return 'No delivery was processed yet.';
  const { provider, p50_ms, p99_ms } = slowest;
  return `${titleOf(provider)} takes longest: half of its deliveries can be read ${shortTime(p50_ms)} after receipt (dot), 99 of 100 after ${shortTime(p99_ms)} (ring).`;
}
