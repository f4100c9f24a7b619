import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOrNull } from '../domain/json.ts';
import { retryAfterMs } from '../domain/retry-after.ts';

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
/** Some providers wait up to 30 s for an answer, and so does this client. */
const answerWithinMs = 30_000;
const waitMostMs = 120_000;
const Refusal = z.object({ detail: z.string() });

/** A client; nothing is kept between calls. */
export function apiAt(reach: Reach): Api {
  return {
    async request(answer, method, path, ask = {}) {
      for (let attempt = 1; ; attempt++) {
        const got = await once(reach, method, path, ask);
        if (got.ok) return answer.parse(got.body);
        const failure = failureOf(got, `${method} ${path}`);
        if (attempt === attemptsMost || !worthAnotherTry.has(got.status)) throw failure;
        await sleep(pauseMs(got.retryAfter, attempt, Date.now()), undefined, { signal: reach.signal });
      }
    },
  };
}

/** An answer read to its end; without any, `status` is 0 and `cause` says why. */
interface Got {
  readonly ok: boolean;
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: string | null;
  readonly requestId: string | null;
  readonly cause?: unknown;
}

/** One attempt. A stop from outside is no failure and goes through. */
async function once(reach: Reach, method: string, path: string, ask: Ask): Promise<Got> {
  const url = new URL(`/api/v1${path}`, reach.baseUrl);
  for (const [name, value] of Object.entries(ask.query ?? {})) url.searchParams.set(name, value);
  const signal = AbortSignal.any([reach.signal, AbortSignal.timeout(answerWithinMs)]);
  const sent = ask.body === undefined ? {} : { body: JSON.stringify(ask.body) };
  const headers = {
    ...ask.headers,
    ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  try {
    const response = await reach.fetch(url, { method, headers, signal, ...sent });
    const retryAfter = response.headers.get('retry-after');
    const requestId = response.headers.get('x-request-id');
    const body = jsonOrNull(await response.text());
    return { ok: response.ok, status: response.status, body, retryAfter, requestId };
  } catch (cause) {
    reach.signal.throwIfAborted();
    return { ok: false, status: 0, body: null, retryAfter: null, requestId: null, cause };
  }
}

// Quotes the API's own sentence, which never holds a value, and the id under which its log has the request.
function failureOf({ status, body, requestId, cause }: Got, what: string): ApiFailed {
  if (status === 0) return new ApiFailed(0, `${what} had no answer.`, cause);
  const refusal = Refusal.safeParse(body);
  const said = refusal.success ? `: ${refusal.data.detail.slice(0, 200)}` : '.';
  const id = requestId === null ? '' : ` (request ${requestId})`;
  return new ApiFailed(status, `${what} answered ${status}${said}${id}`);
}

/**
 * How long to wait before the next attempt: as the answer's Retry-After asks (seconds, or a date), two minutes at
 * most; where it asks for nothing, twice as long each time.
 */
export function pauseMs(retryAfter: string | null, attempt: number, nowMs: number): number {
  return retryAfterMs(retryAfter, nowMs, { mostMs: waitMostMs }) ?? 250 * 2 ** attempt;
}
