import t from 'tap';
import { unsent } from '../../../services/webhooks/rules/outcome.ts';
import { noteSuccess } from '../../../services/webhooks/tables/endpoints.ts';
import { newEndpointHealth } from '../../../services/webhooks/work/deliver.ts';
import { startSetting } from './delivery-setting.ts';

t.test('a success directly after a failure ends the failing of an endpoint', async (t) => {
  const s = await startSetting(t);
  const { id: endpoint_id, path } = await s.endpoint();
  const { note } = newEndpointHealth(await s.deps());
  const lease = { endpoint_id, url: `${s.origin}${path}`, failing_since: null };
  const attempt = { error: null, status: 200, retryAfter: null, durationMs: 1, answer: null };
  const settled = { delayMs: 0, pauseMs: null };
  const succeed = () => note(lease, { ...settled, state: 'delivered', isFailure: false, attempt });
  const failed = { ...attempt, error: 'STATUS', status: 500 };
  await note(lease, { ...settled, state: 'waiting', isFailure: true, attempt: unsent('DATA_UNAVAILABLE') });
  const failing = () => s.database.query('select from webhooks.endpoint where failing_since is not null');
  t.equal((await failing()).length, 0, 'a failure of our own says nothing about it');
  await succeed();
  await note(lease, { ...settled, state: 'waiting', isFailure: true, attempt: failed });
  t.equal((await failing()).length, 1);
  await succeed();
  t.equal((await failing()).length, 0);
});

t.test('a success at a former address does not count for the new one', async (t) => {
  const s = await startSetting(t);
  const { id: endpoint_id, path } = await s.endpoint();
  const url = `${s.origin}${path}`;
  await s.database.query('update webhooks.endpoint set failing_since = now() where id = $1', [endpoint_id]);
  const failing = () => s.database.query('select from webhooks.endpoint where failing_since is not null');
  await noteSuccess(s.database, { endpoint_id, url: `${url}/former` });
  t.equal((await failing()).length, 1);
  await noteSuccess(s.database, { endpoint_id, url });
  t.equal((await failing()).length, 0);
});
