import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import type { Call } from '../../../runtime/environment.ts';
import {
  cancelBackfill,
  enqueueBackfill,
  startBackfill,
  startPendingBackfill,
} from '../../../services/connect/work/pending-backfills.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
t.beforeEach(() => database.query('truncate jobs.job'));

const wanted = { user_id: randomUUID(), provider: 'activitynet' } as const;
const keys = async () =>
  (await database.query('select key from jobs.job where run_at > now()')).map(({ key }) => key);

/** The dependencies of a start, which fails with an error. */
function depsOf(error: ServiceError | null) {
  const calls: unknown[] = [];
  const call = async (_name: string, params: unknown) => {
    calls.push(params);
    if (error !== null) throw error;
    return {};
  };
  const logger: never = { info: () => undefined } as never;
  return { database, call: call as unknown as Call, logger, calls };
}

t.test('a backfill waits for the callback to start it, and is cancelled', async (t) => {
  await enqueueBackfill(database, wanted);
  t.same(await keys(), [`${wanted.user_id}:activitynet`]);
  await cancelBackfill(database, { ...wanted, provider: 'devicemaker' });
  t.equal((await keys()).length, 1);
  await cancelBackfill(database, wanted);
  t.same(await keys(), []);
});

/** A row: how the start fails, and whether it is repeated. */
const rows: readonly (readonly [error: ServiceError | null, isRepeated: boolean])[] = [
  [null, false],
  [new ServiceError('BACKFILL_RUNNING'), false],
  [new ServiceError('CONNECTION_INACTIVE'), false],
  [new ServiceError('SERVICE_UNAVAILABLE'), true],
];

t.test('a start is retried only after a temporary failure', async (t) => {
  for (const [error, isRepeated] of rows) {
    await enqueueBackfill(database, wanted);
    await startBackfill(depsOf(error), wanted);
    t.equal((await keys()).length, isRepeated ? 1 : 0, error?.type ?? 'no failure');
    const outcome = await startPendingBackfill(depsOf(error), { payload: wanted, created_at: new Date() });
    t.same(outcome, isRepeated ? { kind: 'later', reason: 'SERVICE_UNAVAILABLE' } : { kind: 'done' });
  }
});

t.test('a start is given up after a day', async (t) => {
  const deps = depsOf(null);
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000);
  t.same(await startPendingBackfill(deps, { payload: wanted, created_at: hoursAgo(25) }), { kind: 'done' });
  t.same(deps.calls, []);
  t.same(await startPendingBackfill(deps, { payload: wanted, created_at: hoursAgo(23) }), { kind: 'done' });
  t.same(deps.calls, [wanted]);
});
