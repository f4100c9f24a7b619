import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { RowJobs } from '../../../mixins/jobs/row-jobs.ts';
import type { JobSource } from '../../../runtime/jobs/job-worker.ts';
import {
  type ActivityLease,
  claimActivities,
  extendActivity,
  isActivityDue,
  priorities,
} from '../tables/activities.ts';
import { type Room, repairRoom } from '../tables/budget.ts';
import {
  claimListings,
  extendListing,
  isListingDue,
  type ListingLease,
  type Purpose,
} from '../tables/listings.ts';
import type { Fetching } from './fetch-activity.ts';
import { readListPage } from './list-activities.ts';
import { nightlyJob } from './reconcile.ts';
import { workOnActivity } from './work-activity.ts';

/** Dependencies of the jobs of a process. */
interface FetchDeps extends Fetching {
  readonly rowJobs: RowJobs;
  readonly jobs: Jobs;
}

/** An activity to fetch or to delete, or a list whose next page is to be read. */
type FetchJob =
  | { readonly kind: 'activity'; readonly row: ActivityLease }
  | { readonly kind: Purpose; readonly row: ListingLease };

/** Actions that the work calls. While one is unavailable no job is claimed, because its reads would be wasted. */
const needs = ['users.tokens', 'timeseries.store', 'timeseries.deleteWorkout'];

/** Actions that reconciliations call beside these. */
const reconciliationNeeds = ['users.connection', 'timeseries.workoutKeys'];

/** Starts the jobs. Other processes may work on the same ones. Returns a function that stops them. */
export async function startFetching(deps: FetchDeps): Promise<() => Promise<void>> {
  const { rowJobs, jobs, pace } = deps;
  const ends = [
    rowJobs.start(fetchJobs(deps)),
    await jobs.start([nightlyJob(deps)], { pollMs: pace.pollMs }),
  ];
  return async () => {
    await Promise.all(ends.map((end) => end()));
  };
}

// Activities and pages share the slots, because both need the quota: a page is claimed if no activity is due.
function fetchJobs(deps: FetchDeps): JobSource<FetchJob> {
  const { database, pace } = deps;
  const lease = () => ({ aheadMs: pace.aheadMs(), leaseMs: pace.leaseMs });
  // Until this time no job that needs a read is claimed, because the quota was used up or the provider asked to wait.
  let restUntil = 0;
  const rest = () => {
    restUntil = performance.now() + pace.pollMs;
  };
  return {
    name: 'activitynet',
    kindOf: ({ kind }) => `activitynet.${kind}`,
    needs,
    leaseMs: pace.leaseMs,
    pollMs: pace.pollMs,
    parallel: pace.parallel,
    due: {
      database,
      condition: () => `${isActivityDue(pace.aheadMs())} or ${isListingDue(pace.aheadMs())}`,
    },
    async claim(free) {
      const room = performance.now() < restUntil ? noRoom : roomOf(await deps.quota.room());
      const activities = await claimActivities(database, {
        ...lease(),
        priority: priorityIn(room),
        limit: free,
      });
      const purposes: Purpose[] = [];
      if (room.backfill > 0) purposes.push('backfill');
      if (room.repair > 0 && isReconcilable(deps)) purposes.push('reconciliation');
      const mayList = activities.length < free && purposes.length > 0;
      const lists = mayList ? await claimListings(database, 1, purposes, lease()) : [];
      return [
        ...activities.map((row) => ({ kind: 'activity' as const, row })),
        ...lists.map((row) => ({ kind: row.purpose, row })),
      ];
    },
    extend({ kind, row }) {
      return kind === 'activity'
        ? extendActivity(database, row, lease())
        : extendListing(database, row, lease());
    },
    async work({ kind, row }, held) {
      if (kind === 'activity') return workOnActivity(deps, { job: row, ...held }, rest);
      const outcome = await readListPage(deps, row, held.signal);
      if (outcome === 'wait') rest();
      return outcome;
    },
  };
}

const noRoom = { live: 0, backfill: 0, repair: 0 };

function roomOf(room: Room): typeof noRoom {
  return { live: room.live, backfill: room.backfill, repair: repairRoom(room) };
}

// A fetch needs two reads, a deletion needs none.
function priorityIn({ live, backfill, repair }: typeof noRoom): number {
  if (repair >= 2) return priorities.repair;
  if (backfill >= 2) return priorities.backfill;
  return live >= 2 ? priorities.live : priorities.delete;
}

function isReconcilable({ broker }: FetchDeps): boolean {
  return reconciliationNeeds.every((action) => broker.registry.actions.isAvailable(action));
}
