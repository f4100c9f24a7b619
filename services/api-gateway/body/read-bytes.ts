import type { IncomingMessage } from 'node:http';
import { finished, type Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type ErrorCode, ServiceError } from '../../../domain/errors.ts';
import { endWhenSlow } from './body-deadline.ts';
import type { Reading } from './body-reading.ts';
import { GrowingBytes } from './growing-bytes.ts';

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
