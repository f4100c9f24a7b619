import type { ServiceSchema } from 'moleculer';
import { freshness } from '../../contracts/freshness.ts';
import { hourMs, minuteMs } from '../../domain/time/time.ts';
import { database } from '../../mixins/database/database.ts';
import { awaitLateWrites } from '../../mixins/database/forgotten-users.ts';
import { reads } from '../../mixins/database/reads.ts';
import { jobs, recurringHandler, workInParts } from '../../mixins/jobs/jobs.ts';
import { callAs } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { projectOf } from '../../runtime/user-project.ts';
import { showIncidents, showList, showUser } from './actions/freshness.ts';
import { countStates, selectPosition } from './tables/arrivals.ts';
import { deleteOfUser } from './tables/connections.ts';
import { addConnections, followPart } from './work/follow.ts';
import { gapOutcomeHandler, gapRequestHandler, lookForGaps } from './work/gaps.ts';
import { judgePart } from './work/judge-due.ts';
import { repairHandler } from './work/repair.ts';
import { watchProviders } from './work/watch-providers.ts';

/** The pace of the service and its clock in production. */
const freshnessPace = {
  followMs: 15_000,
  incidentsMs: minuteMs,
  listMs: hourMs,
  gapsMs: 10 * minuteMs,
  firstMs: 5000,
  pollMs: 1000,
  now: Date.now,
};

/** The service with a pace and a clock that a test chooses. Production uses the defaults. */
export function freshnessService(chosen: Partial<typeof freshnessPace> = {}): ServiceSchema {
  const pace = { ...freshnessPace, ...chosen };
  return implement(freshness, {
    uses: { database: database(), reads: reads(), jobs: jobs() },
    actions: {
      ofUser: ({ reads, call, params }) => showUser({ database: reads, call }, params.user_id, pace.now()),
      list: ({ reads, meta, params }) => showList(reads, { ...params, project: projectOf(meta) }),
      incidents: ({ reads }) => showIncidents(reads),
      async forgetUser({ database, params }) {
        await awaitLateWrites(database, 'freshness');
        await database.transaction((transaction) => deleteOfUser(transaction, params.user_id));
      },
    },
    async started({ database, jobs, broker, ...deps }) {
      const freshnessDeps = { database, call: callAs(deps.call, 'system:freshness'), now: pace.now };
      const metrics = metricsOf(broker);
      let counts: Awaited<ReturnType<typeof countStates>> = [];
      let countedMs = 0;
      const endFigures = metrics.onScrape(async () => {
        if (counts.length === 0 || performance.now() > countedMs + minuteMs) {
          counts = await countStates(database);
          countedMs = performance.now();
        }
        for (const { provider, state, n } of counts)
          metrics.set('pulsebus_freshness', { provider, state }, n);
      });
      const recurs = (name: string, everyMs: number) => ({
        name: `freshness.${name}`,
        everyMs,
        firstAfterMs: Math.min(everyMs, pace.firstMs),
      });
      const stop = await jobs.start(
        [
          // The change log is read first: a row whose data has arrived must not count as late.
          recurringHandler(recurs('follow', pace.followMs), async (held) => {
            // The log may have lost how older connections were made.
            if ((await selectPosition(database)) === '0')
              await addConnections(freshnessDeps, pace.now(), held.signal);
            const followed = await workInParts(() => followPart(freshnessDeps, pace.now()), held);
            if (followed.kind !== 'done') return followed;
            return workInParts(() => judgePart(freshnessDeps, pace.now()), held);
          }),
          recurringHandler(recurs('connections', pace.listMs), async ({ signal }) => {
            await addConnections(freshnessDeps, pace.now(), signal);
            return undefined;
          }),
          recurringHandler(recurs('incidents', pace.incidentsMs), async () => {
            await watchProviders(freshnessDeps, pace.now());
            return undefined;
          }),
          recurringHandler(recurs('gaps', pace.gapsMs), (held) =>
            workInParts(() => lookForGaps(freshnessDeps, pace.now()), held),
          ),
          repairHandler(freshnessDeps),
          gapRequestHandler(freshnessDeps),
          gapOutcomeHandler(freshnessDeps),
        ],
        { pollMs: pace.pollMs },
      );
      return async () => {
        endFigures();
        await stop();
      };
    },
  });
}

/** Whether data arrives as expected, from the change log; repairs, incidents. */
export default freshnessService();
