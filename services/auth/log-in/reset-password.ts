import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { type AuditOrigin, systemOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../actor.ts';
import { endOtherSessions } from '../queries/end-families.ts';
import { selectPassword } from '../queries/select-credentials.ts';
import { dropPasskeys } from '../second-factor/passkeys.ts';
import { turnOff } from '../second-factor/totp.ts';
import { generatedPassword, type Login } from './first-developer.ts';
import { createPasswords } from './passwords.ts';

/** Gives an account a generated password and ends its sessions, and removes its authenticator and passkeys if asked to; null if no account has this e-mail address. */
export async function resetPassword(
  database: Database,
  email: string,
  withoutSecondFactor = false,
): Promise<Login | null> {
  const password = generatedPassword();
  const hash = await createPasswords().hash(password);
  return acting(database, systemOrigin('reset-password'), async (transaction) => {
    const account = await selectPassword(transaction, email);
    if (account === null) return null;
    await transaction.query('update auth.developer set password = $2 where id = $1', [account.id, hash]);
    await endOtherSessions(transaction, account.id, null);
    if (withoutSecondFactor)
      await disableSecondFactor(transaction, systemOrigin('reset-password'), account.id);
    return { email, password };
  });
}

/** Removes the authenticator and the passkeys of an account. */
export async function disableSecondFactor(
  on: Queryable,
  origin: AuditOrigin,
  developerId: string,
): Promise<void> {
  await dropPasskeys(on, origin, developerId);
  if (await turnOff(on, developerId))
    await recordAudit(on, origin, { action: 'second_factor.disabled', subjectId: developerId });
}

/** The e-mail addresses of all developer accounts, the oldest account first. */
export async function accountEmails(database: Database): Promise<string[]> {
  const rows = await database.query<{ email: string }>(
    'select email from auth.developer order by created_at, id',
  );
  return rows.map(({ email }) => email);
}
