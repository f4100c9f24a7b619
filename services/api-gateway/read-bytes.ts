import type { IncomingMessage } from 'node:http';
import { finished, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { type ErrorCode, ServiceError } from '../../domain/errors.ts';
import { GrowingBytes } from './growing-bytes.ts';

const mebibyte = 1024 * 1024;
/** The largest body of a webhook: an activity of hours at 1 Hz comes as one notification. */
export const webhookLimitBytes = 128 * mebibyte;
/** The largest body of everything else. */
export const bodyLimitBytes = mebibyte;

const limits = { webhook: webhookLimitBytes, other: bodyLimitBytes } as const;
const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/** Counts bytes as they arrive. It throws to refuse them. */
export type CountBytes = (bytes: number) => void;

interface Reading {
  readonly limit: number;
  readonly count: CountBytes;
  /** The length that the sender announced; 0 where it is unknown. */
  readonly announced: number;
}

/**
 * The body's bytes, decompressed; empty where there is none.
 * @throws BODY_TOO_LARGE (413) on the announced length or on the first byte past the limit, UNSUPPORTED_MEDIA_TYPE
 *   (415) for an unknown encoding, MALFORMED_BODY (400) where it cannot be decompressed, MALFORMED_REQUEST (400)
 *   when the sender hangs up, and what `count` throws.
 */
export async function readBytes(
  req: IncomingMessage,
  kind: keyof typeof limits,
  count: CountBytes = () => undefined,
): Promise<Buffer> {
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = req.headers;
  const reading = { limit: limits[kind], count, announced: Number(length ?? 0) };
  if (reading.announced > reading.limit) throw new ServiceError('BODY_TOO_LARGE');
  if (encoding === 'identity') return gather(chunksOf(req, cutOff), reading);
  if (!isDecoder(encoding))
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body has an unknown encoding.');
  return decompress(req, decoders[encoding](), { ...reading, announced: 0 });
}

function isDecoder(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

// pipe() does not pass on that its source was cut off: without the watch the decoder waits for ever.
async function decompress(req: IncomingMessage, decoder: Transform, reading: Reading): Promise<Buffer> {
  const stopWatching = finished(req, { writable: false }, (error) => {
    if (error) decoder.destroy(error);
  });
  const failure = (cause: unknown) => (req.destroyed && !req.complete ? cutOff(cause) : undecodable(cause));
  try {
    return await gather(chunksOf(req.pipe(decoder), failure), reading);
  } finally {
    stopWatching();
    req.unpipe(decoder);
    decoder.destroy();
  }
}

async function gather(chunks: AsyncIterable<Buffer>, { limit, count, announced }: Reading): Promise<Buffer> {
  const bytes = new GrowingBytes(announced);
  for await (const chunk of chunks) {
    if (bytes.length + chunk.length > limit) throw new ServiceError('BODY_TOO_LARGE');
    count(chunk.length);
    bytes.add(chunk);
  }
  return bytes.take();
}

// A body that is refused in the middle is not destroyed: its connection carries the answer. An iterator also
// throws where the stream was destroyed before anybody read it.
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
