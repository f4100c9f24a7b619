import { seriesCatalogue, seriesOf } from '../../../../../domain/records/series.ts';
import { readChanges } from '../../../tables/changes.ts';
import { advance } from '../../../tables/destinations.ts';
import { enumeratePart, forgetFiles, markAll, markChanged, markMerged } from '../../../tables/partitions.ts';
import type { Run } from '../target.ts';
import type { S3Settings } from './client.ts';
import { currentPosition } from './commit.ts';
import { hourlyDays, Listing, Progress, placeOf, progressOf } from './progress.ts';

/** Begins anew where another place or a reset says so. Returns whether it did. */
export async function beginAnew({ destination, database }: Run, settings: S3Settings): Promise<boolean> {
  const progress = progressOf(destination);
  const place = placeOf(settings);
  if (progress.place === place && !progress.reset) return false;
  await database.transaction(async (transaction) => {
    const { position, snapshot } = destination;
    const isElsewhere = progress.place !== place;
    const commit = isElsewhere ? 0 : progress.commit;
    const next = Progress.parse({ place, commit, followed: position });
    await advance(transaction, destination, { position, snapshot, progress: next, rows: 0 });
    if (isElsewhere) await forgetFiles(transaction, destination.id);
    else await markAll(transaction, destination.id, position);
  });
  return true;
}

/** Marks the files that the next changes concern. Returns whether more changes follow. */
export async function followChanges(run: Run, settings: S3Settings): Promise<boolean> {
  const { destination, database, pace } = run;
  const progress = progressOf(destination);
  const { project_id, types, id } = destination;
  const part = await readChanges(database, project_id, types, {
    after: progress.followed,
    limit: pace.changes,
  });
  if (part.position === progress.followed && !part.isExpired) return false;
  const hourly = hourlyDays(settings, pace.now());
  await database.transaction(async (transaction) => {
    await markChanged(transaction, id, part.changes, hourly, ({ type }) => seriesOf(type).id);
    // Changes that are not kept any more may concern any file.
    if (part.isExpired) await markAll(transaction, id, part.position);
    const next = { ...run, database: { ...database, query: transaction.query } };
    await advance(transaction, destination, {
      position: await currentPosition({ run: next }, part.position),
      snapshot: part.isExpired ? {} : destination.snapshot,
      progress: { ...progress, followed: part.position },
      rows: 0,
    });
  });
  return part.hasMore;
}

/** Lists a part of what is stored. Returns whether more is to be listed. */
export async function listStored(
  { destination, database, pace }: Run,
  settings: S3Settings,
): Promise<boolean> {
  if (destination.snapshot === null) return false;
  const listing = Listing.parse(destination.snapshot);
  if (listing.listed) return false;
  const { id: destinationId, project_id: project, types, position } = destination;
  const progress = progressOf(destination);
  const listed = { destinationId, project, types, changeId: progress.followed };
  const seriesTypes = seriesCatalogue.map(({ id, type }) => ({ id, type }));
  await database.transaction(async (transaction) => {
    const hourly = hourlyDays(settings, pace.now());
    const after = await enumeratePart(transaction, { ...listed, hourly, seriesTypes }, listing.after);
    const snapshot = { after, listed: after === null };
    await advance(transaction, destination, { position, snapshot, progress, rows: 0 });
  });
  return true;
}

/** Has the hours of earlier days become one file. */
export async function mergeHours({ destination, database, pace }: Run, settings: S3Settings): Promise<void> {
  const hourly = hourlyDays(settings, pace.now());
  await markMerged(database, destination.id, hourly, progressOf(destination).followed);
}
