import t, { type Test } from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import { claimJobs } from '../../../mixins/jobs/job-queue.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { replayDelivery } from '../../../services/deliveries/actions/deliveries.ts';
import { startRun } from '../../../services/deliveries/actions/reprocess.ts';
import { isErased } from '../../../services/deliveries/tables/deliveries.ts';
import { selectRun } from '../../../services/deliveries/tables/reprocess-runs.ts';
import { claimUnsealed } from '../../../services/deliveries/tables/sealed-bodies.ts';
import { reprocessHandler } from '../../../services/deliveries/work/reprocess.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

// Deliveries that are kept after their processing: when they are encrypted, and how they are processed again.

const database = await freshDatabase(t);
const origin = systemOrigin('test');
t.beforeEach(() =>
  database.query('truncate deliveries.delivery, deliveries.reprocess_run, jobs.job cascade'),
);

async function deliver(fields: { doneDaysAgo?: number; attempts?: number; erased?: boolean } = {}) {
  const { doneDaysAgo = 0, attempts = 1, erased = false } = fields;
  const [row] = await database.query<{ id: string }>(
    `insert into deliveries.delivery (provider, kind, headers, body, state, attempts, received_at, done_at, erased_at)
     values ('devicemaker', 'push', '{}', '{}', 'done', $2, now() - interval '30 days',
       now() - $1 * interval '1 day', case when $3 then now() end)
     returning id`,
    [doneDaysAgo, attempts, erased],
  );
  return row?.id ?? '';
}

t.test('a body is encrypted after days, and not after hours', async (t) => {
  const [old] = [await deliver({ doneDaysAgo: 8 }), await deliver({ doneDaysAgo: 6 })];
  const claimed = await database.transaction((transaction) => claimUnsealed(transaction, 7));
  t.same(
    claimed.map(({ id }) => id),
    [old],
  );
});

t.test('a delivery that is processed again has 16 more attempts, and an erased one has none', async (t) => {
  const [id, erased] = [await deliver({ attempts: 20 }), await deliver({ erased: true })];
  const deps = { database, origin, config: {} };
  t.match(await replayDelivery(deps, id), { id, state: 'ready', attempts: 20 });
  t.same(await database.query('select max_attempts from deliveries.delivery where id = $1', [id]), [
    { max_attempts: 36 },
  ]);
  t.equal(await replayDelivery(deps, erased), undefined);
  t.equal(await isErased(database, erased), true);
});

t.test('a run leaves a delivery out after five failures, but not while a service is away', async (t) => {
  await deliver();
  const away = await workOnce(t, 'SERVICE_UNAVAILABLE', 9);
  t.match(away, { outcome: { kind: 'later' }, failed: 0 });
  t.match(await workOnce(t, 'INTERNAL', 3), { outcome: { kind: 'later' }, failed: 0 });
  t.match(await workOnce(t, 'INTERNAL', 4), { outcome: { kind: 'again' }, failed: 1 });
});

/** Works on a run whose ingest service answers with an error, after other failures. */
async function workOnce(t: Test, code: 'SERVICE_UNAVAILABLE' | 'INTERNAL', failures: number) {
  const { broker } = await startBroker(t, { databaseUrl: database.url, services: [] });
  const { id } = await startRun(database, origin, { provider: 'devicemaker' });
  await database.query('update jobs.job set run_at = now()');
  const one = new Map([['deliveries.reprocess', 1]]);
  const [row] = await claimJobs(database, one, { limit: 1, leaseMs: 60_000 });
  if (row === undefined) throw new Error('there is no job');
  const call = async () => {
    throw new ServiceError(code);
  };
  const { work } = reprocessHandler({ database, call, logger: broker.logger });
  const held = { signal: new AbortController().signal, holds: async () => true };
  const outcome = await work({ ...row, failures }, held);
  const failed = (await selectRun(database, id))?.deliveries_failed;
  await database.query('truncate deliveries.reprocess_run, jobs.job cascade');
  return { outcome, failed };
}
