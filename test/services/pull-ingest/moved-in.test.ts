import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import { until } from '../../support/until.ts';
import { startAnswering } from './answering.ts';

const { api, requested } = await startAnswering(t, { BACKFILL_ON_CONNECT: 'true' });
const { database } = api;

type Moved = Actions['users.moveInConnections']['params']['connections'][number];

/** Has a recurring job run until a condition holds. */
const running = (kind: string, isSo: () => Promise<boolean>) =>
  until(async () => {
    await database.query('update jobs.job set run_at = now() where kind = $1 and not leased', [kind]);
    return isSo();
  }, kind);

t.test('a moved connection is swept like one that was made here, and begins no backfill', async (t) => {
  const user_id = randomUUID();
  const created_at = '2024-01-01T00:00:00Z';
  const fields = { first_name: null, last_name: null, email: null, external_user_id: null };
  const users = [{ id: user_id, ...fields, created_at }];
  await api.call('users.moveInUsers', { project_id: 'default', users });
  const connection: Moved = {
    ...{ id: randomUUID(), user_id, provider: 'withings', provider_user_id: 'w-1', status: 'active' },
    ...{ access_token: 'moved', refresh_token: 'r', expires_at: isoTime(Date.now() + dayMs) },
    scope: [],
    ...{ status_reason: null, created_at, last_synced_at: null },
  };
  const moved = { project_id: 'default', connections: [connection] };
  t.match(await api.call('users.moveInConnections', moved), { outcomes: [{ outcome: 'saved' }] });

  const found = 'select connection_id from pull.sweep where connection_id = $1';
  await running(
    'pull-ingest.connections',
    async () => (await database.query(found, [connection.id])).length > 0,
  );
  t.same(await database.query('select from pull.reading'), [], 'its sweeps are spread over their interval');
  t.same(await database.query('select from pull.run'), []);
  t.equal(
    (await api.ask(`/api/v1/users/${user_id}/connections/withings/backfill`, { key: api.apiKey })).status,
    404,
  );

  await database.query('update pull.sweep set due_at = now()');
  const isRead = async () => requested.some((path) => path.startsWith('/v2/measure'));
  await running('pull-ingest.sweeps', isRead);
  t.match(await api.call('users.tokens', { user_id, provider: 'withings' }), { status: 'active' });
});
