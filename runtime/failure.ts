import { Errors, type Logger } from 'moleculer';
import { fieldOf } from '../domain/error-code.ts';
import { isErrorCode, ServiceError } from '../domain/errors.ts';
import { FunctionFailure } from '../domain/provider/function-failure.ts';

/** PostgreSQL's error classes that are temporary: no connection, no resources, shutting down. */
const passing = /^(08|53|57P0|25006|40001|40P01)/;
const networkCodes = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']);

/**
 * The error that a caller gets. Errors of the table and Moleculer's own (service unavailable, timeout) are passed on,
 * an unreachable database becomes SERVICE_UNAVAILABLE, anything else is logged and becomes INTERNAL. The log contains
 * names, codes and stack frames, never a message of the database, which may quote a row.
 */
export function failureOf(error: unknown, logger: Logger, where: string): unknown {
  if (error instanceof Errors.MoleculerError) return error;
  const { type, code, name, stack, message } = fieldsOf(error);
  if (isErrorCode(type)) return error;
  const isDatabase = typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code);
  if (isDatabase ? passing.test(code) : isConnectionFailure(code, message)) {
    logger.warn('action.database_away', { where, code });
    return new ServiceError('SERVICE_UNAVAILABLE', undefined, undefined, error);
  }
  const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
  const said = isDatabase ? undefined : message;
  logger.error('action.failed', {
    where,
    name,
    code,
    message: said,
    frames: frames.slice(0, 6).map((line) => line.trim()),
  });
  return new ServiceError('INTERNAL', undefined, undefined, error);
}

/** Whether pg says that a connection was lost, before a statement or within it. Such errors have no code. */
export function isLostConnection(message: string): boolean {
  return /^(Connection terminated|Client (has encountered a connection error|was closed) and is not queryable)/.test(
    message,
  );
}

function isConnectionFailure(code: unknown, message: unknown): boolean {
  if (typeof code === 'string' && networkCodes.has(code)) return true;
  return (
    typeof message === 'string' &&
    (isLostConnection(message) || message.startsWith('timeout exceeded when trying to connect'))
  );
}

function fieldsOf(error: unknown) {
  const read = (name: string) => fieldOf(error, name);
  const message = typeof error === 'object' ? read('message') : String(error);
  return { type: read('type'), code: read('code'), name: read('name'), stack: read('stack'), message };
}

/**
 * The code of an error without any value: one of the table, Moleculer's, or INTERNAL. Of a function of a description from outside of
 * the tree that threw, the sentence that names it.
 */
export function codeOf(error: unknown): string {
  if (error instanceof FunctionFailure) return error.message;
  const type = fieldOf(error, 'type');
  if (isErrorCode(type) || (typeof type === 'string' && /^[A-Z_]{1,40}$/.test(type))) return type;
  return 'INTERNAL';
}

/** What a log says of a failure: its type, code or name. Its message may quote a row and is left out. */
export function loggedCodeOf(error: unknown): unknown {
  return fieldOf(error, 'type') ?? fieldOf(error, 'code') ?? fieldOf(error, 'name');
}
