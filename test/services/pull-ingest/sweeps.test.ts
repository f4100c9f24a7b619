import t from 'tap';
import { z } from 'zod';
import { pullOf } from '../../../providers/all.ts';
import { pullIngestService } from '../../../services/pull-ingest/pull-ingest.service.ts';
import { joinApi } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { startAnswering } from './answering.ts';
import { fast } from './setting.ts';

const sweepsOf = (provider: 'dexcom' | 'polar') =>
  Object.values(pullOf(provider).types).reduce((count, { sweeps }) => count + sweeps.length, 0);

t.test('a new connection is read at once where nothing notifies of its data', async (t) => {
  const { api, requested, connected } = await startAnswering(t);
  const users = [await connected('dexcom'), await connected('polar')];
  const old = await connected('dexcom');
  await api.database.query(
    "update users.connection set connected_at = now() - interval '2 hours' where user_id = $1",
    [old],
  );
  const look = "update jobs.job set run_at = now() where kind like 'pull-ingest.%' and not leased";
  const rows = 'select from pull.connection where user_id = any($1::uuid[])';
  await until(async () => {
    await api.database.query(look);
    return (await api.database.query(rows, [[...users, old]])).length === 3;
  });
  await until(async () => {
    await api.database.query(look);
    return requested.some((path) => path.startsWith('/v3/users/self/egvs?'));
  });
  // One sweep of each type was due and has moved on; the others are spread over their intervals.
  const dueSoon = `
    select from pull.sweep s join pull.connection c using (connection_id)
    where c.user_id = $1 and s.due_at <= now() + interval '1 second'`;
  await until(async () => (await api.database.query(dueSoon, [users[0]])).length === 0);
  const egvs = requested.filter((path) => path.startsWith('/v3/users/self/egvs?'));
  t.equal(egvs.length, 1, 'the one that was connected just now, once');
  t.notOk(
    requested.some((path) => path.startsWith('/v3/exercises')),
    'a provider that notifies waits for its notification',
  );
});

t.test('connections get the sweeps that a version added when it starts', async (t) => {
  const database = await freshDatabase(t);
  const former = await joinApi(t, {
    database,
    settings: {},
    services: ['api-gateway', 'auth', 'users', 'timeseries'],
  });
  const ids: string[] = [];
  for (const provider of ['dexcom', 'polar'] as const) {
    const body = { provider, provider_user_id: provider, access_token: 'a token' };
    const user = await former.expect(201, '/users', { method: 'POST', body: {} });
    const { id: userId } = z.object({ id: z.string() }).parse(user);
    const made = await former.expect(201, `/users/${userId}/connections`, { body });
    ids.push(z.object({ id: z.string() }).parse(made).id);
  }
  // As the version before them knew it: one sweep, which is due far from now.
  await database.query(
    `insert into pull.connection (connection_id, provider, user_id, connected_at)
     select id, provider, user_id, connected_at - interval '1 day' from users.connection`,
  );
  await database.query("update users.connection set connected_at = connected_at - interval '1 day'");
  await database.query(
    "insert into pull.sweep (connection_id, type, number, due_at) values ($1, 'egvs', 0, now() + interval '900 days')",
    [ids[0]],
  );
  const kept = `select type from pull.sweep where connection_id = $1 and due_at > now() + interval '800 days'`;
  await joinApi(t, { database, settings: {}, instead: [pullIngestService({ ...fast, firstUpkeepMs: 50 })] });
  const count = async (id: string | undefined) =>
    (await database.query('select from pull.sweep where connection_id = $1', [id])).length;
  await until(async () => (await count(ids[1])) > 0);
  t.same(await Promise.all(ids.map(count)), [sweepsOf('dexcom'), sweepsOf('polar')]);
  t.same(await database.query(kept, [ids[0]]), [{ type: 'egvs' }], 'those that it has stay as they are');
  const again = "update jobs.job set run_at = now() where kind = 'pull-ingest.connections' and not leased";
  await database.query('delete from pull.sweep where connection_id = $1', [ids[1]]);
  await database.query(again);
  await until(async () => {
    const rows = await database.query<{ due: boolean }>(
      "select run_at <= now() as due from jobs.job where kind = 'pull-ingest.connections' and not leased",
    );
    return rows.some(({ due }) => !due);
  });
  t.equal(await count(ids[1]), 0, 'later looks do not search through all of them');
});
