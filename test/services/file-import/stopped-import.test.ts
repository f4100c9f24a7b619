import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { configOf, typedCall } from '../../../runtime/environment.ts';
import { entriesPerBatch } from '../../../services/file-import/rules/batch.ts';
import { fileFolder } from '../../../services/file-import/work/file-folder.ts';
import { runImport } from '../../../services/file-import/work/run-import.ts';
import { createUser, startApi } from '../../support/api.ts';

const api = await startApi(t, { SANDBOX: 'off', IMPORT_DIR: mkdtempSync(join(tmpdir(), 'imports-')) });
const { broker, database } = api;
const config = configOf(broker);
const folder = fileFolder(config);
const deps = { ...{ config, database, folder, logger: broker.logger }, call: typedCall(broker) };

/** An import of a file, by default of an unknown kind. No job reads it. */
async function waiting(content = 'no file that can be imported') {
  const id = randomUUID();
  const file = Buffer.from(content);
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

t.test('an import that stops while its data is stored frees the reading thread', async (t) => {
  const lines = Array.from({ length: 2 * entriesPerBatch }, (_, at) => {
    return `heart_rate,${new Date(Date.UTC(2026, 0, 1) + at * 1000).toISOString()},60`;
  });
  const { id } = await waiting(['type,timestamp,value', ...lines].join('\n'));
  const stopping = new AbortController();
  const call = async (name: string, params: unknown) => {
    if (name !== 'timeseries.store') return deps.call(name as never, params as never);
    stopping.abort();
    return [];
  };
  const job = { payload: { import_id: id }, failures: 0 };
  const held = { signal: stopping.signal, holds: async () => true };
  t.same(await runImport({ ...deps, call: call as never }, job, held), { kind: 'stopped' });
  t.notOk(process.getActiveResourcesInfo().includes('MessagePort'), 'it does not keep the process alive');
});
