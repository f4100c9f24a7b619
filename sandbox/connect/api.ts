import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import { retryAfterMs } from '../../domain/time/retry-after.ts';

/** A client of the API. It retries requests, and waits as long as Retry-After requests. */
export interface Api {
  /** @throws ApiFailed for any status but 2xx, after several attempts if a retry can help */
  request<T>(
    answer: z.ZodType<T>,
    method: 'GET' | 'POST',
    path: string,
    options?: RequestOptions,
  ): Promise<T>;
}

/** The query, headers and body of a request. */
interface RequestOptions {
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The API returned an error, or did not answer (`status` 0). */
export class ApiFailed extends Error {
  readonly status: number;

  constructor(status: number, message: string, cause?: unknown) {
    super(message, cause === undefined ? {} : { cause });
    this.name = 'ApiFailed';
    this.status = status;
  }
}

/** The address of the API and the means to call it. */
export interface ApiAccess {
  /** The origin, without /api/v1. */
  readonly baseUrl: string;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

const attemptsMost = 6;
const worthAnotherTry = new Set([0, 429, 500, 502, 503, 504]);
/** Some API routes wait up to 30 s for a provider. */
const answerWithinMs = 30_000;
const waitMostMs = 120_000;
const Refusal = z.object({ detail: z.string() });

/** A client without state between calls. */
export function apiAt(access: ApiAccess): Api {
  return {
    async request(answer, method, path, options = {}) {
      for (let attempt = 1; ; attempt++) {
        const got = await attemptOnce(access, method, path, options);
        if (got.ok) return answer.parse(got.body);
        const failure = failureOf(got, `${method} ${path}`);
        if (attempt === attemptsMost || !worthAnotherTry.has(got.status)) throw failure;
        await sleep(pauseMs(got.retryAfter, attempt, Date.now()), undefined, { signal: access.signal });
      }
    },
  };
}

/** The complete answer of an attempt. Without an answer, `status` is 0 and `cause` is the reason. */
interface Attempt {
  readonly ok: boolean;
  readonly status: number;
  readonly body: unknown;
  readonly retryAfter: string | null;
  readonly requestId: string | null;
  readonly cause?: unknown;
}

/** One attempt. An abort by the caller is thrown. */
async function attemptOnce(
  access: ApiAccess,
  method: string,
  path: string,
  options: RequestOptions,
): Promise<Attempt> {
  const url = new URL(`/api/v1${path}`, access.baseUrl);
  for (const [name, value] of Object.entries(options.query ?? {})) url.searchParams.set(name, value);
  const signal = AbortSignal.any([access.signal, AbortSignal.timeout(answerWithinMs)]);
  const sent = options.body === undefined ? {} : { body: JSON.stringify(options.body) };
  const headers = {
    ...options.headers,
    ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  try {
    const response = await access.fetch(url, { method, headers, signal, ...sent });
    const retryAfter = response.headers.get('retry-after');
    const requestId = response.headers.get('x-request-id');
    const body = jsonOrNull(await response.text());
    return { ok: response.ok, status: response.status, body, retryAfter, requestId };
  } catch (cause) {
    access.signal.throwIfAborted();
    return { ok: false, status: 0, body: null, retryAfter: null, requestId: null, cause };
  }
}

// Contains the API's sentence, which never contains a value, and the id of the request in the API's log.
function failureOf({ status, body, requestId, cause }: Attempt, what: string): ApiFailed {
  if (status === 0) return new ApiFailed(0, `${what} had no answer.`, cause);
  const refusal = Refusal.safeParse(body);
  const said = refusal.success ? `: ${refusal.data.detail.slice(0, 200)}` : '.';
  const id = requestId === null ? '' : ` (request ${requestId})`;
  return new ApiFailed(status, `${what} answered ${status}${said}${id}`);
}

/**
 * The pause before the next attempt: the Retry-After of the answer (seconds, or a date), at most two minutes. Without one,
 * the pause doubles with each attempt.
 */
export function pauseMs(retryAfter: string | null, attempt: number, nowMs: number): number {
  return retryAfterMs(retryAfter, nowMs, { mostMs: waitMostMs }) ?? 250 * 2 ** attempt;
}
