import { dayMs } from '../../domain/time/time.ts';
import { type JobHandler, recurringHandler } from '../../mixins/jobs/jobs.ts';
import type { Environment } from '../../runtime/environment.ts';
import { nextAt, timeOfDayMs } from '../../runtime/jobs/time-of-day.ts';
import type { Fetching } from './fetched.ts';
import { scheduleReconciliations } from './queries/request-reconciliations.ts';

const connectionsPerCall = 500;
/** A nightly reconciliation lists this many days. */
const days = 7;

/**
 * The recurring job that schedules a reconciliation of each active connection, once a day at its own time. It runs several
 * times a day, for connections that were made meanwhile or whose last reconciliation was still waiting.
 */
export function nightlyJob(deps: Fetching & Pick<Environment, 'logger'>): JobHandler {
  const { scheduleMs: everyMs, firstScheduleMs: firstAfterMs } = deps.pace;
  return recurringHandler({ name: 'activitynet.nightly', everyMs, firstAfterMs }, ({ signal }) =>
    scheduleNightly(deps, signal),
  );
}

async function scheduleNightly(
  { call, database, pace, logger }: Fetching & Pick<Environment, 'logger'>,
  signal: AbortSignal,
): Promise<undefined> {
  let after: string | null = null;
  let scheduled = 0;
  do {
    const listed: readonly { readonly connection_id: string; readonly user_id: string }[] = await call(
      'users.activeConnections',
      { provider: 'activitynet', after, limit: connectionsPerCall },
    );
    const nowMs = Date.now() + pace.aheadMs();
    const nightly = listed.map(({ connection_id, user_id }) => {
      const at_ms = nextAt(nowMs, timeOfDayMs(connection_id));
      return { connection_id, user_id, at_ms, start_ms: at_ms - days * dayMs };
    });
    scheduled += await scheduleReconciliations(database, nightly);
    after = listed.length < connectionsPerCall ? null : (listed.at(-1)?.connection_id ?? null);
  } while (after !== null && !signal.aborted);
  if (scheduled > 0) logger.info('reconciliations.scheduled', { scheduled });
  return undefined;
}
