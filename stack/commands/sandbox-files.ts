// `npm run sandbox-files -- FOLDER [--large MB]`: writes the files that synthetic users would export, one folder for each user; with
// `--large` one export of about so many megabytes instead.
import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { largeExport } from '../../sandbox/files/apple-export.ts';
import { userFiles } from '../../sandbox/files/user-files.ts';

const users = 6;
const days = 30;
const dayMs = 86_400_000;
const offsetMinutes = 60;
/** The days of a large export, of four times as many records. */
const dense = { density: 4, megabytesPerDay: 0.57 };

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { large: { type: 'string' } },
});
const folder = positionals[0] ?? 'sandbox-files';
const today = Math.floor(Date.now() / dayMs);
if (values.large === undefined) writeUsers();
else await writeLarge(Number(values.large));

function writeUsers(): void {
  const startMs = (today - days) * dayMs;
  for (let user = 1; user <= users; user += 1) {
    const name = `user-${user}`;
    const { files, ledger } = userFiles({ seed: name, startMs, days, offsetMinutes });
    mkdirSync(join(folder, name), { recursive: true });
    for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, name, file), content);
    console.log(
      `${join(folder, name)}: ${Object.keys(files).join(', ')}; ${ledger.heartRates} heart rates, ${ledger.nights} nights`,
    );
  }
}

async function writeLarge(megabytes: number): Promise<void> {
  const count = Math.max(1, Math.round(megabytes / dense.megabytesPerDay));
  const startMs = (today - count) * dayMs;
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'export.xml');
  const file = await open(path, 'w');
  for (const piece of largeExport({
    seed: 'large',
    startMs,
    days: count,
    density: dense.density,
    offsetMinutes,
  }))
    await file.write(piece);
  const { size } = await file.stat();
  await file.close();
  console.log(`${path}: ${size} bytes, ${count} days`);
}
