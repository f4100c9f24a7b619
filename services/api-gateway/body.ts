import type { IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import type { Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import rawBody from 'raw-body';
import { ServiceError, validationFailed } from '../../domain/errors.ts';

const mebibyte = 1024 * 1024;
/** The largest body of a webhook: an activity of hours at 1 Hz comes as one notification. */
export const webhookLimitBytes = 128 * mebibyte;
/** The largest body of everything else. */
export const bodyLimitBytes = mebibyte;

const limits = { webhook: webhookLimitBytes, other: bodyLimitBytes } as const;
const decoders = { gzip: createGunzip, deflate: createInflate, br: createBrotliDecompress } as const;

/**
 * The body's bytes, decompressed; empty where there is none.
 * @throws 413 past the limit, on the first byte beyond it or already on what is announced; 415 for an encoding
 *   that is not known; what `take` throws, which is told of each chunk as it comes.
 */
export async function readBytes(
  req: IncomingMessage,
  kind: keyof typeof limits,
  take?: (bytes: number) => void,
): Promise<Buffer> {
  const limit = limits[kind];
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = req.headers;
  if (Number(length ?? 0) > limit) throw new ServiceError('BODY_TOO_LARGE');
  if (encoding === 'identity') return counting(req, take, () => readWhole(req, limit, length));
  if (!isDecoder(encoding))
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body has an unknown encoding.');
  const decoder = decoders[encoding]();
  return counting(decoder, take, () => decompress(req, decoder, limit));
}

// Of a large body whose size is told the chunks go where they belong: gathered first, it would be there twice.
function readWhole(req: IncomingMessage, limit: number, length: string | undefined): Promise<Buffer> {
  const bytes = Number(length ?? 0);
  if (bytes <= mebibyte) return rawBody(req, { limit, length: length ?? null });
  const body = Buffer.allocUnsafeSlow(bytes);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  let at = 0;
  const broken = () => reject(new ServiceError('MALFORMED_REQUEST', 'The body is shorter than announced.'));
  req.on('data', (chunk: Buffer) => {
    at += chunk.copy(body, at);
  });
  req.once('end', () => (at === bytes ? resolve(body) : broken()));
  req.once('aborted', broken).once('error', broken).once('close', broken);
  return promise;
}

// A throw inside a listener would reach nobody: the first refusal ends the reading instead.
async function counting(
  from: IncomingMessage | Transform,
  take: ((bytes: number) => void) | undefined,
  read: () => Promise<Buffer>,
): Promise<Buffer> {
  if (take === undefined) return read();
  const refused = Promise.withResolvers<never>();
  const count = (chunk: Buffer) => {
    try {
      take(chunk.length);
    } catch (error) {
      from.off('data', count);
      refused.reject(error);
    }
  };
  from.on('data', count);
  return Promise.race([read(), refused.promise]);
}

function isDecoder(encoding: string): encoding is keyof typeof decoders {
  return Object.hasOwn(decoders, encoding);
}

// The limit holds for what comes out: a few bytes can unpack to gigabytes.
async function decompress(req: IncomingMessage, decoder: Transform, limit: number): Promise<Buffer> {
  try {
    return await rawBody(req.pipe(decoder), { limit });
  } catch (error) {
    if (Reflect.get(Object(error), 'type') === 'entity.too.large') throw error;
    throw new ServiceError('MALFORMED_BODY', 'The body cannot be decompressed.', undefined, error);
  } finally {
    req.unpipe(decoder);
    decoder.destroy();
  }
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  return encoding !== undefined || (length !== undefined && length !== '0');
}

/** Checks a body's content type. @throws UNSUPPORTED_MEDIA_TYPE (415); a webhook whose sender names none is taken. */
export function checkContentType(req: IncomingMessage, form: boolean): 'json' | 'form' {
  const [type = '', ...parameters] = (req.headers['content-type'] ?? '').toLowerCase().split(';');
  const charset = parameters.map((one) => one.trim()).find((one) => one.startsWith('charset='));
  if (charset !== undefined && !/^charset="?utf-?8"?$/.test(charset))
    throw new ServiceError('UNSUPPORTED_MEDIA_TYPE', 'The body must be in UTF-8.');
  if (/^application\/([a-z0-9.+-]+\+)?json$/.test(type.trim())) return 'json';
  if (form && type.trim() === 'application/x-www-form-urlencoded') return 'form';
  throw new ServiceError('UNSUPPORTED_MEDIA_TYPE');
}

/** The object in a body. @throws MALFORMED_BODY (400) where it is no JSON, 422 where it is no object. */
export function parseObject(bytes: Buffer, kind: 'json' | 'form'): Record<string, unknown> {
  const text = decode(bytes);
  const value = kind === 'form' ? { ...parseForm(text) } : parseJson(text);
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

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
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
