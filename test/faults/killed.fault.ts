import t from 'tap';
import { serviceNames } from '../../stack/processes/services.ts';
import { freshDatabase, natsUrl } from '../support/servers/database.ts';
import { startCluster } from './support/cluster.ts';
import { killDuring } from './support/kill-during-deliveries.ts';

/**
 * kill -9, again and again, while deliveries of all kinds are posted. KILLED_DELIVERIES says how many: each is worked
 * on by a process that may die of it, as may the one that took it from its sender and the one that stores it.
 */
t.setTimeout(0);

const deliveries = Number(process.env.KILLED_DELIVERIES ?? 2000);
const alone = ['api-gateway', 'devicemaker-ingest', 'timeseries'];
const groups = {
  gateway: ['api-gateway'],
  ingest: ['devicemaker-ingest'],
  store: ['timeseries'],
  rest: serviceNames.filter((name) => !alone.includes(name)),
};
const all = ['ingest.1', 'ingest.2'];
const round = [
  ['ingest.1'],
  ['gateway.1'],
  all,
  ['ingest.2'],
  ['store.1'],
  ['ingest.1'],
  all,
  ['gateway.2'],
  all,
];
const kills = [...round, ...round, ['store.1', 'store.2'], [...all, 'gateway.1', 'gateway.2']];

t.test(
  `${deliveries} deliveries and ${kills.length} kills: what was answered 200 is stored, once`,
  async (t) => {
    const database = await freshDatabase(t);
    const choice = { database, natsUrl: natsUrl(), groups, copies: { rest: 1 }, people: 7 };
    const cluster = await startCluster(t, choice);
    const { wrong, ...figures } = await killDuring({
      cluster,
      database,
      deliveries,
      kills,
      endLeases: false,
    });
    t.comment(JSON.stringify(figures));
    t.ok(figures.takenOver > 0, 'kills met deliveries in work');
    t.same(wrong.slice(0, 20), []);
    if (wrong.length > 0) t.comment(`${wrong.length} in all\n${cluster.complaints()}`);
  },
);
