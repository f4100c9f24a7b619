import type { WithingsWorld } from './state.ts';

const minuteMs = 60_000;

/** Counts a request. Whether the application has sent more than its limit in the last 60 s of the wall clock. */
export function isOverLimit({ requests, limits }: WithingsWorld): boolean {
  const nowMs = Date.now();
  requests.push(nowMs);
  if (requests.length > 100_000) requests.splice(0, 50_000);
  return requests.filter((at) => at > nowMs - minuteMs).length > limits.requestsPerMinute;
}
