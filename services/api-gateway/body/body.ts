import type { IncomingMessage } from 'node:http';
import { parse as parseForm } from 'node:querystring';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { JsonBoundsError, parseJson } from '../../../domain/json/json-bounds.ts';

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
