import t from 'tap';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import users from '../../../services/users/users.service.ts';
import { forgetUser, lockPublishing, publishDue } from '../../../services/webhooks/tables/pending-changes.ts';
import { startDelivering } from '../../../services/webhooks/work/deliver.ts';
import { publishPart } from '../../../services/webhooks/work/publish.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, type TestDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { activity, block, item, workout } from '../timeseries/items.ts';
import { startSetting } from './delivery-setting.ts';
import { startWebhooks, typesOf } from './setting.ts';

const recently = Date.now() - 5 * 3_600_000;
const url = 'https://app.example/hook';

/** Everything of a user in the change log, and its messages. */
async function kept(database: TestDatabase, userId: string): Promise<string[]> {
  const rows = await database.query<{ what: string }>(
    `select 'pending ' || kind as what from changes.pending where user_id = $1 and due_at is not null
     union all select 'change ' || type from changes.change where user_id = $1
     union all select 'message ' || type from webhooks.message where user_id = $1 order by 1`,
    [userId],
  );
  return rows.map(({ what }) => what);
}

const fill = (call: Awaited<ReturnType<typeof startWebhooks>>['call'], user_id: string) =>
  call('timeseries.store', {
    ...{ user_id, provider: 'devicemaker' },
    items: [
      activity(workout(recently, 30)),
      item({ samples: [block('heart_rate', [[recently, 60]]), block('weight', [[recently, 70]])] }),
    ],
  });

t.test('erasing a user leaves user.deleted with the id, and no later change', async (t) => {
  const s = await startWebhooks(t);
  await s.call('webhooks.createEndpoint', { url });
  const [{ id }, other] = [
    await s.call('users.create', { external_user_id: 'patient-7' }),
    await s.call('users.create', {}),
  ];
  await fill(s.call, id);
  await fill(s.call, other.id);
  const before = await s.settled(other.id);
  t.ok((await kept(s.database, id)).length > 8);
  await s.database.query(`update webhooks.message set state = 'delivered' where type = 'workout.created'`);
  await s.call('users.remove', { user_id: id });
  const left = ['change user.deleted', 'message user.deleted'];
  await until(async () => JSON.stringify(await kept(s.database, id)) === JSON.stringify(left));
  await s.call('timeseries.erase', { user_id: id });
  await until(async () => {
    const sql = 'select from timeseries.tombstone where user_id = $1 and finished_at is not null';
    return (await s.database.query(sql, [id])).length > 0;
  });
  await s.call('webhooks.forgetUser', { user_id: id });
  await s.settled();
  t.strictSame(await kept(s.database, id), left, 'the erasure of samples is no change');
  const [deleted] = await s.changes(id);
  t.strictSame(deleted?.data, {
    ...{ user_id: id, external_user_id: null, sequence: deleted?.data.sequence, historical: false },
  });
  t.strictSame(await s.changes(other.id), before);
});

t.test('what is recorded of an erased user beside the erasure is dropped', async (t) => {
  const database = await freshDatabase(t);
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [users, timeseries] });
  await database.query("update changes.joining set live = '0'");
  const { id } = await call('users.create', {});
  await publishPart(database);
  await database.transaction(async (transaction) => {
    const late = `select changes.record($1, 'workout', 'created', 'late', null, '{}')`;
    await transaction.query(late, [id]);
    await database.query('update users.person set deleted_at = now() where id = $1', [id]);
    await forgetUser(database, id);
  });
  await publishPart(database);
  await publishPart(database);
  t.strictSame(await kept(database, id), ['change user.deleted']);
});

t.test('an erasure waits for a publication that did not see the deletion', async (t) => {
  const database = await freshDatabase(t);
  const { call } = await startBroker(t, { databaseUrl: database.url, services: [users, timeseries] });
  const { id } = await call('users.create', {});
  let erasing: Promise<void> | undefined;
  await database.transaction(async (transaction) => {
    await lockPublishing(transaction, true);
    t.match(await publishDue(transaction, 10), { claimed: 1 });
    erasing = forgetUser(database, id);
    await new Promise((resolve) => setTimeout(resolve, 200));
  });
  await erasing;
  t.strictSame(await kept(database, id), []);
});

t.test('a repeated erasure changes nothing', async (t) => {
  const s = await startWebhooks(t);
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  t.strictSame(typesOf(await s.changes(id)), ['user.created']);
  for (const _ of ['first', 'again']) {
    await s.call('webhooks.forgetUser', { user_id: id });
    t.strictSame(await kept(s.database, id), []);
  }
});

t.test('a record of a user who is erased while it is read is not sent', async (t) => {
  const s = await startSetting(t);
  const endpoint = await s.endpoint({ include_data: true });
  const deps = await s.deps({ parallel: 1 });
  const [erased = ''] = await s.change([endpoint]);
  const bodyOf: typeof deps.bodyOf = async (lease) => {
    await s.database.query('delete from webhooks.message where id = $1', [erased]);
    return deps.bodyOf({ ...lease, include_data: false });
  };
  t.teardown(startDelivering({ ...deps, bodyOf }));
  await until(async () => Object.keys(await s.message(erased)).length === 0);
  const [marker = ''] = await s.change([endpoint]);
  await s.reaches(marker, 'delivered');
  t.same(
    s.received.map(({ id }) => id),
    [marker],
  );
});
