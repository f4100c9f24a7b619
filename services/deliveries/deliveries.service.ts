import { deliveries } from '../../contracts/deliveries.ts';
import { ServiceError } from '../../domain/errors.ts';
import { database } from '../../mixins/database.ts';
import { countStored } from '../../mixins/inbox-stored.ts';
import { implement } from '../../runtime/implement.ts';
import { metricsOf } from '../../runtime/metrics.ts';
import { startPeriodicTask } from '../../runtime/periodic-task.ts';
import { publicUrl } from '../../runtime/provider-settings.ts';
import { startAfterSeconds, startErasing } from './erasure.ts';
import { expire } from './expire.ts';
import { setFigures } from './figures.ts';
import { listDeliveries, toWire } from './listing.ts';
import { addAnswers, deleteOldAnswers } from './queries/answer-minutes.ts';
import { insertErasures, insertLateErasures } from './queries/erasures.ts';
import { isErased, replayDelivery } from './queries/replay-delivery.ts';
import { readStatus } from './status.ts';

const retentionEveryMs = 600_000;
const firstRetentionMs = 30_000;

/** The status, list, replay, retention and erasure of the deliveries in the inbox. */
export default implement(deliveries, {
  uses: { database: database() },
  actions: {
    status: (ctx) => {
      const isDeveloper = ctx.meta.caller?.kind === 'developer';
      const addressesAt = isDeveloper ? publicUrl(ctx.config, ctx.meta.gateway_url) : undefined;
      return readStatus({ ...ctx, addressesAt });
    },
    async noteAnswers({ params, database }) {
      await addAnswers(database, params.answers);
      return { noted: true as const };
    },
    list: ({ params, database }) => listDeliveries(database, params),
    async replay({ params, database, origin }) {
      const row = await replayDelivery(database, origin, params.delivery_id);
      if (row !== undefined) return toWire(row);
      const erased = await isErased(database, params.delivery_id);
      if (erased === undefined) throw new ServiceError('DELIVERY_NOT_FOUND');
      throw new ServiceError(erased ? 'DELIVERY_ERASED' : 'DELIVERY_IN_WORK');
    },
    async eraseAccounts({ params, database }) {
      await insertErasures(database, params.accounts, params.erased_at, startAfterSeconds);
      return { noted: true as const };
    },
    async eraseFromDelivery({ params, database }) {
      await insertLateErasures(database, params.delivery_id, params.provider_user_ids, startAfterSeconds);
      return { noted: true as const };
    },
  },
  async started({ broker, call, database, config, logger }) {
    const metrics = metricsOf(broker);
    const endFigures = metrics.onScrape(async () =>
      setFigures(metrics, await readStatus({ database, call, config })),
    );
    const stopRounds = startPeriodicTask({
      name: 'deliveries.retention',
      everyMs: retentionEveryMs,
      firstAfterMs: firstRetentionMs,
      work: async () => {
        await deleteOldAnswers(database);
        const deleted = await expire(database, config.DELIVERY_RETENTION_DAYS);
        await countStored(database);
        if (deleted > 0) logger.info('deliveries.expired', { deleted });
      },
      logger,
    });
    const stopErasing = startErasing(database, logger);
    return async () => {
      endFigures();
      await Promise.all([stopRounds(), stopErasing()]);
    };
  },
});
