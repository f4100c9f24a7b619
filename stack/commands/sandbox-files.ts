// `npm run sandbox-files -- FOLDER [--large MB]`: writes the files that synthetic users would export, one folder for each user; with
// `--large` one export of about so many megabytes instead. `npm run sandbox-files -- ARCHIVE FOLDER` writes an archive of a maker with its
// oddities, and prints the numbers that its import must give.
import { mkdirSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { accountArchives } from '../../sandbox/all.ts';
import { largeExport } from '../../sandbox/files/apple-export.ts';
import { sandboxArchives } from '../../sandbox/files/archives.ts';
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
const [wanted = ''] = positionals;
const archiveOf = sandboxArchives[wanted] ?? (await accountArchives[wanted]?.());
const folder = positionals[archiveOf === undefined ? 0 : 1] ?? 'sandbox-files';
const today = Math.floor(Date.now() / dayMs);
if (archiveOf !== undefined) writeArchive(archiveOf);
else if (values.large === undefined) writeUsers();
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

function writeArchive(archiveOf: (typeof sandboxArchives)[string]): void {
  const { file, bytes, numbers } = archiveOf({ seed: 'archive', startMs: (today - days - 1) * dayMs, days });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, file), bytes);
  console.log(`${join(folder, file)}: ${JSON.stringify(numbers)}`);
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
