import { randomUUID } from 'node:crypto';
import t from 'tap';
import { pullOf } from '../../providers/all.ts';
import { startApi } from '../support/api.ts';
import { until } from '../support/until.ts';

/*
 * Work that was in progress while a user was deleted may write a row after the service has forgotten the user. Such rows are
 * jobs, and end by deleting what is kept of the user.
 */
const api = await startApi(t, { SANDBOX: 'off' });
const { database } = api;
const [type] = Object.keys(pullOf('withings').types);
const reading = `
  with c as (insert into pull.connection (connection_id, provider, user_id, connected_at) values ($2, 'withings', $1, now())
    returning connection_id)
  insert into pull.reading (connection_id, type, from_cursor, run_at) select connection_id, $3, true, now() from c`;

/** A row of each table, in the state in which a service inserts it. */
const late: Readonly<Record<string, { readonly sql: string; readonly values?: readonly unknown[] }>> = {
  'pull.connection': { sql: reading, values: [randomUUID(), type] },
  'activitynet.listing': {
    sql: `insert into activitynet.listing (purpose, connection_id, user_id, start_time, end_time)
      values ('backfill', gen_random_uuid(), $1, now() - interval '1 day', now())`,
  },
  'activitynet.activity': {
    sql: `insert into activitynet.activity (user_id, object_id, connection_id, delete_time, work, priority, turn)
      values ($1, 1, gen_random_uuid(), 1, 'delete', -1, 1)`,
  },
  'backfill.run': {
    sql: `with r as (insert into backfill.run (connection_id, connected_at, user_id, provider, start_time, end_time)
        values (gen_random_uuid(), now(), $1, 'devicemaker', now() - interval '1 day', now()) returning id)
      insert into backfill.step (run_id, position, type, start_time, end_time)
      select id, 1, 'dailies', now() - interval '1 day', now() from r`,
  },
};

for (const [table, { sql, values = [] }] of Object.entries(late))
  t.test(`a late row of ${table} does not stay`, async (t) => {
    const userId = randomUUID();
    await database.query(sql, [userId, ...values]);
    const left = `select from ${table} where user_id = $1`;
    await until(async () => (await database.query(left, [userId])).length === 0, `${table} is empty`);
    t.same(await database.query(left, [userId]), [], 'the job has deleted it');
  });

t.test('a connection of a deleted user does not stay without reads', async (t) => {
  const userId = randomUUID();
  await database.query(
    `insert into pull.connection (connection_id, provider, user_id, connected_at, subscribe_at)
     values (gen_random_uuid(), 'withings', $1, now(), now())`,
    [userId],
  );
  await database.query(`update jobs.job set run_at = now() where kind = 'pull-ingest.accounts'`);
  const left = 'select from pull.connection where user_id = $1';
  await until(async () => (await database.query(left, [userId])).length === 0, 'pull.connection is empty');
  t.same(await database.query(left, [userId]), [], 'the check of subscriptions has deleted it');
});
