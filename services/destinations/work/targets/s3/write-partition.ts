import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import {
  type Column,
  type ColumnType,
  type ColumnValue,
  columnList,
  columnsOf,
  isRecordKind,
  type RecordKind,
} from '../../../../../domain/destinations/columns.ts';
import { isSeriesType, type SeriesType } from '../../../../../domain/records/series.ts';
import { dayMs, hourMs } from '../../../../../domain/time/time.ts';
import { insertObjects, noteUpload } from '../../../tables/objects.ts';
import type { DirtyPartition, PlacedRecord, WrittenPartition } from '../../../tables/partitions.ts';
import { columnIndex, type ReadRecord, readRecords } from '../../../tables/records.ts';
import { readSamples, rowsPerBatch, type SampleBatch, type SeriesSource } from '../../../tables/samples.ts';
import type { Snapshot } from '../../../tables/snapshot.ts';
import type { Run } from '../target.ts';
import type { S3Client, S3Settings } from './client.ts';
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

/*
 * Parquet files of one kind of rows. Users and sources repeat for many rows, times rise: dictionaries and differences make both small
 * (docs/decisions/0065-destinations.md).
 */

type Schema = ConstructorParameters<typeof ParquetWriter>[0]['schema'];
type Element = Schema[number];
type Encoding = NonNullable<ColumnSource['encoding']>;

/**
 * Rows of a row group: the part of a file that is in memory. Arrays of more than 128 KiB are large objects to V8, which are freed late:
 * groups of 65,536 rows took 390 MB (PERFORMANCE.md, Destinations).
 */
const rowsPerGroup = 4 * rowsPerBatch;
/** Bytes after which a part is handed on. Stores take parts of at least 5 MiB. */
const bytesPerPart = 8 * 1024 * 1024;

/** Takes the bytes of a file, part by part. */
type TakePart = (bytes: Uint8Array) => Promise<void>;

class PartWriter extends ByteWriter {
  readonly #take: TakePart;

  constructor(take: TakePart) {
    super(1024 * 1024);
    this.#take = take;
  }

  /** Called after each row group. */
  async flush(): Promise<void> {
    if (this.index < bytesPerPart) return;
    const part = this.getBytes().slice();
    this.index = 0;
    await this.#take(part);
  }
}

/** A file that is being written. */
interface ParquetFile<B> {
  add(batch: B): Promise<void>;
  /** Returns the bytes that were not handed on as a part, or null for a file without rows. */
  finish(): Promise<{ readonly rows: number; readonly bytes: number; readonly rest: Uint8Array } | null>;
}

const forms: Readonly<Record<ColumnType, Partial<Element>>> = {
  uuid: { type: 'FIXED_LEN_BYTE_ARRAY', type_length: 16, logical_type: { type: 'UUID' } },
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  timestamp: { type: 'INT64', converted_type: 'TIMESTAMP_MICROS' },
  date: { type: 'INT32', converted_type: 'DATE' },
  double: { type: 'DOUBLE' },
  int: { type: 'INT32' },
  boolean: { type: 'BOOLEAN' },
};

function newFile(columns: readonly Column[], take: TakePart) {
  const elements = columns.map(({ name, type, nullable }) => ({
    name,
    ...forms[type],
    repetition_type: nullable ? ('OPTIONAL' as const) : ('REQUIRED' as const),
  }));
  const writer = new PartWriter(take);
  const parquet = new ParquetWriter({
    writer,
    schema: [{ name: 'root', num_children: columns.length }, ...elements],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
    createdBy: 'pulsebus',
  });
  return { writer, parquet };
}

async function finished(
  { writer, parquet }: ReturnType<typeof newFile>,
  rows: number,
): Promise<Awaited<ReturnType<ParquetFile<never>['finish']>>> {
  if (rows === 0) return null;
  await parquet.finish();
  return { rows, bytes: writer.offset, rest: writer.getBytes() };
}

/** A file of records. */
function recordFile(kind: RecordKind, take: TakePart): ParquetFile<readonly ReadRecord[]> {
  const columns = columnList(kind);
  const file = newFile(columns, take);
  let waiting: ReadRecord[] = [];
  let rows = 0;
  const write = async () => {
    const columnData = columns.map(({ name, type }, index) => ({
      name,
      data: waiting.map(({ values }) => physical(type, values[index] ?? null)),
    }));
    rows += waiting.length;
    waiting = [];
    await file.parquet.write({ columnData, rowGroupSize: rowsPerGroup });
  };
  return {
    async add(records) {
      waiting.push(...records);
      if (waiting.length >= rowsPerGroup / 4) await write();
    },
    async finish() {
      if (waiting.length > 0) await write();
      return finished(file, rows);
    },
  };
}

function physical(type: ColumnType, value: ColumnValue): unknown {
  if (value === null) return null;
  if (type === 'date') return Date.parse(`${value}T00:00:00Z`) / dayMs;
  return type === 'uuid' ? bytesOfUuid(String(value)) : value;
}

function bytesOfUuid(id: string): Uint8Array {
  return Buffer.from(id.replaceAll('-', ''), 'hex');
}

const sampleColumns = columnList('sample').filter(({ name }) => name !== 'type');
const delta: Encoding = 'DELTA_BINARY_PACKED';

/** A file of samples of one type, which its path names. */
export function sampleFile(take: TakePart): ParquetFile<SampleBatch> {
  const file = newFile(sampleColumns, take);
  let waiting: SampleBatch[] = [];
  let [rows, held] = [0, 0];
  const write = async () => {
    const columnData = columnsOfSamples(waiting, held);
    rows += held;
    [waiting, held] = [[], 0];
    await file.parquet.write({ columnData, rowGroupSize: rowsPerGroup });
  };
  return {
    async add(batch) {
      if (held + batch.rows > rowsPerGroup) await write();
      waiting.push(batch);
      held += batch.rows;
    },
    async finish() {
      if (held > 0) await write();
      return finished(file, rows);
    },
  };
}

function columnsOfSamples(batches: readonly SampleBatch[], rows: number): ColumnSource[] {
  const time = new Array<bigint>(rows);
  const value = new Float64Array(rows);
  const zone = new Int32Array(rows);
  const duration = new Array<number | null>(rows);
  let at = 0;
  for (const batch of batches) {
    value.set(batch.value, at);
    zone.set(batch.zone, at);
    for (let n = 0; n < batch.rows; n += 1) {
      time[at + n] = BigInt(batch.time[n] ?? 0);
      duration[at + n] = batch.duration?.[n] ?? null;
    }
    at += batch.rows;
  }
  return [
    { name: 'user_id', data: ofSources(batches, rows, ({ user_id }) => bytesOfUuid(user_id)) },
    { name: 'provider', data: ofSources(batches, rows, ({ provider }) => provider) },
    { name: 'device', data: ofSources(batches, rows, ({ device }) => device) },
    { name: 'recording_method', data: ofSources(batches, rows, (one) => one.recording_method) },
    { name: 'time', data: time, encoding: delta },
    { name: 'duration_ms', data: duration },
    { name: 'value', data: value },
    { name: 'zone_offset_minutes', data: zone },
  ];
}

function ofSources<T>(batches: readonly SampleBatch[], rows: number, pick: (one: SeriesSource) => T): T[] {
  const data = new Array<T>(rows);
  let at = 0;
  for (const { rows: own, series, sources } of batches) {
    const values = sources.map(pick);
    for (let n = 0; n < own; n += 1) {
      const found = values[series[n] ?? 0];
      if (found !== undefined) data[at + n] = found;
    }
    at += own;
  }
  return data;
}
