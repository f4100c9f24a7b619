import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/** The API as any application calls it: over HTTP, with patience where it asks for some. */
export interface Api {
  /** @throws ApiFailed for any status but 2xx, after a few attempts where another one can help. */
  request<T>(answer: z.ZodType<T>, method: 'GET' | 'POST', path: string, ask?: Ask): Promise<T>;
}

/** What goes with a request beside its path. */
export interface Ask {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The API said no, or nothing. `status` is 0 where no answer came. */
export class ApiFailed extends Error {
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'ApiFailed';
    this.status = status;
  }
}

/** Where the API is, and how it is reached. */
export interface Reach {
  /** The origin, without /api/v1. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

const attemptsMost = 6;
const worthAnotherTry = new Set([0, 429, 500, 502, 503, 504]);
/** The device maker waits 30 s for an answer; so does its stand-in. */
const answerWithinMs = 30_000;
const waitMostMs = 120_000;
const Refusal = z.object({ detail: z.string() });

/** A client; nothing is kept between calls. */
export function apiAt(reach: Reach): Api {
  return {
    async request(answer, method, path, ask = {}) {
      for (let attempt = 1; ; attempt++) {
        const response = await once(reach, method, path, ask);
        if (response instanceof Response && response.ok) return answer.parse(await response.json());
        const failure = await failureOf(response, `${method} ${path}`);
        if (attempt === attemptsMost || !worthAnotherTry.has(failure.status)) throw failure;
        const retryAfter = response instanceof Response ? response.headers.get('retry-after') : null;
        await sleep(pauseMs(retryAfter, attempt, Date.now()), undefined, { signal: reach.signal });
      }
    },
  };
}

/** One attempt: the answer, or why there is none. A stop from outside is no failure and goes through. */
async function once(reach: Reach, method: string, path: string, ask: Ask): Promise<unknown> {
  const url = new URL(`/api/v1${path}`, reach.baseUrl);
  for (const [name, value] of Object.entries(ask.query ?? {})) url.searchParams.set(name, value);
  const signal = AbortSignal.any([reach.signal, AbortSignal.timeout(answerWithinMs)]);
  const sent = ask.body === undefined ? {} : { body: JSON.stringify(ask.body) };
  const headers = {
    ...ask.headers,
    ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  try {
    return await reach.fetch(url, { method, headers, signal, ...sent });
  } catch (error) {
    reach.signal.throwIfAborted();
    return error;
  }
}

// Quotes the API's own sentence, which never holds a value, and the id under which its log has the request.
async function failureOf(response: unknown, what: string): Promise<ApiFailed> {
  if (!(response instanceof Response)) return new ApiFailed(0, `${what} had no answer.`, response);
  const refusal = Refusal.safeParse(await response.json().catch(() => null));
  const said = refusal.success ? `: ${refusal.data.detail.slice(0, 200)}` : '.';
  const id = response.headers.get('x-request-id');
  return new ApiFailed(
    response.status,
    `${what} answered ${response.status}${said}${id ? ` (request ${id})` : ''}`,
  );
}

/**
 * How long to wait before the next attempt: as the answer's Retry-After asks (seconds, or a date), two minutes at
 * most; where it asks for nothing, twice as long each time.
 */
export function pauseMs(retryAfter: string | null, attempt: number, nowMs: number): number {
  const backoff = 250 * 2 ** attempt;
  if (retryAfter === null) return backoff;
  const ms = /^\d+$/.test(retryAfter) ? Number(retryAfter) * 1000 : Date.parse(retryAfter) - nowMs;
  return Number.isFinite(ms) ? Math.min(waitMostMs, Math.max(0, ms)) : backoff;
}
