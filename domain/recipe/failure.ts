import type { PullFailure, PullReply } from '../provider/pulled-provider.ts';
import { retryAfterMs } from '../time/retry-after.ts';

const mostWaitMs = 15 * 60_000;

/** Headers of several windows, whose numbers are separated by commas: the requests that are left, and the seconds until a window ends. */
interface WindowHeaders {
  readonly remaining: string;
  readonly reset: string;
}

/** The seconds until the last of the windows ends in which nothing is left. Null: no header says it. */
function secondsOfWindows(headers: PullReply['headers'], { remaining, reset }: WindowHeaders): string | null {
  const numbers = (name: string) => (headers[name] ?? '').split(',').map((text) => text.trim());
  const [left, seconds] = [numbers(remaining), numbers(reset)];
  const full = seconds.filter((text, index) => /^\d+$/.test(text) && left[index] === '0').map(Number);
  return full.length === 0 ? null : String(Math.max(...full));
}

/**
 * What an answer means by its HTTP status. `resetHeader` names the seconds until a limit of the application ends, alone or of each of
 * several windows.
 */
export function failureByStatus(
  resetHeader: string | WindowHeaders = 'retry-after',
): (reply: PullReply, nowMs: number) => PullFailure | null {
  return ({ status, headers }, nowMs) => {
    if (status >= 200 && status < 300) return null;
    const reason = `HTTP_${status}`;
    if (status === 401) return { kind: 'unauthorized', reason };
    if (status === 403) return { kind: 'withheld', reason };
    if (status === 404) return { kind: 'missing', reason };
    const ofLimit =
      typeof resetHeader === 'string' ? headers[resetHeader] : secondsOfWindows(headers, resetHeader);
    const given = headers['retry-after'] ?? ofLimit ?? null;
    const waitMs = retryAfterMs(given, nowMs, { leastMs: 1000, mostMs: mostWaitMs });
    if (status === 429) return { kind: 'limited', reason, of: 'application', waitMs };
    return { kind: status === 408 || status >= 500 ? 'later' : 'refused', reason };
  };
}
