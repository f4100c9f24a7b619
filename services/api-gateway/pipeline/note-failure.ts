import type { IncomingMessage } from 'node:http';
import type { Logger } from 'moleculer';
import { isErrorCode } from '../../../domain/errors.ts';
import type { Failure } from './answer.ts';

// The name and stack frames of an error. Messages are not logged, because a database message may quote a row. A failure of
// the error table needs no frames.
function failureFields(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { name: typeof error };
  if (isErrorCode(Reflect.get(error, 'type'))) return {};
  const frames = (error.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  return { name: error.name, frames: frames.slice(0, 6).map((line) => line.trim()) };
}

/** Logs a failed request: an internal failure (500) as an error, an unavailable or slow service as a warning. */
export function noteFailure(
  logger: Logger,
  req: IncomingMessage,
  error: unknown,
  { status, code }: Failure,
): void {
  if (status < 500 || status === 501) return;
  const entry = { ...failureFields(error), code, request_id: req.headers['x-request-id'] };
  if (status === 500) logger.error('request.failed', entry);
  else logger.warn('request.failed', entry);
}
