import { ConnectionError } from './errors.ts';

/**
 * A stream of JSON lines. `for await` reads the objects as they arrive, `text()` reads all of it, also as CSV. Nothing is
 * sent before one of them is used.
 */
export class Lines<Line> implements AsyncIterable<Line> {
  readonly #send: () => Promise<Response>;
  readonly #hasEnd: boolean;

  constructor(send: () => Promise<Response>, hasEnd: boolean) {
    this.#send = send;
    this.#hasEnd = hasEnd;
  }

  /** The response, to pipe its body on. */
  response(): Promise<Response> {
    return this.#send();
  }

  /** The whole text. */
  async text(): Promise<string> {
    return (await this.#send()).text();
  }

  /** @throws ConnectionError if the last line of an export does not mark it as complete. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Line, void, undefined> {
    const { body } = await this.#send();
    let last = '';
    for await (const line of body === null ? [] : textLines(body)) {
      last = line;
      const value: Line = JSON.parse(line);
      yield value;
    }
    if (this.#hasEnd && !last.includes('"kind":"end"'))
      throw new ConnectionError('INCOMPLETE', 'The export ended before its last line.');
  }
}

async function* textLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let rest = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      const parts = (rest + (done ? decoder.decode() : decoder.decode(value, { stream: true }))).split('\n');
      rest = done ? '' : (parts.pop() ?? '');
      yield* parts.filter((line) => line !== '');
      if (done) return;
    }
  } finally {
    await reader.cancel();
  }
}
