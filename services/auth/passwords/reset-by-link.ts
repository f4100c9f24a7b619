import { ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../actor.ts';
import { refuseWeakPassword } from '../log-in/password-rules.ts';
import type { Passwords } from '../log-in/passwords.ts';
import { endOtherSessions } from '../queries/end-families.ts';
import { selectResetAccount, useResetLink } from '../queries/reset-links.ts';
import { sha256 } from '../tokens/secrets.ts';

interface Resetting {
  readonly database: Database;
  readonly passwords: Passwords;
  readonly origin: AuditOrigin;
}

/**
 * Sets the password of the account of a link, and ends all of its sessions and other links.
 * @throws RESET_LINK_NOT_FOUND (404) if it is used, expired or unknown, VALIDATION_FAILED (422) for a weak password
 */
export async function resetByLink(
  { database, passwords, origin }: Resetting,
  { token, password }: { readonly token: string; readonly password: string },
): Promise<void> {
  const link = sha256(token);
  const account = await selectResetAccount(database, link);
  if (account === undefined) throw new ServiceError('RESET_LINK_NOT_FOUND');
  await refuseWeakPassword('password', password, account.email);
  const hash = await passwords.hash(password);
  await acting(database, { ...origin, actor: `admin:${account.id}` }, async (on) => {
    if (!(await useResetLink(on, link, account.id))) throw new ServiceError('RESET_LINK_NOT_FOUND');
    await on.query('update auth.developer set password = $2 where id = $1', [account.id, hash]);
    await endOtherSessions(on, account.id, null);
  });
}
