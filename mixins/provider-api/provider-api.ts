import Bottleneck from 'bottleneck';
import type { CallingOptions } from 'moleculer';
import pRetry from 'p-retry';
import type { Config } from '../../config.ts';
import { errorCodeOf, fieldOf } from '../../domain/error-code.ts';
import { type ProviderName, providerNames } from '../../providers/all.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import { eachRegion, settingsOf } from '../../runtime/provider-settings.ts';

/** A request to a provider's API at a configured address. Never at an address from a request body. */
export interface ProviderRequest {
  readonly url: URL;
  /** The user's bearer token. Redirects are not followed, so that it is sent nowhere else. */
  readonly token?: string;
  /** Our client id and secret, sent as an Authorization header (RFC 6749, 2.3.1). */
  readonly client?: { readonly id: string; readonly secret: string };
  /** Set if the method is neither GET nor the POST of a form or of JSON. */
  readonly method?: 'DELETE' | 'PATCH' | 'PUT' | 'POST';
  /** The provider's own headers. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as a form with POST. Without a form the request is a GET. */
  readonly form?: URLSearchParams;
  /** Sent as JSON with POST, unless `method` is set. */
  readonly json?: unknown;
  readonly signal?: AbortSignal;
  /** A larger answer is discarded and counts as no answer. */
  readonly mostBytes?: number;
  readonly timeoutMs?: number;
  /** Sends each try, for example within a quota. Null: it was not sent, and the last answer is returned. */
  readonly sendTry?: (send: () => Promise<ProviderAnswer>) => Promise<ProviderAnswer | null>;
}

/** The answer. Status 0: none (unreachable, too slow, too large). `tries` counts the requests sent. */
export interface ProviderAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly tries: number;
  /** The connection failed, so the provider has not counted this request. */
  readonly unsent?: boolean;
  /** The request was ended here: by its time limit, or by the caller. That says nothing about the provider. */
  readonly givenUp?: boolean;
}

/** Timing and parallelism of requests to a provider. Production uses the defaults. Tests set others. */
export interface ProviderPace {
  /** Minimum interval between two requests of this process. */
  readonly spacingMs: number;
  readonly atOnce: number;
  /** Retries after no answer or a 5xx. */
  readonly retries: number;
  readonly firstPauseMs: number;
  readonly timeoutMs: number;
}

/** A provider's API. Requests are spaced, and retried if a retry can succeed. */
export interface ProviderApi {
  /** Never throws, unless `sendTry` does: the status reports errors. */
  request(request: ProviderRequest): Promise<ProviderAnswer>;
}

interface Client extends ProviderApi {
  close(): Promise<void>;
}

/** Five requests a second, four in parallel. Retries take seconds. Longer outages are left to the caller. */
export const providerPace: ProviderPace = {
  spacingMs: 200,
  atOnce: 4,
  retries: 2,
  firstPauseMs: 300,
  timeoutMs: 10_000,
};

const longestPauseMs = 3000;
const mostBytes = 1024 * 1024;

/** A provider's API as a mixin: `uses: { api: providerApi() }`. */
export function providerApi(pace: ProviderPace = providerPace): Mixin<ProviderApi> {
  return (starting) => {
    const times = gatherAnswerTimes(starting);
    starting.onStop(() => times.close());
    const client = openProviderApi(pace, times.note);
    starting.onStop(() => client.close());
    return client;
  };
}

/** The client without a service around it. */
export function openProviderApi(pace: ProviderPace = providerPace, note: NoteAnswer = () => {}): Client {
  const spacing = new Bottleneck({ minTime: pace.spacingMs, maxConcurrent: pace.atOnce });
  return {
    request: (request) =>
      persist(pace, request, (once) => spacing.schedule(() => timed(request.url, once, note))),
    close: () => spacing.disconnect(),
  };
}

/** Thrown to p-retry only. */
class Unanswered extends Error {}

async function persist(
  pace: ProviderPace,
  request: ProviderRequest,
  spaced: (once: () => Promise<ProviderAnswer>) => Promise<ProviderAnswer>,
): Promise<ProviderAnswer> {
  const { sendTry = (send) => send() } = request;
  let last = noAnswer(0);
  const attempt = async (tries: number) => {
    const answer = await sendTry(() =>
      spaced(() => sendOnce({ timeoutMs: pace.timeoutMs, ...request }, tries)),
    );
    if (answer === null) return last;
    last = answer;
    if (mayHeal(last)) throw new Unanswered(`status ${last.status}`);
    return last;
  };
  const options = {
    retries: pace.retries,
    minTimeout: pace.firstPauseMs,
    maxTimeout: longestPauseMs,
    randomize: true,
    shouldRetry: ({ error }: { error: Error }) => error instanceof Unanswered,
    ...(request.signal === undefined ? {} : { signal: request.signal }),
  };
  return pRetry(attempt, options).catch((error: unknown) => {
    if (error instanceof Unanswered || request.signal?.aborted === true) return last;
    throw error; // of `sendTry`
  });
}

async function timed(
  url: URL,
  once: () => Promise<ProviderAnswer>,
  note: NoteAnswer,
): Promise<ProviderAnswer> {
  const began = performance.now();
  const answer = await once();
  if (answer.givenUp !== true) note(url, answer.status, performance.now() - began);
  return answer;
}

function mayHeal({ status, headers }: ProviderAnswer): boolean {
  return (status === 0 || status >= 500) && !headers.has('retry-after');
}

/** Sends one request, once. Never throws. Status 0: no answer. */
export async function sendOnce(request: ProviderRequest, tries = 1): Promise<ProviderAnswer> {
  const { url, form, json, timeoutMs = providerPace.timeoutMs } = request;
  const body = json === undefined ? form : JSON.stringify(json);
  const authorization = authorizationOf(request);
  using limit = awakeTimeout(timeoutMs);
  const signal =
    request.signal === undefined ? limit.signal : AbortSignal.any([limit.signal, request.signal]);
  if (signal.aborted) return { ...noAnswer(tries - 1), unsent: true, givenUp: true };
  try {
    const response = await fetch(url, {
      method: request.method ?? (body === undefined ? 'GET' : 'POST'),
      headers: {
        accept: 'application/json',
        ...request.headers,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(authorization === null ? {} : { authorization }),
      },
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal,
    });
    const text = await readText(response, request.mostBytes ?? mostBytes);
    return text === null
      ? noAnswer(tries)
      : { status: response.status, headers: response.headers, text, tries };
  } catch (error) {
    return { ...noAnswer(tries), unsent: isUnsent(error), givenUp: signal.aborted };
  }
}

function authorizationOf({ token, client }: ProviderRequest): string | null {
  if (token !== undefined) return `Bearer ${token}`;
  if (client === undefined) return null;
  const pair = [client.id, client.secret].map(encodeURIComponent).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

const unsentCodes = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT)$/;

function isUnsent(error: unknown): boolean {
  return unsentCodes.test(errorCodeOf(fieldOf(error, 'cause')) ?? '');
}

async function readText(response: Response, most: number): Promise<string | null> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) return null; // leaving the loop cancels the rest
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function noAnswer(tries: number): ProviderAnswer {
  return { status: 0, headers: new Headers(), text: '', tries };
}

/** Response times and results of a provider's API, summed over a period. */
interface AnswerTimes {
  readonly requests: number;
  /** Requests whose connection failed, or with a 5xx answer. Requests that were ended here are not counted at all. */
  readonly failed: number;
  /** Requests that the provider answered 429. */
  readonly rejected: number;
  readonly total_ms: number;
  readonly slowest_ms: number;
}

/** Called after each request that was sent and not ended here. Status 0: no answer. */
type NoteAnswer = (url: URL, status: number, tookMs: number) => void;

const everyMs = 5000;

/**
 * Collects response times in this process and reports them periodically. Figures that are not yet reported are lost if
 * the process dies. They inform operators and drive no decision.
 */
export function gatherAnswerTimes({ config, call }: Environment): {
  note: NoteAnswer;
  close(): Promise<void>;
} {
  const prefixes = prefixesOf(config);
  const gathered = new Map<ProviderName, AnswerTimes>();
  const flush = async (options: CallingOptions = {}) => {
    const answers = [...gathered].map(([provider, times]) => ({ provider, ...times }));
    gathered.clear();
    if (answers.length === 0) return;
    await call('deliveries.noteAnswers', { answers }, options).catch(() => undefined);
  };
  const timer = setInterval(() => void flush(), everyMs);
  return {
    note(url, status, tookMs) {
      const found = prefixes.find(([prefix]) => url.href.startsWith(prefix));
      if (found !== undefined) gathered.set(found[1], add(gathered.get(found[1]), status, tookMs));
    },
    async close() {
      clearInterval(timer);
      await flush({ timeout: 1000 }); // a stop does not wait for figures
    },
  };
}

function prefixesOf(config: Config): [string, ProviderName][] {
  return providerNames.flatMap((provider) =>
    eachRegion(config, provider).flatMap((settings): [string, ProviderName][] => {
      const { apiUrl } = settingsOf(settings, provider);
      return apiUrl === null ? [] : [[apiUrl, provider]];
    }),
  );
}

function add(so: AnswerTimes | undefined, status: number, tookMs: number): AnswerTimes {
  const ms = Math.round(tookMs);
  return {
    requests: (so?.requests ?? 0) + 1,
    failed: (so?.failed ?? 0) + (status === 0 || status >= 500 ? 1 : 0),
    rejected: (so?.rejected ?? 0) + (status === 429 ? 1 : 0),
    total_ms: (so?.total_ms ?? 0) + ms,
    slowest_ms: Math.max(so?.slowest_ms ?? 0, ms),
  };
}

const ticks = 20;
/** The longest time between two ticks of a process that runs. What is longer is a pause. */
const longestTickMs = 1000;

/** A limit of time for one piece of work. */
interface AwakeTimeout extends Disposable {
  /** Aborts with a TimeoutError. */
  readonly signal: AbortSignal;
}

/**
 * A limit that counts the time in which this process runs. While a machine stands still, an answer may arrive: the limit
 * of `AbortSignal.timeout` would pass before the answer is read, and with the answer of a token endpoint the only valid
 * refresh token would be lost. Here a pause counts as a second, and the limit does not pass at its end.
 */
export function awakeTimeout(limitMs: number): AwakeTimeout {
  const controller = new AbortController();
  let [last, spentMs] = [performance.now(), 0];
  const timer = setInterval(
    () => {
      const now = performance.now();
      const tickMs = now - last;
      last = now;
      spentMs += Math.min(tickMs, longestTickMs);
      if (spentMs < limitMs || tickMs > longestTickMs) return;
      clearInterval(timer);
      controller.abort(new DOMException(`no end within ${limitMs} ms`, 'TimeoutError'));
    },
    Math.min(limitMs / ticks, longestTickMs / 2),
  );
  timer.unref();
  return { signal: controller.signal, [Symbol.dispose]: () => clearInterval(timer) };
}
