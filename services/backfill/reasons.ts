import { accessReasons } from '../../domain/access-reasons.ts';

/** Why a backfill ended early, or a request brought nothing: the code that is stored, the sentence that is shown. */
export const reasons = {
  ...accessReasons,
  CONNECTION_REPLACED: 'The account was connected anew meanwhile.',
  HISTORY_WITHHELD: 'The user does not let the provider hand over history.',
  TOOK_TOO_LONG: 'It was not through after 30 days.',
  ALL_FAILED: 'No request succeeded.',
  NOTHING_CAME: 'Nothing came in the time that is allowed: the provider may have no data of it.',
  ASKED_BEFORE: 'The provider was asked for this span before, and sends it once.',
  TYPE_OFF: 'This type is switched off at the provider.',
  PROVIDER_FAILED: 'The provider did not answer, or failed, too often.',
  REQUEST_REFUSED: 'The provider refused the request.',
  ENDED: 'The backfill ended before.',
} as const;

/** The name of a reason, as it is stored. */
export type Reason = keyof typeof reasons;

/** The sentence of a stored code; null where there is none. */
export function sentenceOf(code: string | null): string | null {
  return code !== null && isReason(code) ? reasons[code] : null;
}

function isReason(code: string): code is Reason {
  return Object.hasOwn(reasons, code);
}
