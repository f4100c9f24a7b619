import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { chargeAttempt } from '../queries/charge-attempt.ts';
import { countFailedLogIn, recordFailedLogIn } from '../queries/record-failed-log-in.ts';
import { rangeOf } from './address-range.ts';
import { hourlyWindow } from './attempts.ts';

/** Entries of an hour that have a range of their own. Log-ins that fail from further ranges have one entry per account. */
const mostRanges = 200;

/**
 * Records a failed log-in in the audit trail: one entry per account, address range and hour with the number of failures, so
 * that an attack does not fill the trail.
 */
export async function auditFailedLogIn(
  database: Queryable,
  origin: AuditOrigin,
  { developerId, address }: { readonly developerId: string | null; readonly address: string },
): Promise<void> {
  const failed = { developerId, address, range: rangeOf(address) };
  if (await countFailedLogIn(database, failed)) return;
  const hasRoom = (await chargeAttempt(database, hourlyWindow('audited ranges', mostRanges))) !== null;
  await recordFailedLogIn(database, origin, hasRoom ? failed : { ...failed, range: null });
}
