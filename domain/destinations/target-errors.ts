/** Why a destination is not written, by code. What was not written is written when the cause has ended. */
export const targetErrors = {
  address_refused:
    'The address is not public. The setting DESTINATION_HOSTS names private hosts that are allowed.',
  name_unknown: 'The name of the host is unknown.',
  unreachable: 'No connection to the host.',
  tls_failed: 'The host has no valid TLS certificate.',
  timed_out: 'The destination did not answer in time.',
  cut_off: 'The connection ended before the answer.',
  answer_invalid: 'The answer is not one of such a destination.',
  answer_too_large: 'The destination sent more than an answer of it may have.',
  answer_too_costly: 'An answer of the destination takes more memory or computing time than it may.',
  list_too_long: 'The bucket lists more objects below the prefix than may be there. Use an empty prefix.',
  too_slow: 'The destination took longer for a step than it may.',
  redirected: 'The destination redirects to another address. Use that one, or the region of the bucket.',
  credentials_refused: 'The destination refuses the credentials.',
  not_permitted: 'The credentials do not permit the operation.',
  secrets_unreadable: 'The credentials cannot be decrypted: ENCRYPTION_KEY has changed. Set them again.',
  missing: 'The bucket, stream, database or table does not exist.',
  schema_changed: 'A table or stream at the destination has another form than expected.',
  too_large: 'A row is larger than a message of the destination may be.',
  full: 'The destination has no space left, or its quota is used up.',
  busy: 'The destination is overloaded or temporarily unavailable.',
  failed: 'The destination answered with an error.',
  internal: 'An internal error occurred. The log of the service has its code.',
} as const;

export type TargetErrorCode = keyof typeof targetErrors;

/** Whether a text is one of the codes. */
export function isTargetErrorCode(code: string): code is TargetErrorCode {
  return Object.hasOwn(targetErrors, code);
}

/** A failure of a target. `stopped` is none: the process stops, or its lease was lost. */
export class TargetError extends Error {
  readonly reason: TargetErrorCode | 'stopped';

  constructor(reason: TargetErrorCode | 'stopped', cause?: unknown) {
    super(reason === 'stopped' ? reason : targetErrors[reason], cause === undefined ? {} : { cause });
    this.reason = reason;
  }
}
