import type { ServiceSchema } from 'moleculer';
import { destinations } from '../../contracts/destinations.ts';
import { type Database, database } from '../../mixins/database/database.ts';
import { reads } from '../../mixins/database/reads.ts';
import { type JobHandler, jobHandler, jobs, recurringHandler } from '../../mixins/jobs/jobs.ts';
import { cipherOf } from '../../mixins/provider-api/cipher.ts';
import type { Starting } from '../../runtime/environment.ts';
import type { Resolve } from '../../runtime/http/guarded-request.ts';
import { implement } from '../../runtime/implement.ts';
import { projectOf } from '../../runtime/user-project.ts';
import {
  changeDestination,
  createDestination,
  endKeys,
  enqueueRun,
  findDestination,
  forgetProject,
  forgetUser,
  listDestinations,
  pauseDestination,
  removeDestination,
  resetCopy,
  resumeDestination,
} from './actions/destinations.ts';
import { selectWorkable } from './tables/destinations.ts';
import { resealSecrets } from './tables/secrets.ts';
import { defaultPace, type Pace, runKind } from './work/pace.ts';
import { runDestination } from './work/run.ts';
import { newTargetThreads, type TargetThreads } from './work/session/threads.ts';

/** What tests choose: the resolver of names, and the pace of the work. */
export interface DestinationsChoice {
  readonly resolve?: Resolve | undefined;
  readonly pace?: Partial<Pace>;
}

/** Copies of the data of projects in stores of their own. */
export function destinationsService({ resolve, pace: chosen }: DestinationsChoice = {}): ServiceSchema {
  const pace: Pace = { ...defaultPace, ...chosen };
  return implement(destinations, {
    uses: {
      database: database(),
      reads: reads(),
      cipher: ({ config }: Starting) => cipherOf(config),
      jobs: jobs(),
      threads({ onStop }: Starting): TargetThreads {
        const threads = newTargetThreads();
        onStop(threads.stop);
        return threads;
      },
    },
    actions: {
      create: (ctx) => createDestination(ctx, ctx.params),
      list: ({ reads, meta }) => listDestinations(reads, projectOf(meta)),
      get: ({ reads, meta, params }) => findDestination(reads, projectOf(meta), params.destination_id),
      update: (ctx) => changeDestination(ctx, ctx.params.destination_id, ctx.params),
      remove: (ctx) => removeDestination(ctx, ctx.params.destination_id),
      pause: (ctx) => pauseDestination(ctx, ctx.params.destination_id),
      resume: (ctx) => resumeDestination(ctx, ctx.params.destination_id),
      reset: (ctx) => resetCopy(ctx, ctx.params.destination_id, ctx.params.from),
      endKeys: async (ctx) => ({ paused: await endKeys(ctx, ctx.params) }),
      forgetProject: async ({ database, params }) => ({
        deleted: await forgetProject(database, params.project_id),
      }),
      async forgetUser({ database, jobs, params }) {
        await forgetUser(database, params.user_id);
        jobs.notify();
      },
    },
    async started(environment) {
      const { database, cipher, jobs, threads, config, logger } = environment;
      const resealed = await resealSecrets(database, cipher);
      if (resealed > 0) logger.warn('destinations.secrets_resealed', { resealed });
      const shownAs = (provider: string) => config.PROVIDER_NAMES[provider] ?? provider;
      const running = { database, cipher, config, logger, pace, threads, resolve, shownAs, turns: new Map() };
      const run = jobHandler(runKind, ({ key }, held) => runDestination(running, key, held), {
        parallel: pace.parallel,
      });
      return jobs.start([run, watchHandler(database, pace)], pace);
    },
  });
}

export default destinationsService();

// A job whose process crashed several times is dead, although its destination is not.
function watchHandler(database: Database, { watchMs }: Pace): JobHandler {
  const recurring = { name: 'destinations.watch', everyMs: watchMs, firstAfterMs: watchMs };
  return recurringHandler(recurring, async () => {
    for (const id of await selectWorkable(database))
      await database.transaction(async (transaction) => {
        const idle = await transaction.query(
          `select from jobs.job where kind = $1 and key = $2 and dead_at is null`,
          [runKind.name, id],
        );
        if (idle.length === 0) await enqueueRun(transaction, id);
      });
    return undefined;
  });
}
