import { accessReasons } from '../../domain/access-reasons.ts';

/** Why a backfill ended early or a request returned no data: the stored code and its public sentence. */
const reasons = {
  ...accessReasons,
  CONNECTION_REPLACED: 'The account was connected again during the backfill.',
  HISTORY_WITHHELD: 'The user does not permit the provider to send past data.',
  TOOK_TOO_LONG: 'The backfill did not finish within 30 days.',
  ALL_FAILED: 'No request succeeded.',
  NOTHING_CAME: 'No data arrived in time. The provider may have no data for this span.',
  ASKED_BEFORE: 'This span was requested before, and the provider sends it only once.',
  TYPE_OFF: 'This data type is disabled at the provider.',
  PROVIDER_FAILED: 'The provider failed or did not respond too many times.',
  REQUEST_REFUSED: 'The provider refused the request.',
  ENDED: 'The backfill ended before this request.',
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
