import { randomUUID } from 'node:crypto';
import t from 'tap';
import {
  addConnections,
  claimSubscribing,
  endConnection,
  noteSubscribed,
} from '../../../services/pull-ingest/tables/connections.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const [connection_id, user_id] = [randomUUID(), randomUUID()];
const connect = (connected_at: string) =>
  database.transaction((on) =>
    addConnections(on, 'withings', [{ connection_id, user_id, connected_at }], {
      sweeps: [],
      subscribes: true,
    }),
  );
const claimed = async () => (await claimSubscribing(database, 10)).map((one) => one.connected_at);

t.test('a check of a former connection leaves the one that replaced it due', async (t) => {
  await connect('2026-01-01T00:00:00Z');
  const [former] = await claimSubscribing(database, 10);
  if (former === undefined) throw new Error('nothing is due');
  await connect('2026-01-02T00:00:00Z');
  await noteSubscribed(database, former, 86_400_000);
  const [current, ...others] = await claimSubscribing(database, 10);
  t.match(current, { connection_id, user_id, connected_at: /^2026-01-02/ });
  t.equal(others.length, 0);
  if (current !== undefined) await noteSubscribed(database, current, 86_400_000);
  t.same(await claimed(), [], 'and is not, once it was checked itself');
});

t.test('a check of a connection that has ended meanwhile does not make it due again', async (t) => {
  await connect('2026-01-03T00:00:00Z');
  const [ended] = await claimSubscribing(database, 10);
  if (ended === undefined) throw new Error('nothing is due');
  await database.transaction((on) => endConnection(on, connection_id));
  await noteSubscribed(database, ended, 0);
  t.same(await claimed(), []);
});
