import type { Database } from '../../../mixins/database/database.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../tables/acting.ts';
import { selectPassword, updatePassword } from '../tables/developers.ts';
import { endOtherSessions } from '../tables/families.ts';
import { generatedPassword, type Login } from './first-developer.ts';
import { createPasswords } from './passwords.ts';
import { disableSecondFactor } from './second-factor.ts';

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
    await updatePassword(transaction, account.id, hash);
    await endOtherSessions(transaction, account.id, null);
    if (withoutSecondFactor)
      await disableSecondFactor(transaction, systemOrigin('reset-password'), account.id);
    return { email, password };
  });
}
