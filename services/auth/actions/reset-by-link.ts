import { ServiceError } from '../../../domain/errors.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { refuseWeakPassword } from '../rules/password-rules.ts';
import { sha256 } from '../rules/secrets.ts';
import { acting } from '../tables/acting.ts';
import {
  confirmAddress,
  lockConfirmation,
  selectResetAccount,
  updatePassword,
  useResetLink,
} from '../tables/developers.ts';
import { endOtherSessions } from '../tables/families.ts';
import type { AuthDeps } from '../work/deps.ts';
import { disableSecondFactor } from '../work/second-factor.ts';

/**
 * Sets the password of the account of a link, confirms its address, and ends all of its sessions and other links.
 * @throws RESET_LINK_NOT_FOUND (404) if it is used, expired or unknown, VALIDATION_FAILED (422) for a weak password
 */
export async function resetByLink(
  { database, passwords, origin }: Pick<AuthDeps, 'database' | 'passwords' | 'origin'>,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<void> {
  const link = sha256(token);
  const account = await selectResetAccount(database, link);
  if (account === undefined) throw new ServiceError('RESET_LINK_NOT_FOUND');
  await refuseWeakPassword('password', password, account.email);
  const hash = await passwords.hash(password);
  await acting(database, { ...origin, actor: `admin:${account.id}` }, async (on) => {
    if (!(await useResetLink(on, link, account.id))) throw new ServiceError('RESET_LINK_NOT_FOUND');
    await takeOver(on, { ...origin, actor: `admin:${account.id}` }, account.id, hash);
  });
}

/**
 * Gives an account to the holder of its e-mail address, proven by a link that was sent there. Sets a new password and
 * ends all sessions and links. If the address was not confirmed, somebody else may have created the account, so its
 * second factors are removed, too.
 */
export async function takeOver(
  on: Queryable,
  origin: AuditOrigin,
  developerId: string,
  passwordHash: string,
): Promise<void> {
  const wasConfirmed = await lockConfirmation(on, developerId);
  await updatePassword(on, developerId, passwordHash);
  await confirmAddress(on, developerId);
  await endOtherSessions(on, developerId, null);
  if (wasConfirmed === false) await disableSecondFactor(on, origin, developerId);
}
