import { randomUUID } from 'node:crypto';
import pg from 'pg';
import t from 'tap';
import { databaseOf } from '../../../mixins/database/database.ts';
import { isAway } from '../../../mixins/database/primary-away.ts';
import { admit, MemoryWindows } from '../../../services/auth/actions/admission.ts';
import { tokenSignerOf } from '../../../services/auth/rules/access-tokens.ts';
import { sha256 } from '../../../services/auth/rules/secrets.ts';
import type { AdmittedRow } from '../../../services/auth/tables/admission.ts';
import { GroupedCounts } from '../../../services/auth/work/grouped-counts.ts';
import { account, logIn, startAuth } from '../../support/auth.ts';
import { testConfig } from '../../support/servers/broker.ts';

const failing = (fields: object) => ({
  query: async () => {
    throw Object.assign(new Error('failed'), fields);
  },
});

t.test('without a primary, reads are admitted by the replica and counted in the process', async (t) => {
  const { call, database } = await startAuth(t);
  const { as, tokens } = await logIn(call);
  const { key, id } = await call('auth.createKey', {}, as);
  await database.query(`
    create schema replica;
    create table replica.state (replayed pg_lsn, is_standby bool, receives bool);
    insert into replica.state values ('0/2', true, false);
    create view replica.pg_stat_wal_receiver as select from replica.state where receives;
    create function replica.pg_is_in_recovery() returns bool language sql as 'select is_standby from replica.state';
    create function replica.pg_last_wal_replay_lsn() returns pg_lsn language sql as 'select replayed from replica.state';
    create function replica.pg_last_wal_receive_lsn() returns pg_lsn language sql as 'select pg_lsn ''0/2'''`);
  const options = '-c search_path=replica,pg_catalog -c default_transaction_read_only=on';
  const pool = new pg.Pool({ connectionString: database.url, options, max: 2 });
  pool.on('error', () => undefined); // its connections may end with the database
  t.teardown(() => pool.end());
  const settings = { RATE_LIMIT_API_KEY: '2' };
  const config = testConfig({ databaseUrl: database.url, settings });
  const outage = { replica: databaseOf(pool), windows: new MemoryWindows() };
  const away = failing({ code: 'ECONNREFUSED' });
  const signer = tokenSignerOf(config);
  const admitting = {
    database: away,
    outage,
    counts: new GroupedCounts<AdmittedRow>(),
    tokens: signer,
    config,
  };
  const api_key_hash = sha256(key);
  const read = { api_key_hash, read_only: true } as const;

  t.match(await admit(admitting, read), { allowed: true, limit: 2, remaining: 1, caller: { id } });
  t.match(await admit(admitting, read), { allowed: true, remaining: 0 });
  t.match(await admit(admitting, read), { allowed: false, remaining: 0 });
  t.match(await admit(admitting, { token: tokens.access_token, read_only: true }), {
    allowed: true,
    caller: { kind: 'developer' },
  });
  t.match(await admit(admitting, { session_hash: sha256('x'), read_only: true }), { caller: null });
  const session = { session_hash: sha256('session'), read_only: true } as const;
  await call('auth.startSession', { ...account, session_hash: session.session_hash });
  t.match(await admit(admitting, session), { allowed: true, caller: { kind: 'developer' } });
  await database.query(`update auth.family set expires_at = now()
    where id = (select family_id from auth.console_session where hash = '${session.session_hash}')`);
  t.match(await admit(admitting, session), { caller: null }, 'a session that has expired');
  const { id: user_id } = await call('users.create', {});
  const { limit } = await admitOne();
  t.match(await admitOne(), { remaining: limit - 2 }, 'all tokens of a user share a window');
  t.match(await admit(admitting, { token: 'forged', read_only: true }), { caller: null });

  async function admitOne() {
    const { access_token } = await call('auth.issueToken', { user_id }, as);
    return admit(admitting, { token: access_token, read_only: true });
  }

  await t.rejects(admit(admitting, { api_key_hash }), { code: 'ECONNREFUSED' }, 'no write');
  await t.rejects(admit({ ...admitting, outage: null }, read), { code: 'ECONNREFUSED' });
  const wrong = { ...admitting, database: failing({ code: '42P01' }) };
  await t.rejects(admit(wrong, read), { code: '42P01' }, 'an error of the statement is no outage');

  await database.query("update replica.state set replayed = '0/1'");
  await t.rejects(admit(admitting, read), { code: 'ECONNREFUSED' }, 'the replica may lack a revocation');
  await database.query("update replica.state set replayed = '0/2', receives = true");
  await t.rejects(admit(admitting, read), { code: 'ECONNREFUSED' }, 'its primary is alive');
  await database.query('update replica.state set receives = false, is_standby = false');
  await t.rejects(admit(admitting, read), { code: 'ECONNREFUSED' }, 'it was promoted');
  await database.query('update replica.state set is_standby = true');
  await call('auth.removeKey', { key_id: id }, as);
  t.match(await admit(admitting, read), { caller: null, allowed: false }, 'a revoked key is not admitted');
  await database.query("update auth.family set expires_at = now() - interval '1 second'");
  const expired = { token: tokens.access_token, read_only: true } as const;
  t.match(await admit(admitting, expired), { caller: null, allowed: false }, 'an expired session');
});

t.test('an outage is a lost connection, not a full pool', async (t) => {
  for (const code of ['25006', '57P01', '08006', 'ECONNRESET', 'ETIMEDOUT']) t.ok(isAway({ code }), code);
  t.ok(isAway(new Error('Connection terminated unexpectedly')));
  for (const code of ['57014', '53300', '40001', '23505']) t.notOk(isAway({ code }), code);
  t.notOk(isAway(new Error('timeout exceeded when trying to connect')));
});

t.test('windows in memory end after 60 s and are forgotten', async (t) => {
  const windows = new MemoryWindows();
  const subject = randomUUID();
  t.strictSame(windows.hit(subject, 1000), { count: 1, reset: 61 });
  t.strictSame(windows.hit(subject, 60_999), { count: 2, reset: 61 });
  t.strictSame(windows.hit(subject, 61_000), { count: 1, reset: 121 });
  windows.hit(randomUUID(), 61_001);
  windows.hit(randomUUID(), 200_000);
  t.equal(windows.size, 1);
});
