import { randomUUID } from 'node:crypto';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import t from 'tap';
import { migrateUp } from '../../migrations/migrate.ts';
import auth from '../../services/auth/auth.service.ts';
import users from '../../services/users/users.service.ts';
import { databaseWarnings } from '../../stack/database/database-warnings.ts';
import { defaultStackDir } from '../../stack/machine/unprivileged.ts';
import { type Stack, startStack } from '../../stack/servers/stack.ts';
import { callerOf } from '../support/callers.ts';
import { refusal } from '../support/refusal.ts';
import { startBroker } from '../support/servers/broker.ts';

const folder = mkdtempSync(join(tmpdir(), 'pulsebus-log-test-'));
chmodSync(folder, 0o711);
const stackDir = process.env.STACK_DIR ?? defaultStackDir();
const stack: Stack = await startStack({
  dataDir: join(folder, 'data'),
  ephemeral: true,
  stackDir,
  log: () => {},
});
t.teardown(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true, force: true });
});
await migrateUp(stack.databaseUrl);

const log = () => readFileSync(join(stack.dataDir, 'postgres.log'), 'utf8');

/** The SQLSTATE that a statement fails with. */
async function failureOf(
  client: pg.Client,
  statement: string,
  values: readonly string[] = [],
): Promise<unknown> {
  return client.query(statement, [...values]).then(
    () => null,
    (error: unknown) => (error instanceof pg.DatabaseError ? error.code : error),
  );
}

t.test("the server's log has no value of a failed statement", async (t) => {
  const client = new pg.Client({ connectionString: stack.databaseUrl });
  await client.connect();
  const insert = 'insert into auth.developer (email, password) values ($1, $2)';
  await client.query(insert, ['planted-1@example.com', 'scrypt$planted-2']);
  t.equal(
    await failureOf(client, insert, ['planted-1@example.com', 'scrypt$planted-3']),
    '23505',
    'in DETAIL',
  );
  const missing = 'insert into auth.developer (email, password) values (null, $1)';
  t.equal(await failureOf(client, missing, ['scrypt$planted-4']), '23502', 'the whole row in DETAIL');
  t.equal(await failureOf(client, 'select $1::int', ['planted-5']), '22P02', 'in the message');
  t.equal(await failureOf(client, "select 'planted-6' from nowhere"), '42P01', 'in the statement');
  t.equal(
    await failureOf(client, "do $$ begin raise exception 'planted-7'; end $$"),
    'P0001',
    'in CONTEXT too',
  );
  t.equal(await failureOf(client, 'select json($1)', ['{"planted-8": ']), '22P02', 'in CONTEXT');
  await client.end();
  t.strictSame(log().match(/planted-\d/g), null);
});

t.test('the start warns of a superuser and of a database log that contains rows', async (t) => {
  t.strictSame(await databaseWarnings(stack.databaseUrl), []);
  const url = new URL(stack.databaseUrl);
  url.username = 'postgres';
  url.password = readFileSync(join(stack.dataDir, 'superuser-password'), 'utf8');
  url.searchParams.set('options', '-c log_error_verbosity=default -c log_min_error_statement=error');
  t.strictSame(await databaseWarnings(url.href), [
    'DATABASE_URL: postgres is a superuser. A role that owns the database is enough.',
    "DATABASE_URL: the server's log may quote rows and statements. Set there: log_error_verbosity = terse, log_min_error_statement = panic.",
  ]);
});

t.test('a refused log-in is in the log', async (t) => {
  const url = new URL(stack.databaseUrl);
  url.password = 'guess';
  const client = new pg.Client({ connectionString: url.href });
  await t.rejects(client.connect(), { code: '28P01' });
  t.match(log(), /FATAL: {2}password authentication failed for user "pulsebus"/);
});

t.test('expected conflicts are not logged as database errors', async (t) => {
  // As an operator's server would have it: failed statements are logged.
  const url = new URL(stack.databaseUrl);
  url.username = 'postgres';
  url.password = readFileSync(join(stack.dataDir, 'superuser-password'), 'utf8');
  const { call } = await startBroker(t, { databaseUrl: url.href, services: [auth, users] });
  const developer = { email: 'twice@example.com', password: 'a long password of the tests' };
  const caller = callerOf('developer', { developer_id: randomUUID() });
  const as = { meta: { caller } };
  const user = { external_user_id: 'twice' };
  await call('auth.createDeveloper', developer, as);
  await call('users.create', user);
  await t.rejects(call('auth.createDeveloper', developer, as), refusal('EMAIL_TAKEN'));
  await t.rejects(call('users.create', user), refusal('EXTERNAL_USER_ID_TAKEN'));
  const { id } = await call('users.create', { external_user_id: 'other' });
  const change = { user_id: id, first_name: 'Ada', external_user_id: 'twice' };
  await t.rejects(call('users.update', change), refusal('EXTERNAL_USER_ID_TAKEN'));
  t.match(await call('users.get', { user_id: id }), { first_name: null, external_user_id: 'other' });
  t.match(await call('users.update', { ...change, external_user_id: 'other' }), { first_name: 'Ada' });
  const nobody = { ...change, user_id: randomUUID() };
  await t.rejects(call('users.update', nobody), refusal('USER_NOT_FOUND'), 'there is nobody to change');
  t.notMatch(log(), /ERROR: {2}duplicate key/);
});
