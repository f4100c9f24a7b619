import { selectDirty } from '../../../tables/partitions.ts';
import type { Run, Target } from '../target.ts';
import { hostOf, S3Settings, withBucket } from './client.ts';
import { commitPartitions, deleteUnused, keptCommits } from './commit.ts';
import { adoptObjects, eraseUsers } from './erase.ts';
import { beginAnew, followChanges, listStored, mergeHours } from './follow.ts';
import { progressOf } from './progress.ts';

/** Files of a part: more of them are written by the next one. */
const mostPartitions = 500;

/** Parquet files in a bucket of any store that speaks S3, a file per type and day or hour. */
export const s3: Target<S3Settings> = {
  settings: S3Settings,
  secrets: ['secret_access_key'],
  place: ['endpoint', 'bucket', 'prefix', 'virtual_host'],
  hostsOf: (settings) => [hostOf(settings)],
  idleMs: ({ interval_seconds }, { idleMs }) => Math.min(idleMs, interval_seconds * 1000),
  part,
  erase: eraseUsers,
};

async function part(run: Run, settings: S3Settings): Promise<boolean> {
  if (await beginAnew(run, settings)) return true;
  if (await followChanges(run, settings)) return true;
  if (await listStored(run, settings)) return true;
  return writeDue(run, settings);
}

// Files are written once in an interval. Those of a backlog follow at once, without the ones that were just written.
async function writeDue(run: Run, settings: S3Settings): Promise<boolean> {
  const { database, destination, pace } = run;
  const { commit, committed_ms, has_backlog } = progressOf(destination);
  const intervalMs = settings.interval_seconds * 1000;
  const isDue = has_backlog || destination.snapshot !== null || pace.now() - committed_ms >= intervalMs;
  if (!isDue) return false;
  await mergeHours(run, settings);
  const found = await selectDirty(database, destination.id, settings.interval_seconds, mostPartitions + 1);
  const isFirst = commit === 0;
  if (found.length === 0 && !isFirst && destination.snapshot === null && !has_backlog) return false;
  await withBucket(run, settings, async (client) => {
    if (isFirst) await adoptObjects({ run, settings, client });
    const writing = { run, settings, client, commit: commit + 1 };
    await commitPartitions(writing, found.slice(0, mostPartitions), found.length > mostPartitions);
    await deleteUnused(writing, commit + 1 - keptCommits);
  });
  return true;
}
