import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import { resumeRestored } from '../../../services/users/erasure/restorations.ts';
import { restorationKind } from '../../../services/users/job-kinds.ts';
import { closeAccessCheck } from '../../../services/users/queries/access-checks.ts';
import { finishRestoration, selectRestoration } from '../../../services/users/queries/restorations.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const resumed: string[] = [];
const replayed: string[] = [];
const refusals = new Map<string, ServiceError>();

// The other services are played: they note what they are asked for.
const resume = (name: string) => (ctx: { params: { connection_id: string } }) => {
  resumed.push(`${name} ${ctx.params.connection_id}`);
  return {};
};
const replay = ({ params: { delivery_id } }: { params: { delivery_id: string } }) => {
  replayed.push(delivery_id);
  const refusal = refusals.get(delivery_id);
  if (refusal !== undefined) throw refusal;
  return {};
};
const services = [
  { name: 'backfill', actions: { resume: resume('backfill') } },
  { name: 'activitynet-ingest', actions: { resumeConnection: resume('activitynet-ingest') } },
  { name: 'deliveries', actions: { replay } },
];
const { broker, call } = await startBroker(t, { databaseUrl: database.url, services });
const restoring = { database, call, logger: broker.getLogger('tests') };

const heldOf = async (connectionId: string) => {
  const statement = 'select delivery_id from users.held_delivery where connection_id = $1';
  return (await database.query(statement, [connectionId])).map(({ delivery_id }) => delivery_id);
};
const endingOf = async (connectionId: string) =>
  (await database.query('select ending from users.access_check where connection_id = $1', [connectionId]))[0]
    ?.ending;
const signal = new AbortController().signal;

/** A connection that is being restored since the hour before. */
async function restoredConnection(): Promise<string> {
  const [connection] = await database.query<{ id: string }>(
    `with person as (insert into users.person default values returning id)
     insert into users.connection (user_id, provider, provider_user_id, status, scope)
     select id, 'activitynet', 'account', 'active', '{}' from person returning id`,
  );
  const id = connection?.id ?? '';
  await database.query(
    `insert into users.access_check (connection_id, provider, ending, ending_since)
     values ($1, 'activitynet', 'restoring', now())`,
    [id],
  );
  return id;
}

const done = { kind: 'done' };
const later = (reason: string) => ({ kind: 'later', reason });

t.test('a restored connection is resumed until nothing of it is in work, twice at least', async (t) => {
  const id = await restoredConnection();
  const resume = (failures: number) => resumeRestored(restoring, { key: id, failures }, { signal });
  const [good, erased, gone, inWork] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const delivery of [good, erased, gone, inWork])
    await database.query('insert into users.held_delivery values ($1, $2)', [id, delivery]);
  refusals.set(erased, new ServiceError('DELIVERY_ERASED'));
  refusals.set(gone, new ServiceError('DELIVERY_NOT_FOUND'));
  refusals.set(inWork, new ServiceError('DELIVERY_IN_WORK'));

  t.same(await resume(0), later('NOT_RESUMED'));
  t.same(resumed.sort(), [`activitynet-ingest ${id}`, `backfill ${id}`]);
  t.same(replayed.sort(), [good, erased, gone, inWork].sort());
  t.same(await heldOf(id), [inWork], 'what is in work stays held');
  t.equal(restorationKind.retryMs?.(1), 60_000, 'it is not due for a minute');
  t.same(await resume(1), later('NOT_RESUMED'));
  t.equal(await endingOf(id), 'restoring', 'one delivery is still in work');
  refusals.clear();
  t.same(await resume(2), done);
  t.same([await endingOf(id), await heldOf(id)], [null, []]);
  const calls = resumed.length;
  t.same(await resume(0), done);
  t.equal(resumed.length, calls, 'a finished restoration resumes nothing');
});

t.test('a restoration ends with its second try, or unfinished with its 1,440th', async (t) => {
  const [one, other] = [await restoredConnection(), await restoredConnection()];
  const resume = (key: string, failures: number) => resumeRestored(restoring, { key, failures }, { signal });
  t.same(await resume(one, 0), later('REPEATED'));
  t.equal(await endingOf(one), 'restoring');
  t.same(await resume(one, 1), done);
  t.equal(await endingOf(one), null);
  t.equal(await endingOf(other), 'restoring');

  const delivery = randomUUID();
  refusals.set(delivery, new ServiceError('DELIVERY_IN_WORK'));
  await database.query('insert into users.held_delivery values ($1, $2)', [other, delivery]);
  t.same(await resume(other, 1438), later('NOT_RESUMED'));
  t.equal(await endingOf(other), 'restoring');
  t.same(await resume(other, 1439), { kind: 'dead', reason: 'NOT_RESUMED' });
  t.equal(await endingOf(other), null);
});

t.test('a connection that changed during its restoration is resumed again', async (t) => {
  const id = await restoredConnection();
  const restoration = await selectRestoration(database, id);
  if (restoration === undefined) throw new Error('there is no restoration');
  await database.query('update users.access_check set attempt = attempt + 1 where connection_id = $1', [id]);
  t.equal(await finishRestoration(database, restoration), false);
  t.equal(await endingOf(id), 'restoring');
});

t.test('a stopped restoration replays no more deliveries', async (t) => {
  const id = await restoredConnection();
  const delivery = randomUUID();
  await database.query('insert into users.held_delivery values ($1, $2)', [id, delivery]);
  const stopped = { signal: AbortSignal.abort() };
  t.same(await resumeRestored(restoring, { key: id, failures: 1 }, stopped), { kind: 'stopped' });
  t.same([await endingOf(id), await heldOf(id)], ['restoring', [delivery]]);
});

t.test('a contradicted ending enqueues the restoration', async (t) => {
  const id = await restoredConnection();
  await database.query('delete from jobs.job');
  await closeAccessCheck(database, id, { confirmed: null, restoring: false });
  t.same(await database.query('select from jobs.job'), []);
  await closeAccessCheck(database, id, { confirmed: 'now', restoring: true });
  t.match(await database.query('select kind, key from jobs.job'), [{ kind: 'users.restoration', key: id }]);
});
