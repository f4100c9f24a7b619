import type { PullFailure, PullReply } from '../provider/pulled-provider.ts';
import { retryAfterMs } from '../time/retry-after.ts';

const mostWaitMs = 15 * 60_000;

/** What an answer means by its HTTP status. `resetHeader` names the seconds until a limit of the application ends. */
export function failureByStatus(
  resetHeader = 'retry-after',
): (reply: PullReply, nowMs: number) => PullFailure | null {
  return ({ status, headers }, nowMs) => {
    if (status >= 200 && status < 300) return null;
    const reason = `HTTP_${status}`;
    if (status === 401) return { kind: 'unauthorized', reason };
    if (status === 403) return { kind: 'withheld', reason };
    if (status === 404) return { kind: 'missing', reason };
    const given = headers['retry-after'] ?? headers[resetHeader] ?? null;
    const waitMs = retryAfterMs(given, nowMs, { leastMs: 1000, mostMs: mostWaitMs });
    if (status === 429) return { kind: 'limited', reason, of: 'application', waitMs };
    return { kind: status === 408 || status >= 500 ? 'later' : 'refused', reason };
  };
}
