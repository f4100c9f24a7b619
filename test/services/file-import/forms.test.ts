import { existsSync, mkdtempSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { filePartBytes } from '../../../domain/file-part.ts';
import { createUser, startApi } from '../../support/api.ts';
import { until } from '../../support/until.ts';
import { sendFile } from './importing.ts';

const folder = join(mkdtempSync(join(tmpdir(), 'imports-')), 'files');
const api = await startApi(t, { SANDBOX: 'off', IMPORT_DIR: folder });
const table = 'type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60';
const type = 'multipart/form-data; boundary=x';
const part = (name: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; name="${name}"; filename="a"\r\n\r\n${content}\r\n`;

const importsOf = (userId: string) =>
  api.database.query<{ id: string }>('select id from imports.import where user_id = $1', [userId]);

/** Begins a form whose announced length never arrives. */
function begin(userId: string, headers: Record<string, string>, body: string): Socket {
  const { port } = new URL(api.url);
  const socket = connect(Number(port), '127.0.0.1');
  socket.on('error', () => undefined);
  const all = { Host: 'localhost', 'X-API-Key': api.apiKey, 'Content-Length': '5000000', ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`POST /api/v1/users/${userId}/imports HTTP/1.1\r\n${head.join('')}\r\n${body}`);
  return socket;
}

t.test('a sender who goes away leaves no open import', async (t) => {
  const userId = await createUser(api);
  const half = 'x'.repeat(filePartBytes + 1000);
  for (const [headers, body] of [
    [{ 'Content-Type': type }, part('file', half)],
    [{ 'Content-Type': 'text/csv' }, half],
  ] as const)
    for (let times = 0; times < 5; times += 1) {
      const socket = begin(userId, headers, body);
      let id: string | undefined;
      const isStored = async () => {
        [{ id } = { id: undefined }] = await importsOf(userId);
        return id !== undefined && existsSync(join(folder, id, '0'));
      };
      await until(isStored, 'the first part to arrive');
      socket.destroy();
      const isGone = async () => (await importsOf(userId)).length === 0 && !existsSync(join(folder, `${id}`));
      await until(isGone, 'the import and its part to be deleted');
    }
  t.equal((await sendFile(api, userId, table)).status, 202, 'the next file is taken');
});

t.test('a file may name the encoding that changes nothing, and no other one', async (t) => {
  const userId = await createUser(api);
  for (const [encoding, status] of [
    ['Identity', 202],
    ['identity', 202],
    ['gzip', 415],
    ['unknown', 415],
  ] as const) {
    const headers = { 'Content-Type': 'text/csv', 'Content-Encoding': encoding };
    t.equal((await sendFile(api, userId, table, { headers })).status, status, encoding);
  }
});

t.test('a form with two files is refused', async (t) => {
  const userId = await createUser(api);
  // More than the stream of a part keeps: without a reader the form would not go on.
  const second = 'x'.repeat(300_000);
  const body = `${part('file', table)}${part('file', second)}--x--\r\n`;
  const answer = await sendFile(api, userId, body, { headers: { 'Content-Type': type } });
  t.match(answer, { status: 422, body: { errors: [{ field: 'file' }] } });
  t.same(await importsOf(userId), []);
});

t.test('a form that ends in a part is refused', async (t) => {
  const userId = await createUser(api);
  const cut = (name: string) => part(name, table).slice(0, -10);
  for (const body of [cut('file'), cut('other'), part('file', table) + cut('other')])
    t.equal((await sendFile(api, userId, body, { headers: { 'Content-Type': type } })).status, 400);
  t.same(await importsOf(userId), []);
});
