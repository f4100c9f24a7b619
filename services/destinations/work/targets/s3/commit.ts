import { TargetError } from '../../../../../domain/destinations/target-errors.ts';
import { databaseUrl } from '../../../../../mixins/database/database.ts';
import { advance } from '../../../tables/destinations.ts';
import { deleteObjects, insertObjects, selectUnused } from '../../../tables/objects.ts';
import {
  type DirtyPartition,
  type ListedFile,
  selectFiles,
  selectFirstUnwritten,
  storeRecords,
  storeSpans,
  storeWritten,
} from '../../../tables/partitions.ts';
import { withSnapshot } from '../../../tables/snapshot.ts';
import { keyOf, Listing, progressOf } from './progress.ts';
import { type Writing, type Written, writePartition } from './write-partition.ts';

/** Manifests that are kept, and the files that they name: a reader that opened one of them has that many commits time. */
export const keptCommits = 12;

/** The result of a commit. */
interface Committed {
  readonly partitions: number;
  readonly rows: number;
}

/**
 * Writes files, then the manifest that names them, then deletes what no kept manifest names. A reader that follows `manifest.json`
 * sees whole commits only. What was written before a process ended is unused, and deleted by a later commit.
 */
export async function commitPartitions(
  writing: Writing,
  partitions: readonly DirtyPartition[],
  hasBacklog: boolean,
): Promise<Committed> {
  const { run, commit } = writing;
  const { destination, database, pace } = run;
  const written = await writeFiles(writing, partitions);
  const isComplete = written.length === partitions.length && !hasBacklog;
  const progress = progressOf(destination);
  const rows = written.reduce((sum, one) => sum + one.rows, 0);
  const position = await positionAfter(writing, written);
  const manifest = await writeManifest(writing, written, position);
  await database.transaction(async (transaction) => {
    // First, so that a process that lost its lease changes nothing.
    await advance(transaction, destination, {
      position,
      snapshot: isComplete && Listing.parse(destination.snapshot ?? {}).listed ? null : destination.snapshot,
      progress: { ...progress, commit, committed_ms: pace.now(), has_backlog: !isComplete },
      rows,
    });
    await storeWritten(transaction, destination.id, commit, written);
    await transaction.query(
      `update destinations.object set unused_since = case when name = $3 then null else $2::bigint end
       where destination_id = $1 and starts_with(name, 'manifests/') and (unused_since is null or name = $3)`,
      [destination.id, commit, manifest],
    );
    await storeSpans(transaction, destination.id, written.flatMap(usersOf));
    await storeRecords(
      transaction,
      destination.id,
      written,
      written.flatMap((one) => one.records),
    );
  });
  return { partitions: written.length, rows };
}

const usersOf = ({ users, type, date }: Written) => [...users].map((user) => [user, type, date] as const);

// At least one file, then as many as have the rows of a commit together. All of them are of one moment.
function writeFiles(writing: Writing, partitions: readonly DirtyPartition[]): Promise<Written[]> {
  const { config, held, pace } = writing.run;
  return withSnapshot(databaseUrl({ config }), held.signal, async (snapshot) => {
    const written: Written[] = [];
    let rows = 0;
    for (const partition of partitions) {
      if (held.signal.aborted) throw new TargetError('stopped');
      const one = await writePartition(writing, snapshot, partition);
      written.push(one);
      rows += one.rows;
      if (rows >= pace.rowsPerCommit) break;
    }
    return written;
  });
}

// All changes before the first one whose file is not written.
async function positionAfter({ run }: Writing, written: readonly Written[]): Promise<string> {
  const { database, destination } = run;
  const [row] = await database.query<{ id: string | null }>(
    `select min(dirty_at)::text as id from destinations.partition p
     where destination_id = $1 and dirty_at is not null and not exists (
       select from unnest($2::text[], $3::date[], $4::smallint[]) w (type, date, hour)
       where w.type = p.type and w.date = p.date and (w.hour = p.hour or w.hour = -1))`,
    [
      destination.id,
      written.map(({ type }) => type),
      written.map(({ date }) => date),
      written.map(({ hour }) => hour),
    ],
  );
  return positionBefore(row?.id ?? null, progressOf(destination).followed, destination.position);
}

/** The position that follows from the first change that is not written. It never goes back. */
function positionBefore(firstUnwritten: string | null, followed: string, former: string): string {
  const position = firstUnwritten === null ? BigInt(followed) : BigInt(firstUnwritten) - 1n;
  return String(position > BigInt(former) ? position : former);
}

/** The position of a destination whose files are as they are. */
export async function currentPosition({ run }: Pick<Writing, 'run'>, followed: string): Promise<string> {
  const { database, destination } = run;
  return positionBefore(await selectFirstUnwritten(database, destination.id), followed, destination.position);
}

async function writeManifest(
  { run, settings, client, commit }: Writing,
  written: readonly Written[],
  sequence: string,
): Promise<string> {
  const { database, destination, held, pace } = run;
  const isReplaced = (file: ListedFile) =>
    written.some(
      ({ type, date, hour }) =>
        type === file.type && date === file.date && (hour === file.hour || hour === -1),
    );
  const kept = (await selectFiles(database, destination.id)).filter((file) => !isReplaced(file));
  const added = written.flatMap(({ file, ...one }) => (file === null ? [] : [{ ...one, file }]));
  const files = [...kept, ...added].map(({ file: path, type, date, hour, rows, bytes }) => ({
    path,
    type,
    date,
    hour: hour === -1 ? null : hour,
    rows,
    bytes,
  }));
  const manifest = {
    version: 1,
    destination_id: destination.id,
    commit,
    sequence,
    committed_at: new Date(pace.now()).toISOString(),
    rows: files.reduce((n, one) => n + one.rows, 0),
    files,
  };
  const name = `manifests/${String(commit).padStart(9, '0')}.json`;
  const body = Buffer.from(JSON.stringify(manifest));
  await insertObjects(database, destination.id, commit, [name]);
  // A process that lost its lease must not replace a later manifest.
  if (!(await held.holds())) throw new TargetError('stopped');
  await client.put(keyOf(settings, name), body);
  await client.put(keyOf(settings, 'manifest.json'), body);
  return name;
}

const objectsPerPart = 500;

/** Deletes the objects that are unused since a commit. Returns their number. */
export async function deleteUnused(writing: Omit<Writing, 'commit'>, since: number): Promise<number> {
  const { run, settings, client } = writing;
  const { database, destination } = run;
  for (let deleted = 0; ; ) {
    const unused = await selectUnused(database, destination.id, since, objectsPerPart);
    if (unused.length === 0) return deleted;
    for (const { name, upload_id } of unused) {
      if (upload_id !== null) await client.abort(keyOf(settings, name), upload_id);
      await client.remove(keyOf(settings, name));
    }
    await deleteObjects(
      database,
      destination.id,
      unused.map(({ name }) => name),
    );
    deleted += unused.length;
  }
}
