import { setTimeout as sleep } from 'node:timers/promises';
import { dayMs, localDate } from '../../domain/time/time.ts';
import { databaseOf } from '../../mixins/database/database.ts';
import { enqueueRun } from '../../services/destinations/actions/destinations.ts';
import { startHostileHosts } from '../../test/support/servers/hostile-hosts.ts';
import { createDestination } from '../destinations/copies.ts';
import { insertRows } from '../destinations/insert-rows.ts';
import type { Measurement } from '../measurement.ts';
import { megabytesOf } from '../product.ts';
import { targetOf } from '../requests.ts';
import { inRounds } from '../rounds.ts';

/** Readers of the project that is not attacked: fewer than make the process busy. */
const connections = 2;
const attackEveryMs = 1000;

/** What destinations whose hosts do harm cost another project. */
export const hostileDestinations: Measurement = {
  name: 'hostile-destinations',
  title: 'Destinations whose hosts do harm',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { roundSeconds, delayRounds } = bench.sizes.destinations;
    const hosts = await startHostileHosts(bench.onEnd);
    yield `A page of 50 samples of one project, read over ${connections} connections for ${roundSeconds} s, in rounds in turn, with all services in one process. A: ${hosts.length} destinations of other projects, whose hosts are slow, endless, lying, silent or huge, are worked on again every ${attackEveryMs} ms. B: they are paused.`;
    const { product, pool } = await bench.startEmpty('hostile', {
      DESTINATION_HOSTS: hosts.map(({ host }) => host).join(','),
    });
    await insertRows(pool, 1, 1);
    const { rows } = await pool.query<{ id: string }>('select id from users.person');
    const [start, end] = [Date.now() - dayMs, Date.now()].map((ms) => localDate(ms, 0));
    const range = `start_time=${start}&end_time=${end}`;
    const page = targetOf(product, `/users/${rows[0]?.id}/timeseries?types=heart_rate&limit=50&${range}`);
    const database = databaseOf(pool);
    const ids: string[] = [];
    for (const [index, { kind, settings }] of hosts.entries()) {
      const id = await createDestination(product, kind, settings);
      ids.push(id);
      // Six of a project: it has room for the next one.
      await pool.query('update destinations.destination set project_id = $2 where id = $1', [
        id,
        `attacked-${Math.floor(index / 6)}`,
      ]);
    }
    const read = async () =>
      (await bench.load.sendLoad(page, { connections, most_ms: roundSeconds * 1000 })).p99_ms;
    const attacked = async () => {
      await pool.query('update destinations.destination set paused = false where id = any($1)', [ids]);
      let isOver = false;
      const attack = async () => {
        while (!isOver) {
          for (const id of ids) await enqueueRun(database, id);
          await sleep(attackEveryMs);
        }
      };
      const attacking = attack();
      try {
        return await read();
      } finally {
        isOver = true;
        await attacking;
        await pool.query('update destinations.destination set paused = true');
        await sleep(attackEveryMs);
      }
    };
    const [a = [], b = []] = await inRounds(delayRounds, [attacked, read]);
    yield { what: 'a page of another project: p99', figures: [a, b], unit: 'ms' };
    yield {
      what: 'a page of another project while hosts do harm: p99',
      value: a,
      unit: 'ms',
      goal: { most: 300 },
    };
    const { peak } = await megabytesOf(product);
    yield { what: 'resident memory at its peak', value: peak, unit: 'MB', goal: { most: 900 } };
  },
};
