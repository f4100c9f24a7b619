import { pause } from '../retry.ts';
import { messageOf, type RpcMessage } from './mcp-message.ts';

/** The server, the credential and the streams of a bridge. */
export interface McpOptions {
  readonly baseUrl: string;
  /** An API key, a developer token or a user token. */
  readonly apiKey: string;
  readonly stdin: AsyncIterable<string | Uint8Array>;
  readonly stdout: { write(text: string): unknown };
  /** Ends the bridge: requests are aborted, and nothing more is read. */
  readonly signal?: AbortSignal;
}

/** The longest message; the server accepts 64 KiB. */
const longestLine = 1024 * 1024;
const mostRetries = 2;
const longestPauseSeconds = 60;

/**
 * An MCP server over stdio that forwards each message to the server at `{baseUrl}/mcp` and writes its answers, a message a
 * line. Resolves when the input has ended and all requests are answered, or when the signal aborts.
 */
export async function runMcp(options: McpOptions): Promise<void> {
  const bridge = new Bridge(options);
  const ended = endOf(options.signal);
  const whole = async () => {
    for await (const line of linesOf(options.stdin)) bridge.forward(line);
    await bridge.finish();
  };
  await Promise.race([whole(), ended]);
}

function endOf(signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) resolve();
    else signal?.addEventListener('abort', () => resolve(), { once: true });
  });
}

class Bridge {
  readonly #options: McpOptions;
  readonly #url: string;
  readonly #pending = new Map<RpcMessage['id'], AbortController>();
  readonly #running = new Set<Promise<void>>();
  /** The version that `initialize` agreed on; later versions state theirs in each message. */
  #version: string | null = null;

  constructor(options: McpOptions) {
    this.#options = options;
    this.#url = `${options.baseUrl.replace(/\/+$/, '')}/mcp`;
  }

  forward(line: string): void {
    const message = messageOf(line);
    if (message === null) {
      this.#fail(null, -32_700, 'The message is not a JSON object on one line of at most 1 MiB.');
      return;
    }
    if (message.method === 'notifications/cancelled') this.#pending.get(message.cancels)?.abort();
    const work = this.#answer(message, line).finally(() => this.#running.delete(work));
    this.#running.add(work);
  }

  async finish(): Promise<void> {
    await Promise.all(this.#running);
  }

  async #answer(message: RpcMessage, line: string): Promise<void> {
    const abort = new AbortController();
    const onEnd = () => abort.abort();
    this.#options.signal?.addEventListener('abort', onEnd, { once: true });
    if (message.id !== undefined) this.#pending.set(message.id, abort);
    try {
      await this.#send(message, line, abort.signal);
    } catch (error) {
      if (!abort.signal.aborted)
        this.#fail(message.id, -32_000, `${this.#url} does not respond (${causeOf(error)}).`);
    } finally {
      this.#options.signal?.removeEventListener('abort', onEnd);
      this.#pending.delete(message.id);
    }
  }

  async #send(message: RpcMessage, line: string, signal: AbortSignal): Promise<void> {
    for (let attempt = 0; ; attempt += 1) {
      const headers = this.#headersOf(message);
      const response = await fetch(this.#url, {
        method: 'POST',
        headers,
        body: line,
        redirect: 'error',
        signal,
      });
      const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
      const text = await response.text();
      const isTemporary = response.status === 429 || response.status === 503;
      if (!isTemporary || !(seconds <= longestPauseSeconds) || attempt === mostRetries)
        return this.#write(message, response, text);
      await pause(seconds * 1000, signal);
    }
  }

  #headersOf({ method, version, name }: RpcMessage): Record<string, string> {
    const agreed = version ?? this.#version;
    return {
      Authorization: `Bearer ${this.#options.apiKey}`,
      Accept: 'application/json, text/event-stream',
      'Content-Type': 'application/json',
      ...(agreed === null ? {} : { 'MCP-Protocol-Version': agreed }),
      ...(method === undefined ? {} : { 'Mcp-Method': method }),
      ...(name === undefined ? {} : { 'Mcp-Name': name }),
    };
  }

  #write({ id, method }: RpcMessage, { ok, status }: Response, text: string): void {
    if (id === undefined || text === '') return;
    const answer = messageOf(text);
    if (method === 'initialize' && answer?.agreed !== undefined) this.#version = answer.agreed;
    // A refused request (a wrong credential, a used-up limit) is answered without its id.
    if (answer === null) this.#fail(id, -32_000, `${this.#url} is no MCP server (status ${status}).`);
    else if (!ok && answer.id === null) this.#fail(id, answer.error.code, answer.error.message);
    else this.#options.stdout.write(`${JSON.stringify(JSON.parse(text))}\n`);
  }

  #fail(id: RpcMessage['id'] | null, code: number, message: string): void {
    if (id === undefined) return;
    this.#options.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);
  }
}

function causeOf(error: unknown): string {
  const cause: unknown = error instanceof Error ? (error.cause ?? error) : error;
  const code: unknown = Reflect.get(Object(cause), 'code');
  return String(code ?? (cause instanceof Error ? cause.message : cause));
}

// A line that is too long is passed on shortened, so that it is refused as no JSON.
async function* linesOf(input: AsyncIterable<string | Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    rest += typeof chunk === 'string' ? chunk : decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = (lines.pop() ?? '').slice(0, longestLine + 1);
    for (const line of lines) if (line.trim() !== '') yield line.slice(0, longestLine + 1);
  }
  if (rest.trim() !== '') yield rest;
}
