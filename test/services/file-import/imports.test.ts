import { randomUUID } from 'node:crypto';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { z } from 'zod';
import { FileImport } from '../../../contracts/file-import.ts';
import { fillProject, makeProject } from '../../http/projects/two-projects.ts';
import { createUser, startApi, userToken } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { ended, importFile, sendFile } from './importing.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'imports-')), 'files');
const api = await startApi(t, { SANDBOX: 'off', IMPORT_DIR: folder });
const line = (hour: number, value: number) =>
  `heart_rate,2026-01-01T${String(hour).padStart(2, '0')}:00:00Z,${value}`;
const table = ['type,timestamp,value', line(8, 60), line(9, 61)].join('\n');
const filesIn = () => (existsSync(folder) ? readdirSync(folder) : []);

t.test('a file is taken as the whole body and as a part of a form', async (t) => {
  const userId = await createUser(api);
  const raw = await importFile(api, userId, table);
  t.match(raw, { state: 'done', name: null, bytes: table.length, bytes_read: table.length, items: 2 });
  const form = new FormData();
  form.append('note', 'passed over');
  form.append('file', new Blob([table], { type: 'text/csv' }), 'rates.csv');
  const path = `${api.url}/api/v1/users/${userId}/imports`;
  const answer = await fetch(path, { method: 'POST', headers: { 'X-API-Key': api.apiKey }, body: form });
  t.equal(answer.status, 202);
  const { id } = FileImport.parse(await answer.json());
  t.match(await ended(api, userId, id), { state: 'done', name: 'rates.csv', counts: { heart_rate: 2 } });
  const list = z.array(FileImport).parse(await api.expect(200, `/users/${userId}/imports`));
  t.same(
    list.map((one) => one.id),
    [id, raw.id],
  );
});

t.test('the token of the user imports, and no other one', async (t) => {
  const userId = await createUser(api);
  const token = await userToken(api, userId);
  const as = { headers: { 'Content-Type': 'text/csv' }, key: undefined };
  const { key: _, ...own } = { ...as, token };
  const answer = await api.ask(`/api/v1/users/${userId}/imports`, { ...own, method: 'POST', body: table });
  t.equal(answer.status, 202);
  const { id } = FileImport.parse(answer.body);
  const other = await userToken(api, await createUser(api));
  for (const [method, path] of [
    ['POST', ''],
    ['GET', ''],
    ['GET', `/${id}`],
    ['DELETE', `/${id}`],
  ]) {
    const given = { method: method ?? '', token: other, ...(method === 'POST' ? { body: table } : {}) };
    t.equal((await api.ask(`/api/v1/users/${userId}/imports${path}`, given)).status, 403);
  }
});

t.test('imports of another user or project are not found', async (t) => {
  await makeProject(api, 'other');
  const { key, userId: theirs } = await fillProject(api, 'other');
  const userId = await createUser(api);
  const { id } = await importFile(api, userId, table);
  const statusOf = async (path: string, given = {}) =>
    (await api.ask(`/api/v1${path}`, { key: api.apiKey, ...given })).status;
  t.equal(await statusOf(`/users/${await createUser(api)}/imports/${id}`), 404);
  for (const method of ['GET', 'DELETE'])
    t.equal(await statusOf(`/users/${userId}/imports/${id}`, { key, method }), 404);
  const kept = filesIn().length;
  for (const user of [theirs, randomUUID()]) t.equal((await sendFile(api, user, table)).status, 404);
  t.equal((await sendFile(api, userId, table, { key })).status, 404);
  t.equal(await statusOf(`/users/${theirs}/imports`), 404);
  t.equal(filesIn().length, kept, 'nothing is kept of refused files');
  const rows = await api.database.query('select from imports.import where user_id = $1', [theirs]);
  t.same(rows, []);
});

t.test('an empty file, a form without a file and a foreign encoding are refused', async (t) => {
  const userId = await createUser(api);
  t.equal((await sendFile(api, userId, '')).status, 422);
  const ask = async (headers: Record<string, string>, body: string) =>
    (await sendFile(api, userId, body, { headers })).status;
  const boundary = 'multipart/form-data; boundary=x';
  const part = (name: string) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n`;
  t.equal(await ask({ 'Content-Type': boundary }, `${part('other')}abc\r\n--x--\r\n`), 422);
  t.equal(await ask({ 'Content-Type': boundary }, `${part('file')}\r\n--x--\r\n`), 422);
  t.equal(await ask({ 'Content-Type': boundary }, `${part('file')}abc`), 400);
  t.equal(await ask({ 'Content-Type': 'multipart/form-data' }, 'abc'), 400);
  t.equal(await ask({ 'Content-Encoding': 'gzip' }, 'abc'), 415);
  t.same(await api.expect(200, `/users/${userId}/imports`), []);
  t.same(await api.expect(200, `/users/${userId}/connections`), [], 'nothing was imported');
});

t.test('a large file is stored in encrypted parts that only the service reads', async (t) => {
  const userId = await createUser(api);
  const lines = Array.from({ length: 15_000 }, (_, index) => {
    const at = new Date(Date.UTC(2025, 0, 1) + index * 60_000).toISOString();
    return `heart_rate,${at},${60 + (index % 50)}`;
  });
  const file = ['type,timestamp,value', ...lines].join('\n');
  const answer = await sendFile(api, userId, file);
  const { id } = FileImport.parse(answer.body);
  const parts = existsSync(join(folder, id)) ? readdirSync(join(folder, id)) : [];
  if (parts.length > 0) {
    t.equal(parts.length, Math.ceil(file.length / (512 * 1024)));
    t.equal(statSync(join(folder, id)).mode & 0o777, 0o700);
    t.equal(statSync(join(folder, id, '0')).mode & 0o777, 0o600);
    t.notMatch(readFileSync(join(folder, id, '0'), 'latin1'), /heart_rate|2025/);
  }
  const done = await ended(api, userId, id);
  t.match(done, { state: 'done', items: 15_000, counts: { heart_rate: 15_000 }, bytes: file.length });
  // It is deleted after the end of the import is noted.
  await until(() => !filesIn().includes(id));
  t.equal(done.original_until, null);
  const gone = await api.ask(`/api/v1/users/${userId}/imports/${id}/file`, { key: api.apiKey });
  t.match(gone, { status: 410, body: { code: 'IMPORT_ORIGINAL_DELETED' } });
});

t.test('originals that were kept are deleted when IMPORT_RETENTION_DAYS has become 0', async (t) => {
  const userId = await createUser(api);
  const { id } = await importFile(api, userId, table);
  const [original, late] = [join(folder, id), join(folder, randomUUID())];
  for (const path of [original, late]) cpSync(import.meta.filename, join(path, '0'));
  await api.database.query(
    "update imports.import set original_until = now() + interval '1 day' where id = $1",
    [id],
  );
  t.match(await api.expect(200, `/users/${userId}/imports/${id}`), { original_until: /./ });
  await until(async () => {
    await api.database.query(
      "update jobs.job set run_at = now() where kind = 'file-import.upkeep' and not leased",
    );
    return !existsSync(original) && !existsSync(late);
  });
  t.match(await api.expect(200, `/users/${userId}/imports/${id}`), { original_until: null });
});

t.test('a user has five open imports at most, and a cancelled one stores nothing more', async (t) => {
  const userId = await createUser(api);
  // Files that arrive no further.
  const open = `insert into imports.import (id, user_id) select gen_random_uuid(), $1 from generate_series(1, 5) returning id`;
  const [row] = await api.database.query<{ id: string }>(open, [userId]);
  const refused = await sendFile(api, userId, table);
  t.equal(refused.status, 409);
  t.equal(refused.headers.get('x-error-code'), 'IMPORTS_OPEN');
  const cancelled = await api.expect(200, `/users/${userId}/imports/${row?.id}`, { method: 'DELETE' });
  t.match(cancelled, { state: 'cancelled', finished_at: /./ });
  const again = await api.expect(200, `/users/${userId}/imports/${row?.id}`, { method: 'DELETE' });
  t.same(again, cancelled, 'an import that has ended is unchanged');
  t.match(await importFile(api, userId, table), { state: 'done' });
});

t.test('a cancelled import is not read, and its file is gone', async (t) => {
  const userId = await createUser(api);
  const sent = await sendFile(
    api,
    userId,
    [table, ...Array.from({ length: 40_000 }, () => line(10, 60))].join('\n'),
  );
  const { id } = FileImport.parse(sent.body);
  await api.expect(200, `/users/${userId}/imports/${id}`, { method: 'DELETE' });
  t.notOk(filesIn().includes(id));
  await until(
    async () => (await api.database.query('select from jobs.job where key = $1', [id])).length === 0,
  );
  const { state, finished_at } = FileImport.parse(await api.expect(200, `/users/${userId}/imports/${id}`));
  t.ok(finished_at !== null);
  t.match(state, /cancelled|done/);
  t.notOk(filesIn().includes(id), 'no part is left');
});

t.test(
  'a purge of the connection erases the data and the imports, and a later import connects again',
  async (t) => {
    const userId = await createUser(api);
    await importFile(api, userId, table);
    await api.expect(200, `/users/${userId}/connections/file?purge=true`, { method: 'DELETE' });
    await until(
      async () =>
        (await api.database.query('select from imports.import where user_id = $1', [userId])).length === 0,
    );
    const samples = `/users/${userId}/timeseries?types=heart_rate&start_time=2026-01-01&end_time=2026-01-02`;
    t.match(await api.expect(200, samples), { data: [] });
    t.equal((await sendFile(api, userId, table)).status, 202, 'the first import is taken');
    const status = async () => JSON.stringify(await api.expect(200, samples));
    await until(async () => (await status()).includes('"value":61'));
    t.match(await api.expect(200, `/users/${userId}/connections`), [{ provider: 'file', status: 'active' }]);
  },
);

t.test('the erasure of a user deletes the files that are not read yet', async (t) => {
  const userId = await createUser(api);
  const id = randomUUID();
  await api.database.query('insert into imports.import (id, user_id) values ($1, $2)', [id, userId]);
  await api.call('file-import.append', { user_id: userId, import_id: id, part: 0, bytes: 'YWJj' });
  t.ok(filesIn().includes(id));
  await api.expect(200, `/users/${userId}`, { method: 'DELETE' });
  await until(() => !filesIn().includes(id));
  const late = { user_id: userId, import_id: id, part: 1, bytes: 'YWJj' };
  const refused = await api.call('file-import.append', late).then(
    () => 'stored',
    (error: unknown) => String(Reflect.get(Object(error), 'type')),
  );
  t.equal(refused, 'IMPORT_NOT_FOUND');
  t.notOk(filesIn().includes(id), 'a late part leaves nothing');
});

t.test('the backfill of the connection is its newest import', async (t) => {
  const userId = await createUser(api);
  await importFile(api, userId, table);
  t.match(await api.expect(200, `/users/${userId}/connections/file/backfill`), {
    ...{ provider: 'file', status: 'done' },
    types: [{ type: 'heart_rate', status: 'received', items: 2 }],
  });
});
