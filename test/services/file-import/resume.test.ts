import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import t from 'tap';
import { filePartBytes } from '../../../domain/file-part.ts';
import { userFiles } from '../../../sandbox/files/user-files.ts';
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
const { files } = userFiles({
  seed: 'a user',
  startMs: Date.parse('2026-01-01'),
  days: 60,
  offsetMinutes: 60,
});
const file = Buffer.from(files['export.zip'] ?? '');

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

t.test('an import goes on where a killed process left it', async (t) => {
  const whole = await createUser(api);
  const once_ = await importFile(api, whole, file);
  t.equal(once_.state, 'done');
  const userId = await createUser(api);
  await api.broker.stop(); // the processes that follow are the only ones
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
  t.same(after.counts, once_.counts);
  t.same(after.skipped, once_.skipped);
  t.equal(after.position, once_.items);
  t.same(await stored(userId), await stored(whole), 'what is stored is that of an import in one go');
});
