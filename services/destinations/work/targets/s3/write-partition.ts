import { randomUUID } from 'node:crypto';
import { columnsOf, isRecordKind, type RecordKind } from '../../../../../domain/destinations/columns.ts';
import { isSeriesType, type SeriesType } from '../../../../../domain/records/series.ts';
import { dayMs, hourMs } from '../../../../../domain/time/time.ts';
import { insertObjects, noteUpload } from '../../../tables/objects.ts';
import type { DirtyPartition, PlacedRecord, WrittenPartition } from '../../../tables/partitions.ts';
import { columnIndex, readRecords } from '../../../tables/records.ts';
import { readSamples } from '../../../tables/samples.ts';
import type { Snapshot } from '../../../tables/snapshot.ts';
import type { Run } from '../target.ts';
import type { S3Client, S3Settings } from './client.ts';
import { type ParquetFile, recordFile, sampleFile, type TakePart } from './parquet.ts';
import { keyOf } from './progress.ts';

/** What writes files within one commit. */
export interface Writing {
  readonly run: Run;
  readonly settings: S3Settings;
  readonly client: S3Client;
  readonly commit: number;
}

/** A written file, the users with rows in it, and the records in it that may move to another day. */
export interface Written extends WrittenPartition {
  readonly users: ReadonlySet<string>;
  readonly records: readonly PlacedRecord[];
}

/** Writes the rows that a partition has in a snapshot as a new file. Without rows there is none. */
export async function writePartition(
  writing: Writing,
  snapshot: Snapshot,
  partition: DirtyPartition,
): Promise<Written> {
  const { run, commit } = writing;
  const { type, date, hour } = partition;
  const { types } = run.destination;
  const name = `type=${type}/date=${date}/part-${nameOf(hour, commit)}.parquet`;
  const found = { users: new Set<string>(), records: [] as PlacedRecord[] };
  const upload = newUpload(writing, name);
  try {
    // A type that the destination does not have any more has no rows.
    const isWanted = types === null || types.some((one) => one === type);
    const file = isWanted ? await fill(writing, snapshot, partition, upload.take, found) : null;
    if (file === null) return { ...partition, ...found, file: null, rows: 0, bytes: 0 };
    await upload.finish(file.rest);
    return { ...partition, ...found, file: name, rows: file.rows, bytes: file.bytes };
  } catch (error) {
    await upload.abort();
    throw error;
  }
}

function nameOf(hour: number, commit: number): string {
  const place = hour === -1 ? 'day' : String(hour).padStart(2, '0');
  return `${place}-${String(commit).padStart(9, '0')}-${randomUUID().slice(0, 8)}`;
}

type Found = { readonly users: Set<string>; readonly records: PlacedRecord[] };
type Finished = Awaited<ReturnType<ParquetFile<never>['finish']>>;

function fill(
  writing: Writing,
  snapshot: Snapshot,
  { type, date, hour }: DirtyPartition,
  take: TakePart,
  found: Found,
): Promise<Finished> {
  if (isRecordKind(type)) return fillWithRecords(writing, snapshot, { kind: type, date }, take, found);
  return isSeriesType(type) ? fillWithSamples(writing, snapshot, { type, date, hour }, take, found) : none;
}

const none = Promise.resolve(null);

async function fillWithSamples(
  { run }: Writing,
  snapshot: Snapshot,
  { type, date, hour }: { readonly type: SeriesType; readonly date: string; readonly hour: number },
  take: TakePart,
  { users }: Found,
): Promise<Finished> {
  const { signal } = run.held;
  const file = sampleFile(take);
  const startMs = Date.parse(`${date}T00:00:00Z`) + (hour === -1 ? 0 : hour * hourMs);
  const [from, end] = [startMs * 1000, (startMs + (hour === -1 ? dayMs : hourMs)) * 1000];
  const query = { type, project: run.destination.project_id, users: null, from, end };
  await readSamples(
    snapshot,
    query,
    async (batch) => {
      signal.throwIfAborted();
      const seen = new Uint8Array(batch.sources.length);
      for (const index of batch.series) seen[index] = 1;
      for (const [index, { user_id }] of batch.sources.entries()) if (seen[index] === 1) users.add(user_id);
      await file.add(batch);
    },
    run.shownAs,
  );
  return file.finish();
}

async function fillWithRecords(
  { run }: Writing,
  snapshot: Snapshot,
  { kind, date }: { readonly kind: RecordKind; readonly date: string },
  take: TakePart,
  { users, records }: Found,
): Promise<Finished> {
  const file = recordFile(kind, take);
  const project = run.destination.project_id;
  const query = { kind, project, users: null, ids: null, dates: [date] };
  const userIndex = columnIndex(kind, 'user_id');
  const idIndex = columnsOf[kind].findIndex(({ name }) => name === 'id');
  await readRecords(
    snapshot,
    query,
    async (batch) => {
      for (const { values } of batch) {
        const user_id = String(values[userIndex]);
        users.add(user_id);
        if (idIndex !== -1) records.push({ id: String(values[idIndex]), user_id, type: kind, date });
      }
      await file.add(batch);
    },
    run.shownAs,
  );
  return file.finish();
}

// An object up to 8 MiB is written at once, a larger one in parts.
function newUpload({ run, settings, client, commit }: Writing, name: string) {
  const { database, destination } = run;
  const key = keyOf(settings, name);
  const tags: string[] = [];
  let uploadId: string | null = null;
  const named = () => insertObjects(database, destination.id, commit, [name]);
  const take = async (bytes: Uint8Array) => {
    if (uploadId === null) {
      await named();
      uploadId = await client.begin(key);
      await noteUpload(database, destination.id, name, uploadId);
    }
    tags.push(await client.putPart(key, uploadId, tags.length + 1, bytes));
  };
  return {
    take,
    async finish(rest: Uint8Array) {
      if (uploadId === null) {
        await named();
        await client.put(key, rest);
        return;
      }
      await take(rest);
      await client.complete(key, uploadId, tags);
      await noteUpload(database, destination.id, name, null);
    },
    async abort() {
      // If this fails too, the upload is aborted with the deletion of its name.
      if (uploadId !== null) await client.abort(key, uploadId).catch(() => undefined);
    },
  };
}
