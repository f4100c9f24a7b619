import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import t from 'tap';
import type { Database } from '../../../mixins/database/database.ts';
import { type Orm, orm } from '../../../mixins/database/orm.ts';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { typedCall } from '../../../runtime/environment.ts';
import { changePassword } from '../../../services/auth/actions/developers.ts';
import { logIn as logInWith } from '../../../services/auth/actions/log-in.ts';
import { freshFamily } from '../../../services/auth/actions/tokens.ts';
import { tokenSignerOf } from '../../../services/auth/rules/access-tokens.ts';
import { Developer } from '../../../services/auth/tables/entities.ts';
import {
  insertFamilyByApplication,
  insertFamilyByDeveloper,
  insertSession,
} from '../../../services/auth/tables/families.ts';
import { createPasswords, type Passwords } from '../../../services/auth/work/passwords.ts';
import { account, logIn, startAuth, type TestAuth } from '../../support/auth.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker, testConfig } from '../../support/servers/broker.ts';

/** A password or a secret that was checked may be changed before the session is written. */

const lifetime = { refreshSeconds: 3600, absoluteSeconds: 3600 };
const origin = { actor: null, requestId: null };

interface Row {
  readonly id: string;
  readonly password: string;
  readonly isProven: boolean;
}

async function developerRow(database: Database): Promise<Row> {
  const [row] = await database.query<Row>('select id, password, false as "isProven" from auth.developer');
  if (row === undefined) throw new Error('there is no developer');
  return row;
}

/** A password check that succeeds after `meanwhile` ran. */
function checkedBefore(meanwhile: () => Promise<unknown>): Passwords {
  const passwords = createPasswords();
  return {
    hash: (password) => passwords.hash(password),
    matches: async (password, stored) => {
      const matches = await passwords.matches(password, stored);
      await meanwhile();
      return matches;
    },
    computed: 0,
  };
}

async function ormOf(t: Test, database: TestAuth['database']): Promise<Orm> {
  const { broker } = await startBroker(t, { databaseUrl: database.url, services: [] });
  const { logger } = broker;
  return orm([Developer])({
    broker,
    logger,
    config: testConfig({ databaseUrl: database.url }),
    call: typedCall(broker),
    onStop: (release) => t.teardown(release),
  });
}

const tokensOf = (database: TestAuth['database']) => tokenSignerOf(testConfig({ databaseUrl: database.url }));
const families = async (database: Database) => (await database.query('select id from auth.family')).length;
const replacePassword = "update auth.developer set password = 'replaced'";

t.test('a log-in whose password is changed during the check opens no session', async (t) => {
  const { database } = await startAuth(t);
  const passwords = checkedBefore(() => database.query(replacePassword));
  const config = testConfig({ databaseUrl: database.url });
  const loggingIn = {
    database,
    passwords,
    origin,
    config,
    cipher: cipherOf(config),
    tokens: tokensOf(database),
  };
  await t.rejects(logInWith(loggingIn, account.email, account.password), refusal('UNAUTHENTICATED'));
  t.equal(await families(database), 0);
});

t.test('of two concurrent changes of a password the second fails', async (t) => {
  const { call, database } = await startAuth(t);
  const own = await logIn(call);
  const other = await logIn(call);
  const { id } = await developerRow(database);
  const orm = await ormOf(t, database);
  const passwords = checkedBefore(() => database.query(replacePassword));
  const caller = { id: own.as.meta.caller.id, developer_id: id };
  await t.rejects(
    changePassword({ database, orm, origin, passwords }, caller, account.password, 'a new password'),
    refusal('FORBIDDEN'),
  );
  t.equal((await developerRow(database)).password, 'replaced', 'the earlier change stands');
  t.ok((await call('auth.admit', { token: other.tokens.access_token })).caller, 'no session was ended');
});

t.test('an application whose secret is replaced during the check obtains no token', async (t) => {
  const { call, database } = await startAuth(t);
  const { as } = await logIn(call);
  const { id } = await call('auth.createApplication', { name: 'app' }, as);
  const before = await families(database);
  const stale = { id, secretHash: 'the hash of an older secret' };
  t.equal(
    await insertFamilyByApplication(database, freshFamily(lifetime).family, randomUUID(), stale),
    false,
  );
  t.equal(await families(database), before);
});

/** Answers what `insert` does while a change of the row is not committed: it has to wait for the commit. */
async function whileChanging(
  t: Test,
  database: Database,
  change: string,
  insert: () => Promise<boolean>,
): Promise<boolean> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(change);
    let isSettled = false;
    const inserting = insert().finally(() => {
      isSettled = true;
    });
    while (!isSettled && !(await isWaiting(database)))
      await new Promise((resolve) => setTimeout(resolve, 10));
    t.notOk(isSettled, 'it waits for the change');
    await client.query('commit');
    return await inserting;
  } finally {
    client.release();
  }
}

async function isWaiting(database: Database): Promise<boolean> {
  const statement = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return (await database.query(statement)).length > 0;
}

t.test('a log-in waits for a running change of the password and fails', async (t) => {
  const { database } = await startAuth(t);
  const developer = await developerRow(database);
  const { family } = freshFamily(lifetime);
  const insert = () => insertSession(database, family, developer);
  t.equal(await whileChanging(t, database, replacePassword, insert), false);
  t.equal(await families(database), 0);
});

t.test('a token request waits for a running change of the secret and fails', async (t) => {
  const { call, database } = await startAuth(t);
  const { id } = await call('auth.createApplication', { name: 'app' }, (await logIn(call)).as);
  const [row] = await database.query<{ secret_hash: string }>('select secret_hash from auth.application');
  const application = { id, secretHash: row?.secret_hash ?? '' };
  const insert = () =>
    insertFamilyByApplication(database, freshFamily(lifetime).family, randomUUID(), application);
  const change = "update auth.application set secret_hash = 'replaced'";
  t.equal(await whileChanging(t, database, change, insert), false);
});

t.test('a token of a developer who is being deleted is not issued', async (t) => {
  const { database } = await startAuth(t);
  const { id } = await developerRow(database);
  const insert = () => insertFamilyByDeveloper(database, freshFamily(lifetime).family, randomUUID(), id);
  t.equal(await whileChanging(t, database, 'delete from auth.developer', insert), false);
});

t.test('an unchanged password and secret open a session and a token', async (t) => {
  const { call, database } = await startAuth(t);
  const { id } = await call('auth.createApplication', { name: 'app' }, (await logIn(call)).as);
  const [row] = await database.query<{ secret_hash: string }>('select secret_hash from auth.application');
  const application = { id, secretHash: row?.secret_hash ?? '' };
  const developer = await developerRow(database);
  t.equal(await insertSession(database, freshFamily(lifetime).family, developer), true);
  const user = randomUUID();
  t.equal(await insertFamilyByApplication(database, freshFamily(lifetime).family, user, application), true);
  t.equal(await insertFamilyByDeveloper(database, freshFamily(lifetime).family, user, developer.id), true);
});
