// `npm run admin-password`: shows the generated password of the first account until it is used.
import { unusedLogin } from '../database/first-account.ts';
import { runOnDatabase } from '../database/own-database.ts';
import { StartError } from '../machine/start-error.ts';

await runOnDatabase(async (database, dataDir) => {
  const login = await unusedLogin(database, dataDir);
  if (login === null)
    throw new StartError(
      `No generated password is kept in ${dataDir}: it was used, changed, or set by ADMIN_PASSWORD. ` +
        '`npm run reset-password -- EMAIL` makes a new one.',
    );
  return `${login.email}  ${login.password}`;
});
