import {
  type Column,
  type ColumnType,
  type ColumnValue,
  columnList,
  columnsOf,
  type RecordKind,
  type RowKind,
  recordKinds,
} from '../../../../../domain/destinations/columns.ts';
import type { SeriesType } from '../../../../../domain/records/series.ts';
import { dayMs } from '../../../../../domain/time/time.ts';
import { databaseUrl } from '../../../../../mixins/database/database.ts';
import type { SampleBatch } from '../../../tables/samples.ts';
import { type Snapshot, withSnapshot } from '../../../tables/snapshot.ts';
import {
  keyColumn,
  type Plan,
  type ReplacedKey,
  type ReplacedSpan,
  readKeys,
  readRecordsOf,
  readSamplesOf,
  readSpans,
  shownSource,
  type TakeRecords,
  type TakeSamples,
  type UsersPage,
  withoutDeleted,
} from '../../copy.ts';
import type { Run } from '../target.ts';
import type { PostgresSettings, PostgresTransaction, Write } from './client.ts';

/*
 * Rows go into a temporary table first. The tables of the destination change in one statement each, and rows are converted to the types
 * that their columns have there.
 */

const staged = (kind: RowKind) => `pg_temp."staged_${kind}"`;
const instant = (us: string) => `timestamptz '1970-01-01 00:00:00+00' + ${us} * interval '1 microsecond'`;

/** Replaces what a plan names. Returns the number of rows. */
export function writePlan(
  run: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  plan: Plan,
): Promise<number> {
  return reading(run, async (snapshot) => {
    const { spans, keys } = await withoutDeleted(snapshot, run, plan);
    let rows = 0;
    if (spans.length > 0) {
      rows += await stage(transaction, 'sample', ({ samples }) => readSpans(run, snapshot, spans, samples));
      await deleteSpans(run, transaction, settings, spans);
      await insertStaged(transaction, settings, 'sample');
    }
    for (const kind of recordKinds) {
      const own = keys.filter((one) => one.kind === kind);
      if (own.length === 0) continue;
      rows += await stage(transaction, kind, ({ records }) => readKeys(run, snapshot, kind, own, records));
      await deleteKeys(transaction, settings, kind, own);
      await insertStaged(transaction, settings, kind);
    }
    return rows;
  });
}

/** Replaces all rows of the users of a page, and of users between them that are not there any more. Returns the number of rows. */
export function writeUsers(
  run: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  { after, users, last }: UsersPage,
): Promise<number> {
  return reading(run, async (snapshot) => {
    let rows = 0;
    for (const kind of rowKinds) {
      await transaction.query(
        `delete from ${tableIn(settings, kind)} where ($1::uuid is null or user_id > $1) and ($2::uuid is null or user_id <= $2)`,
        [after, last],
      );
      rows += await stage(transaction, kind, (writer) =>
        kind === 'sample'
          ? readSamplesOf(run, snapshot, users, writer.samples)
          : readRecordsOf(run, snapshot, kind, users, writer.records),
      );
      await insertStaged(transaction, settings, kind);
    }
    return rows;
  });
}

function reading<T>({ config, held }: Run, work: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  return withSnapshot(databaseUrl({ config }), held.signal, work);
}

async function stage(
  transaction: PostgresTransaction,
  kind: RowKind,
  send: (writer: RowWriter) => Promise<void>,
): Promise<number> {
  await transaction.query(`create temporary table "staged_${kind}" (${definitionsOf(kind)}) on commit drop`);
  let rows = 0;
  await transaction.copy(`copy ${staged(kind)} from stdin (format binary)`, async (write) => {
    rows = await writeRows(write, send);
  });
  return rows;
}

async function insertStaged(
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  kind: RowKind,
): Promise<void> {
  const names = namesOf(kind);
  const columns = columnList(kind).map(({ name }) => name);
  const updated = columns.map((name) => `"${name}" = excluded."${name}"`).join(', ');
  const upsert = kind === 'sample' ? '' : `on conflict ("${primaryKey(kind)}") do update set ${updated}`;
  await transaction.query(
    `insert into ${tableIn(settings, kind)} (${names}) select ${names} from ${staged(kind)} ${upsert}`,
  );
}

async function deleteSpans(
  { shownAs }: Run,
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  spans: readonly ReplacedSpan[],
): Promise<void> {
  const sources = spans.map((span) => shownSource(span, shownAs));
  await transaction.query(
    `delete from ${tableIn(settings, 'sample')} t
     using unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::text[], $6::float8[], $7::float8[])
       r (user_id, type, provider, device, recording_method, first, last)
     where t.user_id = r.user_id and t.type = r.type and t.provider = r.provider and t.device = r.device
       and t.recording_method is not distinct from r.recording_method
       and t.time >= coalesce(${instant('r.first')}, '-infinity') and t.time <= coalesce(${instant('r.last')}, 'infinity')`,
    [
      spans.map(({ user_id }) => user_id),
      spans.map(({ type }) => type),
      sources.map(({ provider }) => provider),
      sources.map(({ device }) => device),
      sources.map(({ recording_method }) => recording_method),
      spans.map(({ first }) => first),
      spans.map(({ last }) => last),
    ],
  );
}

// Records that are not there any more, or not among those of a replaced day.
async function deleteKeys(
  transaction: PostgresTransaction,
  settings: PostgresSettings,
  kind: RecordKind,
  keys: readonly ReplacedKey[],
): Promise<void> {
  const id = primaryKey(kind);
  await transaction.query(
    `delete from ${tableIn(settings, kind)} t using unnest($1::uuid[], $2::text[]) k (user_id, key)
     where t.user_id = k.user_id and t."${keyColumn(kind)}" = k.key::${kind === 'day' ? 'date' : 'uuid'}
       and not exists (select from ${staged(kind)} s where s."${id}" = t."${id}")`,
    [keys.map(({ user_id }) => user_id), keys.map(({ key }) => key)],
  );
}

/** The tables of rows. */
export const rowKinds: readonly RowKind[] = ['sample', ...recordKinds];

const types: Readonly<Record<ColumnType, string>> = {
  uuid: 'uuid',
  text: 'text',
  timestamp: 'timestamptz',
  date: 'date',
  double: 'double precision',
  int: 'integer',
  boolean: 'boolean',
  json: 'jsonb',
};

const define = ({ name, type, nullable }: Column) => `"${name}" ${types[type]}${nullable ? '' : ' not null'}`;

/** The definitions of the columns of a kind. */
function definitionsOf(kind: RowKind): string {
  return columnList(kind).map(define).join(', ');
}

/** The names of the columns of a kind, as a list. */
function namesOf(kind: RowKind): string {
  return columnList(kind)
    .map(({ name }) => `"${name}"`)
    .join(', ');
}

/** The column that identifies a record. */
function primaryKey(kind: RowKind): string {
  return columnsOf[kind].some(({ name }) => name === 'id') ? 'id' : 'user_id';
}

/** The name of a table in the schema of the settings. */
export function tableIn({ schema }: Pick<PostgresSettings, 'schema'>, name: string): string {
  return `"${schema}"."${name}"`;
}

// Samples of a source may have the same time, so that no column of theirs identifies one.
function tableOf(settings: PostgresSettings, kind: RowKind): string[] {
  const table = tableIn(settings, kind);
  if (kind === 'sample')
    return [
      `create table if not exists ${table} (row_id bigint generated always as identity primary key, ${definitionsOf(kind)})`,
      `create index if not exists sample_of_user on ${table} (user_id, type, time)`,
    ];
  const indexed =
    primaryKey(kind) === 'id' ? [`create index if not exists ${kind}_of_user on ${table} (user_id)`] : [];
  return [
    `create table if not exists ${table} (${definitionsOf(kind)}, primary key ("${primaryKey(kind)}"))`,
    ...indexed,
  ];
}

/** Makes the tables that are missing. */
export async function makeTables(
  transaction: PostgresTransaction,
  settings: PostgresSettings,
): Promise<void> {
  const { schema } = settings;
  const found = await transaction.query('select from pg_catalog.pg_namespace where nspname = $1', [schema]);
  if (found.length === 0) await transaction.query(`create schema "${schema}"`);
  const position = `create table if not exists ${tableIn(settings, 'destination_position')} (
    destination_id uuid primary key, version bigint not null, position bigint not null, snapshot jsonb,
    committed_at timestamptz not null)`;
  for (const text of [...rowKinds.flatMap((kind) => tableOf(settings, kind)), position])
    await transaction.query(text);
}

/*
 * Rows in PostgreSQL's binary form. PostgreSQL counts from 2000, columns count from 1970.
 */

const header = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const trailer = Buffer.from([0xff, 0xff]);
const epochUs = 946_684_800_000_000n;
const epochDays = 10_957;
const bytesPerWrite = 64 * 1024;

type Encode = (value: ColumnValue) => Buffer;

function int(value: ColumnValue): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeInt32BE(Number(value));
  return bytes;
}

const text: Encode = (value) => Buffer.from(String(value));

const encoders: Readonly<Record<ColumnType, Encode>> = {
  int,
  text,
  uuid: (value) => Buffer.from(String(value).replaceAll('-', ''), 'hex'),
  json: (value) => Buffer.concat([Buffer.from([1]), text(value)]),
  boolean: (value) => Buffer.from([value === true ? 1 : 0]),
  date: (value) => int(Date.parse(`${value}T00:00:00Z`) / dayMs - epochDays),
  timestamp(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeBigInt64BE(BigInt(Number(value)) - epochUs);
    return bytes;
  },
  double(value) {
    const bytes = Buffer.allocUnsafe(8);
    bytes.writeDoubleBE(Number(value));
    return bytes;
  },
};

const absent = int(-1);

function field(type: ColumnType, value: ColumnValue): Buffer[] {
  if (value === null) return [absent];
  const bytes = encoders[type](value);
  return [int(bytes.length), bytes];
}

function countOf(fields: number): Buffer {
  const bytes = Buffer.allocUnsafe(2);
  bytes.writeInt16BE(fields);
  return bytes;
}

/** Sends rows, and returns their number. */
interface RowWriter {
  readonly records: TakeRecords;
  readonly samples: TakeSamples;
}

/** Writes rows in the binary form, between a header and a trailer. */
async function writeRows(write: Write, send: (writer: RowWriter) => Promise<void>): Promise<number> {
  let waiting: Buffer[] = [header];
  let [bytes, rows] = [0, 0];
  const flush = async () => {
    const all = Buffer.concat(waiting);
    [waiting, bytes] = [[], 0];
    await write(all);
  };
  const add = async (row: Buffer) => {
    waiting.push(row);
    bytes += row.length;
    rows += 1;
    if (bytes >= bytesPerWrite) await flush();
  };
  await send({
    async records(records, kind) {
      const types = columnList(kind).map(({ type }) => type);
      const count = countOf(types.length);
      for (const { values } of records)
        await add(
          Buffer.concat([count, ...types.flatMap((type, index) => field(type, values[index] ?? null))]),
        );
    },
    async samples(batch, type) {
      for (const part of encodeSamples(batch, type)) {
        waiting.push(part);
        await flush();
      }
      rows += batch.rows;
    },
  });
  waiting.push(trailer);
  await flush();
  return rows;
}

const sampleColumns = 9;
/** Bytes of the columns from `time` on, with the lengths before each. */
const numbersBytes = 12 + 8 + 12 + 8;

/** The columns in their order: those of the source are the same bytes for all its rows. */
function* encodeSamples(batch: SampleBatch, type: SeriesType): Generator<Buffer> {
  const sources = batch.sources.map(({ user_id, provider, device, recording_method }) =>
    Buffer.concat([
      countOf(sampleColumns),
      ...field('uuid', user_id),
      ...[provider, device, type, recording_method].flatMap((value) => field('text', value)),
    ]),
  );
  const widest = Math.max(...sources.map(({ length }) => length)) + numbersBytes;
  const perPart = Math.max(1, Math.floor((4 * bytesPerWrite) / widest));
  for (let first = 0; first < batch.rows; first += perPart) {
    const rows = Math.min(perPart, batch.rows - first);
    const bytes = Buffer.allocUnsafe(rows * widest);
    let at = 0;
    for (let n = first; n < first + rows; n += 1) {
      const source = sources[batch.series[n] ?? 0] ?? absent;
      at += source.copy(bytes, at);
      at = writeNumbers(bytes, at, batch, n);
    }
    yield bytes.subarray(0, at);
  }
}

function writeNumbers(bytes: Buffer, start: number, batch: SampleBatch, n: number): number {
  let at = bytes.writeInt32BE(8, start);
  at = bytes.writeBigInt64BE(BigInt(batch.time[n] ?? 0) - epochUs, at);
  if (batch.duration === null) at = bytes.writeInt32BE(-1, at);
  else at = bytes.writeInt32BE(batch.duration[n] ?? 0, bytes.writeInt32BE(4, at));
  at = bytes.writeDoubleBE(batch.value[n] ?? 0, bytes.writeInt32BE(8, at));
  return bytes.writeInt32BE(batch.zone[n] ?? 0, bytes.writeInt32BE(4, at));
}
