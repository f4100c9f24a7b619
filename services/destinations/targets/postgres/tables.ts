import {
  type Column,
  type ColumnType,
  columnList,
  columnsOf,
  type RowKind,
  recordKinds,
} from '../../../../domain/destinations/columns.ts';
import type { PostgresTransaction } from './postgres-client.ts';
import type { PostgresSettings } from './postgres-settings.ts';

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
export function definitionsOf(kind: RowKind): string {
  return columnList(kind).map(define).join(', ');
}

/** The names of the columns of a kind, as a list. */
export function namesOf(kind: RowKind): string {
  return columnList(kind)
    .map(({ name }) => `"${name}"`)
    .join(', ');
}

/** The column that identifies a record. */
export function primaryKey(kind: RowKind): string {
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
