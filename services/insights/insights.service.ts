import type { ServiceSchema } from 'moleculer';
import type { Config } from '../../config.ts';
import { insights } from '../../contracts/insights.ts';
import { isError } from '../../domain/errors.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { database } from '../../mixins/database/database.ts';
import { awaitLateWrites } from '../../mixins/database/forgotten-users.ts';
import { reads } from '../../mixins/database/reads.ts';
import { cancelJob } from '../../mixins/jobs/job-queue.ts';
import { jobHandler, jobs, recurringHandler, workInParts } from '../../mixins/jobs/jobs.ts';
import { callAs } from '../../runtime/environment.ts';
import { implement } from '../../runtime/implement.ts';
import {
  checkOn,
  glucoseReport,
  type ReadDeps,
  readBaselines,
  readInsights,
  readRecovery,
  readTraining,
  settingsOf,
} from './actions/insights.ts';
import { deleteComputed, deleteOfUser } from './tables/days.ts';
import { computeKind, followPart } from './work/follow.ts';
import { type Computing, recompute } from './work/recompute.ts';

type Context = Pick<ReadDeps, 'database' | 'reads' | 'call'> & { readonly config: Config };

/** The pace of the service and its clock in production. Days are computed `settleMs` after the first change that concerns them. */
const insightsPace = { followMs: 15_000, settleMs: minuteMs, firstMs: 5000, pollMs: 1000, now: Date.now };

/** The service with a pace and a clock that a test chooses. Production uses the defaults. */
export function insightsService(chosen: Partial<typeof insightsPace> = {}): ServiceSchema {
  const pace = { ...insightsPace, ...chosen };
  const depsOf = ({ database, reads, call, config }: Context): ReadDeps => ({
    database,
    reads,
    call,
    now: pace.now,
    ...settingsOf(config),
  });
  return implement(insights, {
    uses: { database: database(), reads: reads(), jobs: jobs() },
    actions: {
      baselines: (ctx) => readBaselines(depsOf(ctx), ctx.params),
      days: (ctx) => readInsights(depsOf(ctx), ctx.params),
      training: (ctx) => readTraining(depsOf(ctx), ctx.params),
      recoveryDays: (ctx) => readRecovery(depsOf(ctx), ctx.params),
      glucose: ({ call, config, params }) => {
        checkOn(settingsOf(config));
        return glucoseReport(call, settingsOf(config).shownAs, params);
      },
      async forgetUser({ database, params }) {
        await awaitLateWrites(database, 'insights');
        await database.transaction(async (transaction) => {
          await cancelJob(transaction, computeKind, params.user_id);
          await deleteOfUser(transaction, params.user_id);
        });
      },
    },
    async started({ database, jobs, config, ...deps }) {
      const { isOn, ...settings } = settingsOf(config);
      if (!isOn) {
        // Changes are not followed while insights are off, so results would be out of date when they are turned on again.
        await database.transaction(deleteComputed);
        return async () => undefined;
      }
      const call = callAs(deps.call, 'system:insights');
      const computing: Computing = { database, call, now: pace.now, ...settings };
      const follow = { name: 'insights.follow', everyMs: pace.followMs, firstAfterMs: pace.firstMs };
      return jobs.start(
        [
          recurringHandler(follow, (held) => workInParts(() => followPart(computing, pace.settleMs), held)),
          jobHandler(
            computeKind,
            async ({ payload }) => {
              try {
                await recompute(computing, payload.user_id);
              } catch (error) {
                if (!isError(error, 'USER_NOT_FOUND')) throw error;
              }
              return { kind: 'done' };
            },
            { parallel: 2, needs: ['timeseries.dayFacts', 'summaries.activity'] },
          ),
        ],
        { pollMs: pace.pollMs },
      );
    },
  });
}

/** What is computed from the data of local days, by published methods. */
export default insightsService();
