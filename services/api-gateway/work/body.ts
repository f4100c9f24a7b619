import type { IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { finished, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { Config } from '../../../config.ts';
import type { HttpRoute } from '../../../domain/contract.ts';
import { type ErrorCode, ServiceError, validationFailed } from '../../../domain/errors.ts';
import { JsonBoundsError, parseJson } from '../../../domain/json/json-bounds.ts';

/** Counts bytes as they arrive. It throws to refuse them. */
export type CountBytes = (bytes: number) => void;

/** The bounds of the reading of one body. */
export interface Reading {
  readonly limitBytes: number;
  /** The maximum ratio of decompressed to compressed bytes. */
  readonly maxRatio: number;
  /** The maximum duration of a small body; a large one has more time (`allowedMs`). */
  readonly timeoutMs: number;
  readonly count: CountBytes;
  /** Aborting it ends the reading; its reason is thrown. */
  readonly ending: AbortController;
}

const mebibyte = 1024 * 1024;
/** The largest body of a webhook: one notification contains an activity of several hours at 1 Hz. */
export const webhookLimitBytes = 128 * mebibyte;
const otherLimitBytes = mebibyte;

/** The bounds of the body of a request to a route. */
export function bodyBounds(config: Config, { bodyLimitBytes, delivery }: HttpRoute): Reading {
  return {
    limitBytes: bodyLimitBytes ?? (delivery === undefined ? otherLimitBytes : webhookLimitBytes),
    maxRatio: config.BODY_MAX_RATIO,
    timeoutMs: config.BODY_TIMEOUT_SECONDS * 1000,
    count: () => undefined,
    ending: new AbortController(),
  };
}

const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;
type Encoding = keyof typeof decoders;

/** The ratio is checked from this size on, because small bodies often compress well. */
const anyRatioBytes = 256 * 1024;

/**
 * The decompressed bytes of a body; empty if there is none.
 * @throws BODY_TOO_LARGE (413) on the announced length, or on the first byte past the limit or the ratio,
 *   UNSUPPORTED_MEDIA_TYPE (415) for an unknown encoding, MALFORMED_BODY (400) if it cannot be decompressed,
 *   MALFORMED_REQUEST (400) when the sender hangs up, BODY_TIMEOUT (408) when it comes too slowly, what `count`
 *   throws, and the reason of `ending`.
 */
export async function readBytes(req: IncomingMessage, reading: Reading): Promise<Buffer> {
  const announced = announcedBytes(req);
  if (announced > reading.limitBytes) throw new ServiceError('BODY_TOO_LARGE');
  const encoding = encodingOf(req);
  const { signal } = reading.ending;
  const ended = Promise.withResolvers<never>();
  signal.addEventListener('abort', () => ended.reject(signal.reason), { once: true });
  const stopTimer = endWhenSlow(req, reading);
  const body =
    encoding === null
      ? gather(chunksOf(req, cutOff), reading, announced)
      : decompress(req, encoding, reading);
  return Promise.race([body, ended.promise]).finally(stopTimer);
}

/** The announced length of a body as it is sent; 0 if there is none. */
export function announcedBytes({ headers }: IncomingMessage): number {
  return Number(headers['content-length'] ?? 0);
}

/** The encoding of a body; null if it is sent as it is. Names are case-insensitive. @throws UNSUPPORTED_MEDIA_TYPE (415) */
export function encodingOf({ headers }: IncomingMessage): Encoding | null {
  const name = (headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (name === 'identity') return null;
  if (isEncoding(name)) return name;
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body has an unknown encoding.');
}

function isEncoding(name: string): name is Encoding {
  return Object.hasOwn(decoders, name);
}

// pipe() does not forward the abort of its source: without `finished` the decoder would wait forever.
async function decompress(req: IncomingMessage, encoding: Encoding, reading: Reading): Promise<Buffer> {
  const decoder = decoders[encoding]();
  const stopWatching = finished(req, { writable: false }, (error) => {
    if (error) decoder.destroy(error);
  });
  const failure = (cause: unknown) => (req.destroyed && !req.complete ? cutOff(cause) : undecodable(cause));
  let unpacked = 0;
  const count = (bytes: number) => {
    unpacked += bytes;
    if (unpacked > Math.max(anyRatioBytes, decoder.bytesWritten * reading.maxRatio))
      throw new ServiceError('BODY_TOO_LARGE', 'The body unpacks to too many times its size.');
    reading.count(bytes);
  };
  try {
    return await gather(chunksOf(req.pipe(decoder), failure), { ...reading, count }, 0);
  } finally {
    stopWatching();
    req.unpipe(decoder);
    decoder.destroy();
  }
}

type Gathering = Pick<Reading, 'limitBytes' | 'count' | 'ending'>;

async function gather(
  chunks: AsyncIterable<Buffer>,
  { limitBytes, count, ending }: Gathering,
  announced: number,
): Promise<Buffer> {
  const bytes = new GrowingBytes(announced);
  for await (const chunk of chunks) {
    ending.signal.throwIfAborted();
    if (bytes.length + chunk.length > limitBytes) throw new ServiceError('BODY_TOO_LARGE');
    count(chunk.length);
    bytes.add(chunk);
  }
  return bytes.take();
}

// The stream of a refused body is not destroyed, because its connection is needed for the answer. The iterator also throws
// if the stream was destroyed before it was read.
async function* chunksOf(
  stream: Readable,
  failure: (cause: unknown) => ServiceError,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* stream.iterator({ destroyOnReturn: false });
  } catch (error) {
    throw failure(error);
  }
}

const failing = (code: ErrorCode, detail: string) => (cause: unknown) =>
  new ServiceError(code, detail, undefined, cause);
const cutOff = failing('MALFORMED_REQUEST', 'The body is shorter than announced.');
const undecodable = failing('MALFORMED_BODY', 'The body cannot be decompressed.');

const leastBytesPerMs = 256;

/**
 * The maximum duration of a body of which `bytes` have arrived. Each byte adds the time of the minimum rate (256 kB/s):
 * 128 MiB may take 10 minutes, and a slow trickle gains almost no time.
 */
export function allowedMs(timeoutMs: number, bytes: number): number {
  return timeoutMs + bytes / leastBytesPerMs;
}

/** Ends a reading with BODY_TIMEOUT (408) if the body arrives too slowly. Returns the function that stops the timer. */
export function endWhenSlow(
  { socket }: IncomingMessage,
  { timeoutMs, ending }: Pick<Reading, 'timeoutMs' | 'ending'>,
): () => void {
  const beganMs = performance.now();
  const bytesBefore = socket.bytesRead;
  const check = () => {
    const elapsedMs = performance.now() - beganMs;
    const leftMs = allowedMs(timeoutMs, socket.bytesRead - bytesBefore) - elapsedMs;
    if (leftMs <= 0) ending.abort(new ServiceError('BODY_TIMEOUT'));
    else timer = setTimeout(check, leftMs);
  };
  let timer = setTimeout(check, timeoutMs);
  return () => clearTimeout(timer);
}

const leastBytes = 16 * 1024;
const growth = 4;

/**
 * Bytes in one buffer that grows with the received bytes: its capacity is at most four times their number, even if a
 * greater length was announced. An outgrown buffer is freed at once, because the garbage collector frees large buffers late.
 */
class GrowingBytes {
  readonly #announced: number;
  #memory: Buffer<ArrayBuffer> = Buffer.alloc(0);
  #length = 0;

  /** `announced` is the expected length, 0 if unknown. */
  constructor(announced: number) {
    this.#announced = announced;
  }

  get length(): number {
    return this.#length;
  }

  add(chunk: Uint8Array): void {
    const needed = this.#length + chunk.length;
    if (needed > this.#memory.length) this.#resize(this.#capacityFor(needed));
    this.#memory.set(chunk, this.#length);
    this.#length = needed;
  }

  /** The bytes in a buffer of exact length. No bytes can be added afterwards. */
  take(): Buffer<ArrayBuffer> {
    if (this.#memory.length !== this.#length) this.#resize(this.#length);
    return this.#memory;
  }

  #capacityFor(needed: number): number {
    const most = Math.max(leastBytes, growth * needed);
    return this.#announced >= needed ? Math.min(this.#announced, most) : most;
  }

  #resize(capacity: number): void {
    const outgrown = this.#memory;
    this.#memory = Buffer.allocUnsafeSlow(capacity);
    outgrown.copy(this.#memory, 0, 0, this.#length);
    outgrown.buffer.transfer(0);
  }
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Checks a body's content type. @throws UNSUPPORTED_MEDIA_TYPE (415) */
export function checkContentType(req: IncomingMessage, form: boolean): 'json' | 'form' {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must be in UTF-8.');
  if (/^application\/([a-z0-9.+-]+\+)?json$/.test(type.trim())) return 'json';
  if (form && type.trim() === 'application/x-www-form-urlencoded') return 'form';
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
}

/** The object in a body. @throws MALFORMED_BODY (400) if it is not JSON, VALIDATION_FAILED (422) if it is not an object. */
export function parseObject(bytes: Buffer, kind: 'json' | 'form'): Record<string, unknown> {
  const text = decode(bytes);
  const value = kind === 'form' ? { ...parseForm(text) } : readJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw validationFailed([{ field: '', message: 'The body must be a JSON object' }]);
  }
  return { ...value };
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new ServiceError('MALFORMED_BODY', 'The body is not valid UTF-8.', undefined, error);
  }
}

function readJson(text: string): unknown {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonBoundsError)
      throw validationFailed([
        { field: '', message: 'The body is nested too deeply or has too many values' },
      ]);
    throw new ServiceError('MALFORMED_BODY', undefined, undefined, error);
  }
}

/** Refuses text that PostgreSQL cannot hold. @throws VALIDATION_FAILED (422) naming the field. */
export function refuseUnstorable(value: unknown, path: readonly string[] = []): void {
  if (typeof value === 'string') {
    if (value.includes('\0') || !value.isWellFormed())
      throw validationFailed([{ field: path.join('.'), message: 'must be Unicode text without NUL' }]);
    return;
  }
  if (typeof value !== 'object' || value === null) return;
  if (path.length > 16) throw validationFailed([{ field: path.join('.'), message: 'is nested too deeply' }]);
  for (const [key, inner] of Object.entries(value)) refuseUnstorable(inner, [...path, key]);
}
