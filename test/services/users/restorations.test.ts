import { randomUUID } from 'node:crypto';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import { resumeRestored } from '../../../services/users/restorations.ts';
import { startBroker } from '../../support/broker.ts';
import { freshDatabase } from '../../support/database.ts';

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
const hurry = () => database.query('update users.access_check set run_at = now()');

t.test('a restored connection is resumed until nothing of it is in work, twice at least', async (t) => {
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
  const [good, erased, gone, inWork] = [randomUUID(), randomUUID(), randomUUID(), randomUUID()];
  for (const delivery of [good, erased, gone, inWork])
    await database.query('insert into users.held_delivery values ($1, $2)', [id, delivery]);
  refusals.set(erased, new ServiceError('DELIVERY_ERASED'));
  refusals.set(gone, new ServiceError('DELIVERY_NOT_FOUND'));
  refusals.set(inWork, new ServiceError('DELIVERY_IN_WORK'));

  await resumeRestored(restoring);
  t.same(resumed.sort(), [`activitynet-ingest ${id}`, `backfill ${id}`]);
  t.same(replayed.sort(), [good, erased, gone, inWork].sort());
  t.same(await heldOf(id), [inWork], 'what is in work stays held');
  await resumeRestored(restoring);
  t.equal(resumed.length, 2, 'it is not due for a minute');
  await hurry();
  await resumeRestored(restoring);
  t.equal(await endingOf(id), 'restoring', 'one delivery is still in work');
  refusals.clear();
  await hurry();
  await resumeRestored(restoring);
  t.same([await endingOf(id), await heldOf(id)], [null, []]);
});
