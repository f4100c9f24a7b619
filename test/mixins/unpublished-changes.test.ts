import t from 'tap';
import { deleteUnpublished } from '../../mixins/database/unpublished-changes.ts';
import { metricsUrl } from '../../runtime/telemetry/metrics-server.ts';
import users from '../../services/users/users.service.ts';
import { startWebhooks } from '../services/webhooks/setting.ts';
import { refusal } from '../support/refusal.ts';
import { startBroker } from '../support/servers/broker.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const age = `update changes.pending set due_at = due_at - interval '31 days'`;

t.test('without the service webhooks, old changes are reported and deleted', async (t) => {
  const database = await freshDatabase(t);
  const { call, broker } = await startBroker(t, {
    databaseUrl: database.url,
    services: [users],
    settings: { METRICS_PORT: '0', CHANGE_RETENTION_DAYS: '30' },
  });
  await call('users.create', {});
  await call('users.create', {});
  t.equal(await deleteUnpublished(database, 30), 0);
  await database.query(`${age} where place = (select min(place) from changes.pending)`);
  const figures = async () => (await fetch(metricsUrl(broker) ?? '')).text();
  t.match(await figures(), /^pulsebus_changes_oldest_seconds 26784\d\d/m);
  await database.query(`update jobs.job set run_at = now() where kind = 'users.unpublished_changes'`);
  const pending = 'select from changes.pending';
  await until(async () => {
    await database.query(
      `update jobs.job set run_at = now() where kind = 'users.unpublished_changes' and not leased`,
    );
    return (await database.query(pending)).length === 1;
  }, 'by a recurring job');
});

t.test('a reader who would miss a deleted change is refused', async (t) => {
  const s = await startWebhooks(t);
  const { id } = await s.call('users.create', {});
  await s.settled(id);
  const { pagination } = await s.call('webhooks.changes', {});
  const cursor = pagination.next_cursor;
  t.same((await s.call('webhooks.changes', { cursor })).data, []);
  // Not published: the row is due a month ago from its beginning.
  await s.database.query(
    `begin; insert into changes.pending (user_id, kind, object, action, historical, n, data, due_at)
       values ('${id}', 'body', 'x', 'updated', false, 0, '{}', now() + interval '1 hour'); commit`,
  );
  await s.database.transaction(async (transaction) => {
    await transaction.query('select changes.lock_publishing(true)');
    await transaction.query(
      `update changes.pending set due_at = now() - interval '31 days' where object = 'x'`,
    );
    const within = {
      ...s.database,
      transaction: <T>(work: (on: typeof transaction) => Promise<T>) => work(transaction),
    };
    t.equal(await deleteUnpublished(within, 30), 1);
  });
  await t.rejects(s.call('webhooks.changes', { cursor }), refusal('CURSOR_EXPIRED'));
  const fresh = (await s.call('webhooks.changes', {})).pagination.next_cursor;
  await s.call('users.update', { user_id: id, first_name: 'A' });
  await s.settled(id);
  t.match((await s.call('webhooks.changes', { cursor: fresh })).data, [{ type: 'user.updated' }]);
});
