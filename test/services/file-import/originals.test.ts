import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { FileImport } from '../../../contracts/file-import.ts';
import { filePartBytes } from '../../../domain/file-part.ts';
import { createUser, startApi, userToken } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { ended, importFile, sendFile } from './importing.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'imports-')), 'files');
const api = await startApi(t, { SANDBOX: 'off', IMPORT_DIR: folder, IMPORT_RETENTION_DAYS: '30' });
const table = 'type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60';
/** No file of health data, so that reading it ends at once. */
const large = randomBytes(40 * filePartBytes + 1);
const headers = { 'X-API-Key': api.apiKey };

const pathOf = (userId: string, id: string) => `/users/${userId}/imports/${id}`;
const urlOf = (userId: string, id: string) => `${api.url}/api/v1${pathOf(userId, id)}/file`;
const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
const filesOf = (id: string) => (existsSync(join(folder, id)) ? readdirSync(join(folder, id)) : []);
const upkeep = "update jobs.job set run_at = now() where kind = 'file-import.upkeep' and not leased";

async function expectGone(userId: string, id: string): Promise<void> {
  await until(() => !existsSync(join(folder, id)), 'the original to be deleted');
  const { status } = await api.ask(`/api/v1${pathOf(userId, id)}/file`, { key: api.apiKey });
  if (status !== 404 && status !== 410) throw new Error(`it is answered ${status}`);
}

t.test('the original of an import is kept, and downloaded as it was uploaded', async (t) => {
  const userId = await createUser(api);
  const done = await importFile(api, userId, table);
  const days = (Date.parse(done.original_until ?? '') - Date.parse(done.finished_at ?? '')) / 86_400_000;
  t.equal(days, 30);
  const answer = await fetch(urlOf(userId, done.id), { headers });
  t.equal(await answer.text(), table);
  const expected = {
    'content-type': 'application/octet-stream',
    'content-length': String(table.length),
    'content-disposition': `attachment; filename="import-${done.id}"`,
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  };
  t.match(Object.fromEntries(answer.headers), { ...expected });
  const head = await fetch(urlOf(userId, done.id), { method: 'HEAD', headers });
  t.match(Object.fromEntries(head.headers), { ...expected });
  t.equal(await head.text(), '');
  const entries = await api.database.query(
    "select action from auth.audit_entry where user_id = $1 and action = 'user.exported'",
    [userId],
  );
  t.equal(entries.length, 1, 'HEAD exports nothing');
});

t.test('a file of many parts is the same, also to two clients at once', async (t) => {
  const userId = await createUser(api);
  const { id, state } = await importFile(api, userId, large);
  t.equal(state, 'failed', 'one that cannot be read is kept too');
  const hashes = await Promise.all(
    [1, 2].map(async () => hashOf(await (await fetch(urlOf(userId, id), { headers })).bytes())),
  );
  t.same(hashes, [hashOf(large), hashOf(large)]);
});

t.test('a name that a form escapes is the same in the list and in the download', async (t) => {
  const userId = await createUser(api);
  const body = new FormData();
  body.append('file', new Blob([table]), 'my "health"\n 100 % 心.zip');
  const url = `${api.url}/api/v1/users/${userId}/imports`;
  const { id } = FileImport.parse(await (await fetch(url, { method: 'POST', headers, body })).json());
  t.match(await ended(api, userId, id), { name: 'my "health" 100 % 心.zip' });
  const answer = await fetch(urlOf(userId, id), { method: 'HEAD', headers });
  t.match(answer.headers.get('content-disposition'), 'my%20%22health%22%20100%20%25%20%E5%BF%83.zip');
});

t.test('the name of a file reaches the client whole, and breaks no header', async (t) => {
  const userId = await createUser(api);
  const { id } = await importFile(api, userId, table);
  for (const [name, header] of [
    ['export.zip', 'filename="export.zip"'],
    [
      'a "quoted" \\ name.zip',
      `filename="a _quoted_ _ name.zip"; filename*=UTF-8''a%20%22quoted%22%20_%20name.zip`,
    ],
    ['../../etc/passwd', 'filename=".._.._etc_passwd"'],
    ['a\r\nSet-Cookie: x=1', 'filename="a__Set-Cookie: x=1"'],
    ['50 %41.zip', `filename="50 _41.zip"; filename*=UTF-8''50%20%2541.zip`],
    [
      "Übung (1)'s 心.zip",
      `filename="_bung (1)'s _.zip"; filename*=UTF-8''%C3%9Cbung%20%281%29%27s%20%E5%BF%83.zip`,
    ],
  ] as const) {
    await api.database.query('update imports.import set name = $2 where id = $1', [id, name]);
    const answer = await fetch(urlOf(userId, id), { headers });
    t.equal(answer.headers.get('content-disposition'), `attachment; ${header}`);
    t.equal(answer.headers.get('set-cookie'), null);
    t.equal(await answer.text(), table);
  }
});

t.test('the user downloads it, and nobody finds it as that of another user', async (t) => {
  const userId = await createUser(api);
  const { id } = await importFile(api, userId, table);
  const other = await createUser(api);
  const statusOf = async (user: string, token: string | undefined) =>
    (await api.ask(`/api/v1${pathOf(user, id)}/file`, token === undefined ? { key: api.apiKey } : { token }))
      .status;
  t.equal(await statusOf(userId, await userToken(api, userId)), 200);
  t.equal(await statusOf(userId, await userToken(api, other)), 403);
  t.equal(await statusOf(other, await userToken(api, other)), 404);
  t.equal(await statusOf(other, undefined), 404);
  t.equal(await statusOf(randomUUID(), undefined), 404);
});

t.test('the password, and archives within the file, are deleted at the end', async (t) => {
  const userId = await createUser(api);
  const as = { headers: { 'Content-Type': 'text/csv', 'X-File-Password': 'of a user' } };
  const { id } = FileImport.parse((await sendFile(api, userId, table, as)).body);
  t.match(await ended(api, userId, id), { state: 'done' });
  await until(() => filesOf(id).join() === '0');
  // A process that dies at the end leaves them to the next upkeep.
  const { write } = await import('../../../services/file-import/work/file-folder.ts').then(({ fileFolder }) =>
    fileFolder({ DATA_DIR: '.data', IMPORT_DIR: folder, ENCRYPTION_KEY: ['a secret that is long enough'] }),
  );
  await write(id, 'archive-1-0', Buffer.from('a part'));
  await until(async () => {
    await api.database.query(upkeep);
    return filesOf(id).join() === '0';
  });
  t.equal(await (await fetch(urlOf(userId, id), { headers })).text(), table);
});

t.test('a part that the bus repeats after the end does not delete the original', async (t) => {
  const userId = await createUser(api);
  const { id } = await importFile(api, userId, table);
  const part = { user_id: userId, import_id: id, part: 0, bytes: Buffer.from(table).toString('base64') };
  await t.rejects(api.call('file-import.append', part), /does not exist/);
  t.equal(await (await fetch(urlOf(userId, id), { headers })).text(), table);
});

t.test('an original is deleted after its time, with its import, its connection and its user', async (t) => {
  const request = { method: 'DELETE' };
  for (const [title, remove] of Object.entries<(userId: string, id: string) => Promise<unknown>>({
    time: async (_, id) => {
      await api.database.query(
        "update imports.import set finished_at = now() - interval '31 days', original_until = now() where id = $1",
        [id],
      );
      await api.database.query(upkeep);
    },
    import: (userId, id) => api.expect(200, pathOf(userId, id), request),
    connection: (userId) => api.expect(200, `/users/${userId}/connections/file?purge=true`, request),
    user: (userId) => api.expect(200, `/users/${userId}`, request),
  })) {
    const userId = await createUser(api);
    const { id } = await importFile(api, userId, table);
    t.ok(existsSync(join(folder, id)));
    await remove(userId, id);
    await expectGone(userId, id);
    t.pass(title);
  }
  const entries = await api.database.query(
    "select from auth.audit_entry where action = 'import.original_deleted'",
  );
  t.equal(entries.length, 1);
});

t.test('a client that goes away leaves nothing open, and the next one is served', async (t) => {
  const userId = await createUser(api);
  const { id } = await importFile(api, userId, large);
  for (let times = 0; times < 50; times += 1) {
    const leaving = new AbortController();
    const { body } = await fetch(urlOf(userId, id), { headers, signal: leaving.signal });
    await body?.getReader().read();
    leaving.abort();
  }
  const openFiles = () =>
    readdirSync('/proc/self/fd').filter((fd) => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder);
      } catch {
        return false;
      }
    });
  await until(() => openFiles().length === 0, 'files to be closed');
  t.equal(hashOf(await (await fetch(urlOf(userId, id), { headers })).bytes()), hashOf(large));
});

t.test('the erasure of a user cuts a download off', async (t) => {
  const userId = await createUser(api);
  const { id } = await importFile(api, userId, large);
  const received = await new Promise<number | string>((resolve, reject) => {
    let bytes = 0;
    const request = get(urlOf(userId, id), { headers }, (response) => {
      response.on('error', (error) => resolve(error.message));
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.on('end', () => resolve(bytes));
      response.pause();
      void api
        .expect(200, `/users/${userId}`, { method: 'DELETE' })
        .then(() => until(() => !existsSync(join(folder, id))))
        .then(() => response.resume(), reject);
    });
    request.on('error', reject);
  });
  t.equal(received, 'aborted');
});
