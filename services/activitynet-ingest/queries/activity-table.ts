import { fencedWrites, type JobTable, type LeasedRow } from '../../../mixins/jobs/job-table.ts';

/** The activities as jobs. `crashes` counts the claims without an outcome. */
export const activityTable: JobTable = {
  name: 'activitynet',
  table: 'activitynet.activity',
  key: { user_id: 'uuid', object_id: 'bigint' },
  attempt: 'attempt',
  lease: 'crashes = j.crashes + 1, leased = true',
  isLeased: 'leased',
  now: (parameter) => `activitynet.clock($${parameter})`,
};

/** Writes of the holder of an activity. Parameters of a change begin with `$4`. */
export const activityWrites = fencedWrites(activityTable);

/** The key and the attempt of a claimed activity. */
export interface ActivityKey {
  readonly user_id: string;
  readonly object_id: string;
  readonly attempt: number;
}

/** A claimed activity as a row of the table. */
export const rowOf = ({ user_id, object_id, attempt }: ActivityKey): LeasedRow => ({
  key: [user_id, object_id],
  attempt,
});
