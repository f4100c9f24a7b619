import { ConfigError } from '../../config.ts';
import { errorCodeOf } from '../../domain/error-code.ts';
import { OlderRelease } from '../../migrations/older-release.ts';

/** A start that cannot go on: the message names the setting and says what to do. It is printed without a stack trace. */
export class StartError extends Error {
  override readonly name = 'StartError';
}

const fileReasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission is denied',
  EPERM: 'the system does not permit it',
  EROFS: 'the file system is read-only',
  ENOTDIR: 'a part of the path is not a folder',
  ENOENT: 'a part of the path does not exist',
};

/** The message of an error that an operator can correct. Null for any other, which is printed with its stack trace. */
export function messageForOperator(error: unknown): string | null {
  if (error instanceof StartError || error instanceof ConfigError || error instanceof OlderRelease)
    return error.message;
  const isArgument = error instanceof Error && /^ERR_PARSE_ARGS/.test(errorCodeOf(error) ?? '');
  return isArgument ? error.message : null;
}

/** A failure to read or write below a folder that a setting names; null where the failure is another one. */
export function folderError(error: unknown, setting: string, folder: string): StartError | null {
  const reason = fileReason(error);
  if (reason === null) return null;
  const message = `${setting}: ${folder} cannot be used: ${reason}. ${adviceOn(reason, setting)}`;
  return new StartError(message, { cause: error });
}

/** Explains a failed start of the servers. Programming errors are returned unchanged. */
export function startErrorOf(error: unknown, dataDir: string): unknown {
  if (error instanceof StartError || !(error instanceof Error) || error.name !== 'Error') return error;
  return folderError(error, 'DATA_DIR', dataDir) ?? new StartError(error.message, { cause: error });
}

// Child programs report a full disk in words, PostgreSQL with an error code.
function fileReason(error: unknown): string | null {
  if (!(error instanceof Error)) return null;
  const code = errorCodeOf(error) ?? '';
  if (code === '53100' || /No space left on device/.test(error.message))
    return `${fileReasons.ENOSPC} (ENOSPC)`;
  const reason = fileReasons[code];
  return reason === undefined ? null : `${reason} (${code})`;
}

function adviceOn(reason: string, setting: string): string {
  const isFull = reason.endsWith('(ENOSPC)') || reason.endsWith('(EDQUOT)');
  return isFull
    ? `Free some space, or set ${setting} to a folder on another disk.`
    : `Make it writable for this account, or set ${setting} to another folder.`;
}
