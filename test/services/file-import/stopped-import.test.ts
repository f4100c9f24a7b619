import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { configOf, typedCall } from '../../../runtime/environment.ts';
import { fileFolder } from '../../../services/file-import/work/file-folder.ts';
import { runImport } from '../../../services/file-import/work/run-import.ts';
import { createUser, startApi } from '../../support/api.ts';

const api = await startApi(t, { SANDBOX: 'off', IMPORT_DIR: mkdtempSync(join(tmpdir(), 'imports-')) });
const { broker, database } = api;
const config = configOf(broker);
const folder = fileFolder(config);
const deps = { ...{ config, database, folder, logger: broker.logger }, call: typedCall(broker) };

/** An import of a file whose kind is unknown. No job reads it. */
async function waiting() {
  const id = randomUUID();
  const file = Buffer.from('no file that can be imported');
  const text = `insert into imports.import (id, user_id, state, bytes) values ($1, $2, 'waiting', $3)`;
  await database.query(text, [id, await createUser(api), file.length]);
  await folder.write(id, 0, file);
  return { id, file };
}

const stateOf = (id: string) => database.query('select state from imports.import where id = $1', [id]);

t.test('an import whose process stops while the file is opened goes on later', async (t) => {
  const { id, file } = await waiting();
  const job = { payload: { import_id: id }, failures: 0 };
  const holds = async () => true;
  t.same(await runImport(deps, job, { signal: AbortSignal.abort(), holds }), { kind: 'stopped' });
  t.same(await stateOf(id), [{ state: 'reading' }]);
  t.same(await folder.read(id, 0), file, 'the file is kept');
  t.same(await runImport(deps, job, { signal: new AbortController().signal, holds }), { kind: 'done' });
  t.same(await stateOf(id), [{ state: 'failed' }]);
});
