import { ConnectionError, errorOf, type PulsebusError } from './errors.ts';
import { pause, retryDelayMs } from './retry.ts';

/** How to reach the API, and with which credential. */
export interface PulsebusOptions {
  /** The address of the server, with or without `/api/v1`: `https://pulsebus.example`. */
  readonly baseUrl: string;
  /** An API key, sent as X-API-Key. */
  readonly apiKey?: string;
  /** The project of a developer's token. An API key and a user's token belong to one. */
  readonly project?: string;
  /** A user's or a developer's token, sent as a bearer token. A function is called for each request. */
  readonly token?: string | (() => string | Promise<string>);
  /** Repetitions of a request after 429, 503 or a lost connection. Default: 4. */
  readonly maxRetries?: number;
  /** A longer Retry-After is not waited for; the error is thrown. Default: 60. */
  readonly maxRetryAfterSeconds?: number;
  /** The time limit until the response begins, for each attempt. Default: 60 s. */
  readonly timeoutMs?: number;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Options of one call. */
export interface CallOptions {
  readonly signal?: AbortSignal;
  /** The key of a POST that runs at most once. Default: a random UUID per call. */
  readonly idempotencyKey?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly maxRetries?: number;
  readonly timeoutMs?: number;
}

/** What distinguishes an operation besides its method and path. */
export interface OperationFlags {
  /** The operation takes an Idempotency-Key. */
  readonly takesKey?: boolean;
  /** Parameters that are headers. One that is not given is not sent. */
  readonly headers?: readonly string[];
  /** The parameters of a DELETE are in its body. */
  readonly hasBody?: boolean;
  /** The parameters are sent as a form. */
  readonly isForm?: boolean;
  /** The operation takes no credential. */
  readonly isOpen?: boolean;
}

/** Parameters by name. */
type Params = Readonly<Record<string, unknown>>;

/** One call: `GET /users/{user_id}` with its parameters. */
export interface Call {
  readonly line: string;
  readonly params: Params;
  readonly options: CallOptions;
  readonly flags: OperationFlags;
}

interface Prepared {
  readonly url: string;
  readonly init: {
    readonly method: string;
    readonly headers: Headers;
    readonly body: string | FormData | null;
  };
  readonly isRepeatable: boolean;
}

const safeMethods = new Set(['GET', 'PUT', 'DELETE']);

/** Sends calls, repeats those that are safe to repeat, and throws error responses. */
export class Transport {
  readonly #options: PulsebusOptions;
  readonly #root: string;

  constructor(options: PulsebusOptions) {
    this.#options = options;
    const base = options.baseUrl.replace(/\/+$/, '');
    this.#root = base.endsWith('/api/v1') ? base : `${base}/api/v1`;
  }

  /** The successful response to a call. @throws PulsebusError, ConnectionError, or the reason of the signal. */
  async send(call: Call): Promise<Response> {
    const prepared = this.#prepare(call, await this.#credential(call.flags));
    const { maxRetries = this.#options.maxRetries ?? 4, signal } = call.options;
    for (let attempt = 0; ; attempt += 1) {
      const outcome = await this.#attempt(prepared, limited(call));
      if (outcome instanceof Response) return outcome;
      const delayMs = retryDelayMs(outcome, attempt, this.#options.maxRetryAfterSeconds ?? 60);
      if (!prepared.isRepeatable || attempt >= maxRetries || delayMs === null) throw outcome;
      await pause(delayMs, signal);
    }
  }

  #prepare({ line, params, options, flags }: Call, credential: Readonly<Record<string, string>>): Prepared {
    const [method = '', template = ''] = line.split(' ');
    const headers = new Headers({ Accept: '*/*', ...credential, ...options.headers });
    const rest: Record<string, unknown> = { ...params };
    const path = template.replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(take(rest, name))),
    );
    for (const name of flags.headers ?? [])
      if (rest[name] !== undefined) headers.set(name, String(take(rest, name)));
    if (flags.takesKey) headers.set('Idempotency-Key', options.idempotencyKey ?? randomKey());
    const isQuery = method === 'GET' || (method === 'DELETE' && flags.hasBody !== true);
    if (!isQuery && flags.isForm !== true) headers.set('Content-Type', 'application/json');
    const body = () => (flags.isForm === true ? formOf(rest) : JSON.stringify(rest));
    return {
      url: this.#root + path + (isQuery ? queryOf(rest) : ''),
      init: { method, headers, body: isQuery ? null : body() },
      isRepeatable: safeMethods.has(method) || flags.takesKey === true,
    };
  }

  async #credential({ isOpen }: OperationFlags): Promise<Record<string, string>> {
    const { apiKey, token, project } = this.#options;
    if (isOpen) return {};
    const named = project === undefined ? {} : { 'X-Project': project };
    if (token !== undefined)
      return { ...named, Authorization: `Bearer ${typeof token === 'function' ? await token() : token}` };
    return { ...named, ...(apiKey === undefined ? {} : { 'X-API-Key': apiKey }) };
  }

  async #attempt(
    { url, init }: Prepared,
    options: CallOptions,
  ): Promise<Response | PulsebusError | ConnectionError> {
    const { signal, timeoutMs = this.#options.timeoutMs ?? 60_000 } = options;
    signal?.throwIfAborted();
    const controller = new AbortController();
    const abort = () => controller.abort(signal?.reason);
    signal?.addEventListener('abort', abort, { once: true });
    const timer = setTimeout(() => controller.abort(timeoutMark), timeoutMs);
    try {
      const send = this.#options.fetch ?? fetch;
      const response = await send(url, { ...init, signal: controller.signal });
      return response.ok ? response : await errorOf(response);
    } catch (error) {
      signal?.removeEventListener('abort', abort);
      signal?.throwIfAborted();
      if (controller.signal.reason === timeoutMark)
        return new ConnectionError('TIMEOUT', `No response within ${timeoutMs} ms.`);
      return new ConnectionError('CONNECTION_FAILED', `No response from ${url.split('?')[0]}.`, error);
    } finally {
      clearTimeout(timer);
    }
  }
}

const longestUploadMs = 24 * 3_600_000;

function limited({ options, flags }: Call): CallOptions {
  return flags.isForm === true ? { timeoutMs: longestUploadMs, ...options } : options;
}

function formOf(params: Params): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(params))
    form.append(name, value instanceof Blob ? value : String(value));
  return form;
}

const timeoutMark = 'The time limit passed.';

function take(params: Record<string, unknown>, name: string): unknown {
  const value = params[name];
  if (value === undefined || value === null || value === '')
    throw new TypeError(`The parameter ${name} is missing.`);
  delete params[name];
  return value;
}

function queryOf(params: Params): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params))
    for (const one of Array.isArray(value) ? value : [value])
      if (one !== undefined && one !== null) query.append(name, String(one));
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** A random UUID. `crypto` is absent in pages that are not served over https, and in Node 18. */
function randomKey(): string {
  if (globalThis.crypto?.randomUUID !== undefined) return globalThis.crypto.randomUUID();
  const digits = () => Math.random().toString(36).slice(2).padEnd(11, '0');
  return `${Date.now().toString(36)}-${digits()}${digits()}`;
}
