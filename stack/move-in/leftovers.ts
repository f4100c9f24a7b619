import type { Ledger } from './ledger.ts';
import type { Reader, Source } from './source.ts';
import { isRead, reportedTables, type SourceTable } from './source-tables.ts';

// Rows that no user's turn reads: those of users who were not moved, rows that belong to nothing, and tables that have no place here.

/** Tables whose content is the software's own. */
const withoutData: ReadonlySet<string> = new Set(['alembic_version', 'series_type_definition']);

/** Counts what is left of tables without a place here. */
export async function countReported({ columns }: Source, reader: Reader, ledger: Ledger): Promise<void> {
  for (const [table, present] of columns) {
    const reason = Object.entries(reportedTables).find(([name]) => name === table)?.[1];
    if (withoutData.has(table) || (reason === undefined && isRead(table))) continue;
    const rows = await countOf(reader, `select count(*) as n from "${table.replaceAll('"', '""')}"`);
    ledger.read(table, rows);
    ledger.left({ table, reason: reason ?? 'its table has no place here', count: rows });
    if (table === 'developer' && present.has('email') && rows > 0) await nameDevelopers(reader, ledger);
  }
}

// Each developer is named, so that the operator can invite them.
async function nameDevelopers(reader: Reader, ledger: Ledger): Promise<void> {
  const rows = await reader.rows<{ id: string }>(
    'select id::text as id from developer order by id limit 1000',
  );
  for (const { id } of rows) ledger.changed({ table: 'developer', id, reason: 'to be invited anew' });
}

async function countOf(reader: Reader, statement: string, values: readonly unknown[] = []): Promise<number> {
  const [row] = await reader.rows<{ n: string }>(statement, values);
  return Number(row?.n ?? 0);
}

/** Counts the rows of health data that belong to users who were not moved, and those that belong to no user. */
export async function countOrphans(
  source: Source,
  reader: Reader,
  ledger: Ledger,
  { movedUsers, since }: { readonly movedUsers: readonly string[]; readonly since: Date | null },
): Promise<void> {
  const sources = await reader.rows<{ id: string; user_id: string }>(
    'select id, user_id from data_source where not (user_id = any($1)) order by id',
    [movedUsers],
  );
  for (const { id, user_id } of sources) {
    ledger.read('data_source');
    ledger.left({ table: 'data_source', id, user_id, reason: 'its user was not moved' });
    for (const [table, { time }] of Object.entries(ofSources)) {
      if (!source.columns.has(table)) continue;
      const values = since === null ? [id] : [id, since];
      const inSpan = since === null ? '' : ` and ${time(source)} >= $2`;
      const rows = await countOf(
        reader,
        `select count(*) as n from ${table} where data_source_id = $1${inSpan}`,
        values,
      );
      ledger.read(table, rows);
      ledger.left({ table, id, user_id, reason: 'its user was not moved', count: rows });
    }
  }
  for (const { table, parent, column } of references) {
    if (!source.columns.has(table) || (await hasForeignKey(reader, table, parent))) continue;
    const rows = await countOf(
      reader,
      `select count(*) as n from ${table} c where not exists (select from ${parent} p where p.id = c.${column})`,
    );
    ledger.read(table, rows);
    ledger.left({ table, reason: 'it belongs to nothing', count: rows });
  }
}

interface OfSource {
  /** The column by which `--since` decides. */
  readonly time: (source: Source) => string;
}

const ofSources: Readonly<Partial<Record<SourceTable, OfSource>>> = {
  data_point_series: { time: () => 'recorded_at' },
  data_point_series_archive: { time: archiveTime },
  event_record: { time: () => 'end_datetime' },
};

/** The column with the day of a row of the archive, which was a date once. */
export function archiveTime({ columns }: Pick<Source, 'columns'>): string {
  return columns.get('data_point_series_archive')?.has('bucket_start_at') === true
    ? 'bucket_start_at'
    : 'date';
}

const references: readonly {
  readonly table: SourceTable;
  readonly parent: string;
  readonly column: string;
}[] = [
  { table: 'data_point_series', parent: 'data_source', column: 'data_source_id' },
  { table: 'data_point_series_archive', parent: 'data_source', column: 'data_source_id' },
  { table: 'event_record', parent: 'data_source', column: 'data_source_id' },
  { table: 'workout_details', parent: 'event_record', column: 'record_id' },
  { table: 'sleep_details', parent: 'event_record', column: 'record_id' },
  { table: 'menstrual_cycle_details', parent: 'event_record', column: 'record_id' },
];

async function hasForeignKey(reader: Reader, table: string, parent: string): Promise<boolean> {
  const rows = await reader.rows(
    `select from pg_constraint where contype = 'f' and convalidated and conrelid = $1::regclass and confrelid = $2::regclass`,
    [`public.${table}`, `public.${parent}`],
  );
  return rows.length > 0;
}

/** Settings that say what the priorities of the source say. */
export interface Proposals {
  readonly providers: readonly string[];
  readonly devices: readonly string[];
}

/** Reads the priorities, the first one first. */
export async function readProposals({ columns }: Source, reader: Reader): Promise<Proposals> {
  const read = async (table: string, column: string) => {
    if (columns.get(table)?.has(column) !== true) return [];
    const rows = await reader.rows<{ name: string }>(
      `select ${column} as name from ${table} order by priority limit 100`,
    );
    return rows.map(({ name }) => name);
  };
  return {
    providers: await read('provider_priority', 'provider'),
    devices: await read('device_type_priority', 'device_type'),
  };
}
