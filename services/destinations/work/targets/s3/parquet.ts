import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import {
  type Column,
  type ColumnType,
  type ColumnValue,
  columnList,
  type RecordKind,
} from '../../../../../domain/destinations/columns.ts';
import { dayMs } from '../../../../../domain/time/time.ts';
import type { ReadRecord } from '../../../tables/records.ts';
import { rowsPerBatch, type SampleBatch, type SeriesSource } from '../../../tables/samples.ts';

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
export type TakePart = (bytes: Uint8Array) => Promise<void>;

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
export interface ParquetFile<B> {
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
export function recordFile(kind: RecordKind, take: TakePart): ParquetFile<readonly ReadRecord[]> {
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
