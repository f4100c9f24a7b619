import t from 'tap';
import { serviceNames } from '../../../stack/processes/services.ts';
import { startCluster } from '../../faults/support/cluster.ts';
import { killDuring } from '../../faults/support/kill-during-deliveries.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';

/** A short `npm run test:faults -- killed`. */

const alone = ['api-gateway', 'devicemaker-ingest'];
const groups = {
  gateway: ['api-gateway'],
  ingest: ['devicemaker-ingest'],
  rest: serviceNames.filter((name) => !alone.includes(name)),
};
const kills = [['ingest.1', 'ingest.2', 'gateway.1']];

t.test('80 deliveries and 3 killed processes: each fact is stored once', async (t) => {
  const database = await freshDatabase(t);
  const choice = { database, natsUrl: natsUrl(), groups, copies: { gateway: 1, rest: 1 }, people: 4 };
  const cluster = await startCluster(t, choice);
  const { wrong, ...figures } = await killDuring({
    ...{ cluster, database, deliveries: 80, kills, endLeases: true },
  });
  t.comment(JSON.stringify(figures));
  t.ok(figures.takenOver > 0, 'kills met deliveries in work');
  t.same(wrong.slice(0, 20), []);
  if (wrong.length > 0) t.comment(cluster.complaints());
});
