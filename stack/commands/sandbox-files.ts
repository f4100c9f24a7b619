// `npm run sandbox-files -- FOLDER`: writes the files that synthetic users would export, one folder for each user.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userFiles } from '../../sandbox/files/user-files.ts';

const users = 6;
const days = 30;
const dayMs = 86_400_000;
const offsetMinutes = 60;

const folder = process.argv[2] ?? 'sandbox-files';
const startMs = (Math.floor(Date.now() / dayMs) - days) * dayMs;
for (let user = 1; user <= users; user += 1) {
  const name = `user-${user}`;
  const { files, ledger } = userFiles({ seed: name, startMs, days, offsetMinutes });
  mkdirSync(join(folder, name), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, name, file), content);
  console.log(
    `${join(folder, name)}: ${Object.keys(files).join(', ')}; ${ledger.heartRates} heart rates, ${ledger.nights} nights`,
  );
}
