import { createHash, randomInt } from 'node:crypto';
import { ServiceError, userNotFound } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { type Call, callAs } from '../../../runtime/environment.ts';
import { type CodeRow, insertCode, redeem } from '../tables/invitation-codes.ts';
import { connectPhone } from '../work/connect-phone.ts';
import { behindFence } from '../work/fence.ts';

/** Without letters and digits that look alike. */
const alphabet = '23456789ABCDEFGHJKLMNPQRSTUVWXYZ';
const length = 8;
const lifetimeMinutes = 15;

interface Deps {
  readonly database: Database;
  readonly call: Call;
  readonly origin: AuditOrigin;
}

/** Creates a code of 40 random bits. It is stored as a hash. @throws USER_NOT_FOUND (404) */
export async function createCode(
  { database, call, origin }: Deps,
  userId: string,
  developerId: string | null,
) {
  const code = Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
  const fenced = await behindFence(database, userId, () => call('users.get', { user_id: userId }));
  if (fenced === null) throw userNotFound(userId);
  const row = await fenced.write(async (transaction) => {
    await recordAudit(transaction, origin, { action: 'token.code_created', userId, subjectId: userId });
    return insertCode(transaction, { hash: hashOf(code), userId, developerId, lifetimeMinutes });
  });
  return { ...shown(row), code, expires_at: formatInstant(row.expires_at.getTime()) };
}

interface Redemption {
  readonly code: string;
  readonly time_zone?: string | undefined;
}

/**
 * Exchanges a code for tokens. One statement uses it up, so that of two requests at once one succeeds.
 * @throws UNAUTHENTICATED (401) for a code that is unknown, used or expired
 */
export async function redeemCode({ database, call }: Omit<Deps, 'origin'>, { code, time_zone }: Redemption) {
  const redeemed = await redeem(database, hashOf(code.toUpperCase().replace(/[\s-]/g, '')));
  if (redeemed === null)
    throw new ServiceError('UNAUTHENTICATED', 'The code is not valid. It works once, for 15 minutes.');
  const { user_id, developer_id } = redeemed;
  await connectPhone(call, user_id);
  if (time_zone !== undefined) await callAs(call, `user:${user_id}`)('users.update', { user_id, time_zone });
  return { ...(await call('auth.issueForCode', { user_id, developer_id })), ...shown(redeemed) };
}

function shown({ id, user_id, created_at }: CodeRow) {
  return { id, user_id, created_at: formatInstant(created_at.getTime()) };
}

function hashOf(code: string): string {
  return createHash('sha256').update(code).digest('hex');
}
