import type { Reply } from '../server/http.ts';
import type { Clock } from '../simulation/clock.ts';
import type { SandboxLimits } from '../simulation/world.ts';
import { failure } from './accounts.ts';

/** The application's requests to the platform, counted per quarter of an hour and per day of the platform's clock. */
export interface ReadLimits {
  /** Counts a read, also one that is refused. Returns its headers and whether it exceeds the limit. */
  count(): { readonly over: boolean; readonly headers: Readonly<Record<string, string>> };
}

const quarterMs = 900_000;
const dayMs = 86_400_000;
/** One of this many answers has no rate-limit headers, as happens with the real API. */
const missingEvery = 9;

/** Starts with unused limits. */
export function readLimits(clock: Clock, limits: SandboxLimits): ReadLimits {
  const used = { quarter: -1, day: -1, inQuarter: 0, inDay: 0, all: 0 };
  return {
    count() {
      const quarter = Math.floor(clock.nowMs() / quarterMs);
      const day = Math.floor(clock.nowMs() / dayMs);
      used.inQuarter = quarter === used.quarter ? used.inQuarter + 1 : 1;
      used.inDay = day === used.day ? used.inDay + 1 : 1;
      Object.assign(used, { quarter, day, all: used.all + 1 });
      const over = used.inQuarter > limits.readsPer15Minutes || used.inDay > limits.readsPerDay;
      return { over, headers: headersOf(used, limits) };
    },
  };
}

// Header names in different cases: each answer uses the next one.
const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toLowerCase(),
  (name) => name.toUpperCase(),
];

function headersOf(
  { inQuarter, inDay, all }: { inQuarter: number; inDay: number; all: number },
  { readsPer15Minutes, readsPerDay }: SandboxLimits,
): Record<string, string> {
  if (all % missingEvery === 0) return {};
  const spell = spellings[all % spellings.length] ?? String;
  return {
    [spell('X-RateLimit-Limit')]: `${readsPer15Minutes * 2},${readsPerDay * 2}`,
    [spell('X-RateLimit-Usage')]: `${inQuarter},${inDay}`,
    [spell('X-ReadRateLimit-Limit')]: `${readsPer15Minutes},${readsPerDay}`,
    [spell('X-ReadRateLimit-Usage')]: `${inQuarter},${inDay}`,
  };
}

/** Serves a read within the limits. A refusal has no Retry-After. */
export function limited(limits: ReadLimits, serve: () => Reply): Reply {
  const { over, headers } = limits.count();
  const reply = over
    ? failure(429, 'Rate Limit Exceeded', 'Application', 'read rate limit', 'exceeded')
    : serve();
  return { ...reply, headers: { ...reply.headers, ...headers } };
}
