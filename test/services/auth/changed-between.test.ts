import { randomUUID } from 'node:crypto';
import type { Test } from 'tap';
import t from 'tap';
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
import { account, logIn, startAuth } from '../../support/auth.ts';
import { insertDeveloper } from '../../support/developer.ts';
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

const { call, database } = await startAuth(t);

t.beforeEach(async () => {
  await database.query('truncate auth.family, auth.application cascade');
  await database.query('delete from auth.developer');
  await insertDeveloper(database, account);
});

async function developerRow(): Promise<Row> {
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

async function ormOf(t: Test): Promise<Orm> {
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

const families = async () => (await database.query('select id from auth.family')).length;
const replacePassword = "update auth.developer set password = 'replaced'";

t.test('a log-in whose password is changed during the check opens no session', async (t) => {
  const passwords = checkedBefore(() => database.query(replacePassword));
  const config = testConfig({ databaseUrl: database.url });
  const loggingIn = {
    database,
    passwords,
    origin,
    config,
    cipher: cipherOf(config),
    tokens: tokenSignerOf(config),
  };
  await t.rejects(logInWith(loggingIn, account.email, account.password), refusal('UNAUTHENTICATED'));
  t.equal(await families(), 0);
});

t.test('of two concurrent changes of a password the second fails', async (t) => {
  const own = await logIn(call);
  const other = await logIn(call);
  const { id } = await developerRow();
  const orm = await ormOf(t);
  const passwords = checkedBefore(() => database.query(replacePassword));
  const caller = { id: own.as.meta.caller.id, developer_id: id };
  await t.rejects(
    changePassword({ database, orm, origin, passwords }, caller, account.password, 'a new password'),
    refusal('FORBIDDEN'),
  );
  t.equal((await developerRow()).password, 'replaced', 'the earlier change stands');
  t.ok((await call('auth.admit', { token: other.tokens.access_token })).caller, 'no session was ended');
});

t.test('an application whose secret is replaced during the check obtains no token', async (t) => {
  const { as } = await logIn(call);
  const { id } = await call('auth.createApplication', { name: 'app' }, as);
  const before = await families();
  const stale = { id, secretHash: 'the hash of an older secret' };
  t.equal(
    await insertFamilyByApplication(database, freshFamily(lifetime).family, randomUUID(), stale),
    false,
  );
  t.equal(await families(), before);
});

/** Answers what `insert` does while a change of the row is not committed: it has to wait for the commit. */
async function whileChanging(t: Test, change: string, insert: () => Promise<boolean>): Promise<boolean> {
  const client = await database.pool.connect();
  try {
    await client.query('begin');
    await client.query(change);
    let isSettled = false;
    const inserting = insert().finally(() => {
      isSettled = true;
    });
    while (!isSettled && !(await isWaiting())) await new Promise((resolve) => setTimeout(resolve, 10));
    t.notOk(isSettled, 'it waits for the change');
    await client.query('commit');
    return await inserting;
  } finally {
    client.release();
  }
}

async function isWaiting(): Promise<boolean> {
  const statement = `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
  return (await database.query(statement)).length > 0;
}

t.test('a log-in waits for a running change of the password and fails', async (t) => {
  const developer = await developerRow();
  const { family } = freshFamily(lifetime);
  const insert = () => insertSession(database, family, developer);
  t.equal(await whileChanging(t, replacePassword, insert), false);
  t.equal(await families(), 0);
});

t.test('a token request waits for a running change of the secret and fails', async (t) => {
  const { id } = await call('auth.createApplication', { name: 'app' }, (await logIn(call)).as);
  const [row] = await database.query<{ secret_hash: string }>('select secret_hash from auth.application');
  const application = { id, secretHash: row?.secret_hash ?? '' };
  const insert = () =>
    insertFamilyByApplication(database, freshFamily(lifetime).family, randomUUID(), application);
  const change = "update auth.application set secret_hash = 'replaced'";
  t.equal(await whileChanging(t, change, insert), false);
});

t.test('a token of a developer who is being deleted is not issued', async (t) => {
  const { id } = await developerRow();
  const insert = () => insertFamilyByDeveloper(database, freshFamily(lifetime).family, randomUUID(), id);
  t.equal(await whileChanging(t, 'delete from auth.developer', insert), false);
});
