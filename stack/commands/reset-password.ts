import { selectEmails } from '../../services/auth/tables/developers.ts';
import { resetPassword } from '../../services/auth/work/operator-accounts.ts';
import { runOnDatabase } from '../database/own-database.ts';
import { StartError } from '../machine/start-error.ts';

// `npm run reset-password -- EMAIL`: gives a developer account a generated password, shows it and ends its sessions.
// With --without-second-factor it removes the authenticator and the passkeys of the account.

await runOnDatabase(async (database) => {
  const emails = await selectEmails(database);
  const [only] = emails;
  const email =
    process.argv.slice(2).find((one) => !one.startsWith('--')) ?? (emails.length === 1 ? only : undefined);
  if (email === undefined) throw new StartError(`Name an account: ${emails.join(', ')}`);
  const login = await resetPassword(database, email, process.argv.includes('--without-second-factor'));
  if (login === null)
    throw new StartError(`There is no account ${email}. The accounts are ${emails.join(', ')}.`);
  return `${login.email}  ${login.password}\nIts sessions ended.`;
});
