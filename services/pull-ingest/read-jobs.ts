import type { RowJobs } from '../../mixins/jobs/row-jobs.ts';
import { claimReadings, extendReading, isReadingDue } from './queries/claim-readings.ts';
import { type ReadingDeps, workReading } from './work-reading.ts';

/** Actions that the work calls. While one is unavailable nothing is claimed, because its reads would be wasted. */
const needs = [
  'users.tokens',
  'users.connection',
  'timeseries.replace',
  'timeseries.store',
  'timeseries.replaceIntervals',
];

/** Starts the reads. Other processes may work on other rows. Returns the function that stops them. */
export function startReading(deps: ReadingDeps & { readonly rowJobs: RowJobs }): () => Promise<void> {
  const { database, pace, rowJobs } = deps;
  const { leaseMs, pollMs, parallel } = pace;
  return rowJobs.start({
    ...{ name: 'pull.reading', needs, leaseMs, pollMs, parallel },
    due: { database, condition: () => isReadingDue },
    claim: (free) => claimReadings(database, free, leaseMs),
    extend: (row) => extendReading(database, row, leaseMs),
    work: (row, held) => workReading(deps, row, held),
  });
}
