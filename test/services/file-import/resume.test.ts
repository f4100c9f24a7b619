import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import type { FileImport } from '../../../contracts/file-import.ts';
import { filePartBytes } from '../../../domain/file-part.ts';
import { fitbitArchive } from '../../../sandbox/files/fitbit-archive.ts';
import { userFiles } from '../../../sandbox/files/user-files.ts';
import { zipOf } from '../../../sandbox/files/zip.ts';
import { fileFolder } from '../../../services/file-import/work/file-folder.ts';
import { createUser, startApi } from '../../support/api.ts';
import { testSettings } from '../../support/servers/broker.ts';
import { until } from '../../support/until.ts';
import { importFile } from './importing.ts';

const IMPORT_DIR = mkdtempSync(join(tmpdir(), 'imports-'));
const settings = { SANDBOX: 'off', IMPORT_DIR };
const api = await startApi(t, settings);
const { database } = api;
const all = testSettings({ databaseUrl: database.url, settings });
const folder = fileFolder({ DATA_DIR: '.data', IMPORT_DIR, ENCRYPTION_KEY: [all.ENCRYPTION_KEY] });
const startMs = Date.parse('2026-01-01');
const { files } = userFiles({ seed: 'a user', startMs, days: 60, offsetMinutes: 60 });
const { members } = fitbitArchive({ seed: 'a user', startMs, days: 30, zone: 'Europe/Berlin' });
const archives = {
  'an export of Apple Health': Buffer.from(files['export.zip'] ?? ''),
  // Most of its entries need what other members state, which are read again.
  'an archive of Fitbit': zipOf(
    Object.entries(members).map(([name, text]) => ({ name, bytes: Buffer.from(text) })),
  ),
};

function startProcess(t: Test) {
  const script = join(import.meta.dirname, 'import-process.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(all)], { stdio: 'ignore' });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

interface State {
  readonly state: string;
  readonly position: number;
  readonly counts: object;
  readonly skipped: object;
}

async function stateOf(id: string): Promise<State> {
  const text = 'select state, position::int as position, counts, skipped from imports.import where id = $1';
  const [row] = await database.query<State>(text, [id]);
  if (row === undefined) throw new Error('the import is gone');
  return row;
}

const stored = (userId: string) =>
  database.query(
    `select (select count(*) from timeseries.sample s join timeseries.series r on r.id = s.series_id where r.user_id = $1)::int samples,
       (select count(*) from timeseries.workout where user_id = $1)::int workouts,
       (select count(*) from timeseries.sleep_session where user_id = $1)::int nights,
       (select sum(asleep_seconds) from timeseries.sleep_session where user_id = $1)::int asleep`,
    [userId],
  );

const wholes = new Map<
  string,
  { readonly userId: string; readonly killedId: string; readonly done: FileImport }
>();
t.test('the imports in one go', async (t) => {
  for (const [name, file] of Object.entries(archives)) {
    const userId = await createUser(api);
    wholes.set(name, { userId, killedId: await createUser(api), done: await importFile(api, userId, file) });
    t.equal(wholes.get(name)?.done.state, 'done', name);
  }
  await api.broker.stop(); // the processes that follow are the only ones
});

for (const [name, file] of Object.entries(archives))
  t.test(`the import of ${name} goes on where a killed process left it`, async (t) => {
    const whole = wholes.get(name);
    if (whole === undefined) throw new Error(`${name} was not imported`);
    const userId = whole.killedId;
    const id = randomUUID();
    await database.query(
      `insert into imports.import (id, user_id, state, bytes) values ($1, $2, 'waiting', $3)`,
      [id, userId, file.length],
    );
    for (let part = 0; part * filePartBytes < file.length; part += 1)
      await folder.write(id, part, file.subarray(part * filePartBytes, (part + 1) * filePartBytes));
    await database.query(`insert into jobs.job (kind, key, payload) values ('file-import.read', $1, $2)`, [
      id,
      JSON.stringify({ import_id: id }),
    ]);
    let kills = 0;
    for (let last = 0; kills < 2; kills += 1) {
      const child = startProcess(t);
      await until(async () => (await stateOf(id)).position > last, 'the import to go on');
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      const { state, position } = await stateOf(id);
      if (state !== 'reading') break;
      t.ok(position > last, `killed at ${position}`);
      last = position;
      // The lease of the killed process ends now, instead of after half a minute.
      await database.query('update jobs.job set run_at = now() where key = $1', [id]);
    }
    t.ok(kills > 0, 'it was killed while it read');
    startProcess(t);
    await until(async () => (await stateOf(id)).state === 'done', 'the import to end');
    const after = await stateOf(id);
    t.same(after.counts, whole.done.counts);
    t.same(after.skipped, whole.done.skipped);
    t.equal(after.position, whole.done.items);
    t.same(await stored(userId), await stored(whole.userId), 'what is stored is that of an import in one go');
  });
