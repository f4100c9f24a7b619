import { randomUUID } from 'node:crypto';
import type { ServiceSchema } from 'moleculer';
import t, { type Test } from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import auth from '../../../services/auth/auth.service.ts';
import users from '../../../services/users/users.service.ts';
import { account as developer, logIn } from '../../support/auth.ts';
import { insertDeveloper } from '../../support/developer.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { tracesLeft, tracesOf } from '../../support/traces.ts';
import { until } from '../../support/until.ts';

type Willing = (userId: string) => boolean;

// timeseries is played: it notes whom it was told to erase, and is as willing as the test says.
function playTimeseries(isWilling: Willing): { service: ServiceSchema; erased: string[] } {
  const erased: string[] = [];
  const erase = (ctx: { params: { user_id: string } }) => {
    if (!isWilling(ctx.params.user_id)) throw new ServiceError('SERVICE_UNAVAILABLE');
    erased.push(ctx.params.user_id);
    return { erasing: true };
  };
  return { erased, service: { name: 'timeseries', actions: { erase } } };
}

interface Forgotten {
  /** The services that were told to forget a user. */
  readonly by: [service: string, userId: string][];
  /** What deliveries was told to erase. */
  readonly accounts: unknown[];
}

// The other services are played too: they note what they are told.
function playOthers(isWilling: () => boolean): { services: ServiceSchema[]; forgotten: Forgotten } {
  const forgotten: Forgotten = { by: [], accounts: [] };
  const forgetUser = (service: string) => (ctx: { params: { user_id: string } }) => {
    forgotten.by.push([service, ctx.params.user_id]);
  };
  const eraseAccounts = (ctx: { params: unknown }) => {
    if (!isWilling()) throw new ServiceError('SERVICE_UNAVAILABLE');
    forgotten.accounts.push(ctx.params);
    return { noted: true };
  };
  const actionsOf = {
    backfill: { stop: () => ({ stopped: false }) },
    'api-gateway': {},
    connect: {},
    destinations: {},
    webhooks: {},
    'activitynet-ingest': { stopConnection: () => ({ dropped: 0 }) },
    'phone-ingest': {},
    'file-import': {},
    freshness: {},
    insights: {},
    'pull-ingest': {},
  };
  const services: ServiceSchema[] = Object.entries(actionsOf).map(([name, actions]) => ({
    name,
    actions: { ...actions, forgetUser: forgetUser(name) },
  }));
  return { services: [...services, { name: 'deliveries', actions: { eraseAccounts } }], forgotten };
}

async function start(t: Test, isWilling: Willing = () => true, areOthersWilling = () => true) {
  const database = await freshDatabase(t);
  await insertDeveloper(database, developer);
  const { service, erased } = playTimeseries(isWilling);
  const others = playOthers(areOthersWilling);
  const services = [users, auth, service, ...others.services];
  const started = await startBroker(t, { databaseUrl: database.url, services });
  const resume = () =>
    database.query("update jobs.job set run_at = now() where kind = 'users.erasure' and not leased");
  return { ...started, database, erased, forgotten: others.forgotten, resume };
}

// The workers of the service run the jobs.
const unfinished = 'select from users.person where deleted_at is not null and erased_at is null';

const full = {
  first_name: 'Ada',
  last_name: 'Byron',
  email: 'ada@example.com',
  external_user_id: 'ext-1',
};

t.test('a deleted user is returned as they were and gone everywhere', async (t) => {
  const { call, database, erased } = await start(t);
  const { as } = await logIn(call);
  const user = await call('users.create', full);
  const user_id = user.id;
  const link = { user_id, provider: 'devicemaker', provider_user_id: 'p-1', access_token: 'x' } as const;
  await call('users.connect', link);
  const issued = await call('auth.issueToken', { user_id }, as);

  t.same(await call('users.remove', { user_id }), user);
  t.same(erased, [user_id]);
  t.equal((await call('auth.admit', { token: issued.access_token })).caller, null);
  await t.rejects(call('auth.refresh', { refresh_token: issued.refresh_token }), refusal('UNAUTHENTICATED'));
  await t.rejects(call('users.get', { user_id }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.update', { user_id, first_name: 'x' }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.remove', { user_id }), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.connect', link), refusal('USER_NOT_FOUND'));
  await t.rejects(call('users.connections', { user_id }), refusal('USER_NOT_FOUND'));
  t.same(await call('users.resolve', { provider: 'devicemaker', provider_user_ids: ['p-1'] }), []);
  t.match(await call('users.list', {}), { items: [], total: 0 });

  const [row] = await database.query('select * from users.person');
  // An id of random digits may contain any three letters from a to f.
  t.notMatch(
    JSON.stringify({ ...row, id: '' }),
    /ada|byron|ext-1/i,
    'nothing of the user is left in the row',
  );
  t.ok(row?.erased_at);
  t.same(await database.query('select from users.connection'), []);
  t.match(await call('users.create', full), { external_user_id: 'ext-1' }, 'the external id is free again');
});

t.test('every service that keeps something of a user is told to forget them', async (t) => {
  const { call, forgotten, erased } = await start(t);
  const { id: user_id } = await call('users.create', {});
  const { id: staying } = await call('users.create', {});
  for (const id of [user_id, staying])
    await call('users.connect', { user_id: id, provider: 'activitynet', provider_user_id: `of ${id}` });
  await call('users.remove', { user_id });
  t.same(erased, [user_id]);
  t.same(
    forgotten.by.toSorted(),
    [
      'activitynet-ingest',
      'api-gateway',
      'backfill',
      'connect',
      'destinations',
      'file-import',
      'freshness',
      'insights',
      'phone-ingest',
      'pull-ingest',
      'webhooks',
    ].map((name) => [name, user_id]),
  );
  t.match(forgotten.accounts, [
    { accounts: [{ provider: 'activitynet', provider_user_id: `of ${user_id}` }] },
  ]);
});

t.test('what happens to one user changes nothing of another', async (t) => {
  const { call, database, forgotten } = await start(t);
  const provider = 'devicemaker' as const;
  const connect = async (user_id: string, account: string) => {
    const link = { user_id, provider, provider_user_id: account, access_token: `of ${account}` };
    return (await call('users.connect', link)).id;
  };
  const member = async (name: string) => {
    const { id } = await call('users.create', { external_user_id: name });
    await connect(id, `left by ${name}`);
    await call('users.disconnect', { user_id: id, provider });
    return { id, connection: await connect(id, `of ${name}`) };
  };
  const [user, other] = [await member('one'), await member('another')];
  const ofOther = async () => {
    const rows = [];
    for (const [table, column, id] of [
      ['person', 'id', other.id],
      ['connection', 'user_id', other.id],
      ['former_account', 'user_id', other.id],
    ])
      rows.push(await database.query(`select * from users.${table} where ${column} = $1`, [id]));
    return rows;
  };
  await database.query('delete from jobs.job');
  const before = await ofOther();
  t.ok(before.every((rows) => rows.length > 0));
  await call('users.disconnect', { user_id: user.id, provider, purge: true });
  t.same(await ofOther(), before, 'after a disconnect');
  await call('users.remove', { user_id: user.id });
  t.same(await ofOther(), before, 'after a deletion');
  t.match(forgotten.accounts, [
    {
      accounts: ['left by one', 'of one'].map((provider_user_id) => ({
        provider_user_id,
      })),
    },
  ]);
  const revoked = await database.query<{ account: string }>(
    `select payload ->> 'provider_user_id' as account from jobs.job where kind = 'users.token_revocation' order by 1`,
  );
  t.same(
    revoked.map(({ account }) => account),
    ['of one'],
  );
  t.match(await call('users.get', { user_id: other.id }), { external_user_id: 'another' });
  t.match(await call('users.connections', { user_id: other.id }), [{ id: other.connection }]);
  t.match(await call('users.tokens', { user_id: other.id, provider }), { connection_id: other.connection });
});

t.test(
  'an account is erased though another user connects to it after the deletion, not before',
  async (t) => {
    let isWilling = false;
    const { call, database, forgotten, resume } = await start(
      t,
      () => true,
      () => isWilling,
    );
    const connect = (user_id: string, provider_user_id: string) =>
      call('users.connect', { user_id, provider: 'devicemaker', provider_user_id });
    const [first, second, other] = [
      await call('users.create', {}),
      await call('users.create', {}),
      await call('users.create', {}),
    ];
    await connect(first.id, 'connected anew');
    await connect(second.id, 'shared');
    await connect(other.id, 'shared');
    for (const { id } of [first, second]) await call('users.remove', { user_id: id });
    t.same(forgotten.accounts, [], 'deliveries is away');
    const { id: later } = await call('users.create', {});
    await connect(later, 'connected anew');
    isWilling = true;
    await until(async () => {
      await resume();
      return (await database.query(unfinished)).length === 0;
    });
    const told = forgotten.accounts.map((one) => Reflect.get(Object(one), 'accounts'));
    t.same(
      new Set(told.flat().map((one) => Reflect.get(Object(one), 'provider_user_id'))),
      new Set(['connected anew']),
    );
  },
);

t.test('a user is gone at once while timeseries is away, and erased when it is back', async (t) => {
  let isWilling = false;
  const { call, database, erased, resume } = await start(t, () => isWilling);
  const { as } = await logIn(call);
  const { id: user_id } = await call('users.create', full);
  const link = { user_id, provider: 'devicemaker', provider_user_id: 'p-1', access_token: 'x' } as const;
  await call('users.connect', link);
  const { access_token } = await call('auth.issueToken', { user_id }, as);

  t.match(await call('users.remove', { user_id }), full);
  await t.rejects(call('users.get', { user_id }), refusal('USER_NOT_FOUND'));
  t.equal((await call('auth.admit', { token: access_token })).caller, null);
  t.same(await database.query('select status, access_token from users.connection'), [
    { status: 'revoked', access_token: null },
  ]);
  t.same(await database.query('select first_name, email, erased_at from users.person'), [
    { first_name: null, email: null, erased_at: null },
  ]);

  await resume();
  t.same(await database.query('select erased_at from users.person'), [{ erased_at: null }], 'still away');
  isWilling = true;
  await until(async () => {
    await resume();
    return (await database.query(unfinished)).length === 0;
  });
  t.same(new Set(erased), new Set([user_id]));
  t.same(await database.query('select erased_at is not null as done from users.person'), [{ done: true }]);
  t.same(await database.query('select from users.connection'), []);
});

t.test('a deletion that a process died in is finished by the next one that starts', async (t) => {
  const database = await freshDatabase(t);
  const alive = await startBroker(t, { databaseUrl: database.url, services: [users] });
  const [dying, staying] = [await alive.call('users.create', full), await alive.call('users.create', {})];
  await alive.broker.stop();
  // All that the first commit of a deletion writes, and nothing of what comes after it.
  await database.query('update users.person set deleted_at = now(), first_name = null where id = $1', [
    dying.id,
  ]);

  const { service, erased } = playTimeseries(() => true);
  const others = playOthers(() => true).services;
  await startBroker(t, { databaseUrl: database.url, services: [users, auth, service, ...others] });
  await until(async () => (await database.query(unfinished)).length === 0);
  t.same(await database.query(unfinished), []);
  t.same(erased, [dying.id]);
  t.same(await database.query('select id from users.person where erased_at is null'), [{ id: staying.id }]);
});

t.test('users who cannot be erased do not keep another waiting', async (t) => {
  const stuck = new Set<string>(Array.from({ length: 150 }, () => randomUUID()));
  const { call, database, erased } = await start(t, (id) => !stuck.has(id));
  await database.query('insert into users.person (id) select unnest($1::uuid[])', [[...stuck]]);
  await database.query(`update users.person set deleted_at = now() - interval '1 hour'`);
  const { id } = await call('users.create', {});
  await database.query('update users.person set deleted_at = now() where id = $1', [id]);
  await until(async () => erased.length > 0 && (await database.query(unfinished)).length === 150);
  t.same(erased, [id]);
  t.equal((await database.query('select from users.person where erased_at is null')).length, 150);
});

t.test('a connection made while its user is deleted is refused or revoked', async (t) => {
  const { call, database } = await start(t);
  for (let round = 0; round < 20; round += 1) {
    const { id: user_id } = await call('users.create', {});
    const link = { user_id, provider: 'devicemaker', provider_user_id: 'p', access_token: 'x' } as const;
    await Promise.allSettled([call('users.connect', link), call('users.remove', { user_id })]);
  }
  t.same(await database.query("select from users.connection where status = 'active'"), []);
  t.same(await database.query('select from users.connection where access_token is not null'), []);
});

t.test('a token issued while its user is deleted is dead', async (t) => {
  const { call, database } = await start(t);
  const { as } = await logIn(call);
  for (let round = 0; round < 20; round += 1) {
    const { id: user_id } = await call('users.create', {});
    await Promise.allSettled([
      call('auth.issueToken', { user_id }, as),
      call('users.remove', { user_id }),
      call('auth.issueToken', { user_id }, as),
    ]);
  }
  t.same(await database.query('select from auth.family where user_id is not null'), []);
});

const earlier = {
  first_name: 'Augusta Ada',
  last_name: 'Gordon-Noel',
  email: 'augusta.gordon@example.org',
  external_user_id: 'crm-18151210',
};
const later = {
  first_name: 'Adelaide',
  last_name: 'Lovelace',
  email: 'adelaide.lovelace@example.org',
  external_user_id: 'crm-18521127',
};
const providerAccount = 'account-at-the-provider';

t.test('no table keeps a field that was changed, or a field or an account of a deleted user', async (t) => {
  const { call, database } = await start(t);
  const staying = await call('users.create', { first_name: 'Charles', email: 'charles@example.net' });
  const { id: user_id } = await call('users.create', earlier);
  await call('users.connect', { user_id, provider: 'devicemaker', provider_user_id: providerAccount });
  const values = [...Object.values(earlier), providerAccount];
  await database.query('analyze');
  const isFoundIn = (traces: readonly string[]) => (value: string) =>
    traces.some((trace) => trace.endsWith(`: ${value}`));
  t.ok(values.every(isFoundIn(await tracesOf(database, values))), 'the search finds each of them');
  await call('users.update', { user_id, ...later });
  t.same(await tracesLeft(database, Object.values(earlier)), [], 'the former fields');

  values.push(...Object.values(later));
  await call('users.remove', { user_id });
  t.same(await tracesLeft(database, values), []);
  t.ok((await tracesOf(database, ['charles@example.net'])).length > 0, 'other users keep theirs');
  t.match(await call('users.list', {}), { total: 1, items: [{ id: staying.id }] });
});
