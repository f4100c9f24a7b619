import { databaseOf } from '../../mixins/database/database.ts';
import { startJetstream } from '../../test/support/servers/jetstream.ts';
import { arrivalsAt, delaysUntilArrival } from '../destinations/arrivals.ts';
import { createDestination } from '../destinations/copies.ts';
import { type StoreWay, startFileStore } from '../destinations/file-store.ts';
import { insertSeries } from '../destinations/small-changes.ts';
import type { Measurement } from '../measurement.ts';
import { inRounds } from '../rounds.ts';

/** What a destination that is dead costs another one. */
export const deadDestinations: Measurement = {
  name: 'dead-destinations',
  title: 'A dead destination',
  hasOwnData: true,
  isOnDemand: true,
  async *lines(bench) {
    const { perSecond, roundSeconds, delayRounds } = bench.sizes.destinations;
    yield `${perSecond} samples a second, each of another user, for ${roundSeconds} s, in rounds in turn, with all services in one process. A project has a destination of kind \`jetstream\`, and one of kind \`s3\`, whose store takes no connection, or no request is answered. B: it answers. The time is that from the begin of a change's transaction to its message.`;
    const [store, server] = [
      await startFileStore(bench),
      await startJetstream({ comment: bench.say, teardown: bench.onEnd }),
    ];
    await server.addStream({});
    const arrivals = arrivalsAt(server);
    const { product, pool } = await bench.startEmpty('dead', {
      DESTINATION_HOSTS: [store.host, server.host].join(','),
    });
    const id = await createDestination(product, 'jetstream', server.settings);
    await insertSeries(databaseOf(pool), perSecond * roundSeconds);
    const other = await createDestination(product, 's3', store.settings);
    const side = (way: StoreWay) => async () => {
      await store.be(way);
      await product.post(`/destinations/${other}/resume`, {});
      return delaysUntilArrival({ pool, id, arrivals }, { perSecond, ms: roundSeconds * 1000 });
    };
    const [refusing = [], silent = [], alive = []] = await inRounds(delayRounds, [
      side('refusing'),
      side('silent'),
      side('ok'),
    ]);
    for (const [way, rounds] of [
      ['refuses connections', refusing],
      ['never answers', silent],
    ] as const)
      for (const share of ['p50', 'p99'] as const) {
        const of = (all: typeof alive) => all.map((delays) => delays[share]);
        const what = `the other ${way}: ${share}`;
        yield { what, figures: [of(rounds), of(alive)], unit: 'ms', goal: { most: 1.05 } };
      }
  },
};
