import {
  type Column,
  type ColumnType,
  columnList,
  columnsOf,
  type RecordKind,
  type RowKind,
  recordKinds,
} from '../../../../../domain/destinations/columns.ts';
import { databaseUrl } from '../../../../../mixins/database/database.ts';
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
  type UsersPage,
  withoutDeleted,
} from '../../copy.ts';
import type { Run } from '../target.ts';
import type { PostgresSettings, PostgresTransaction } from './client.ts';
import { type RowWriter, writeRows } from './copy-rows.ts';

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
