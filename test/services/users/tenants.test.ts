import type { ServiceSchema } from 'moleculer';
import t from 'tap';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const full = { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com' };

/** Starts users beside services that erase at once. `erased` has the accounts that deliveries has to erase. */
async function start() {
  const database = await freshDatabase(t);
  const erased: unknown[] = [];
  const forgetUser = () => ({ forgotten: 0 });
  const actionsOf: Readonly<Record<string, NonNullable<ServiceSchema['actions']>>> = {
    timeseries: { erase: () => ({ erasing: true }) },
    deliveries: {
      eraseAccounts({ params }) {
        erased.push(params);
        return { noted: true };
      },
    },
    backfill: { forgetUser, stop: () => ({ stopped: false }) },
    'activitynet-ingest': { forgetUser, stopConnection: () => ({ dropped: 0 }) },
  };
  for (const name of [
    'api-gateway',
    'connect',
    'destinations',
    'webhooks',
    'file-import',
    'freshness',
    'insights',
    'phone-ingest',
    'pull-ingest',
  ])
    Object.assign(actionsOf, { [name]: { forgetUser } });
  const services = Object.entries(actionsOf).map(([name, actions]) => ({ name, actions }));
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [users, ...services] });
  return { call, database, erased };
}

t.test('what happens to one user changes nothing of another', async (t) => {
  const { call, database, erased } = await start();
  const provider = 'devicemaker' as const;
  const connect = async (user_id: string, account: string) => {
    const link = { user_id, provider, provider_user_id: account, access_token: `of ${account}` };
    return (await call('users.connect', link)).id;
  };
  const member = async (name: string) => {
    const { id } = await call('users.create', { ...full, external_user_id: name });
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
  t.match(erased, [
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
