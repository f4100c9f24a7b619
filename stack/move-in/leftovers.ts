import type { Ledger, Left } from './ledger.ts';
import type { Reader, Source } from './source.ts';
import { detailTables, isRead, reportedTables, type SourceTable } from './source-tables.ts';

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
  const rows = await reader.rows<{ id: string; email: string }>(
    'select id::text as id, email from developer order by email limit 1000',
  );
  for (const { id, email } of rows)
    ledger.changed({ table: 'developer', id, what: email, reason: 'to be invited anew' });
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
  const { columns } = source;
  const leave = (left: Left & { readonly count: number }) => {
    ledger.read(left.table, left.count);
    ledger.left(left);
  };
  const sources = await reader.rows<{ id: string; user_id: string }>(
    'select id, user_id from data_source where not (user_id = any($1)) order by id',
    [movedUsers],
  );
  const values = since === null ? [] : [since];
  for (const { id, user_id } of sources) {
    leave({ table: 'data_source', id, user_id, reason: notMoved, count: 1 });
    for (const [table, statement] of statementsOfSource(source, since)) {
      if (!columns.has(table)) continue;
      const count = await countOf(reader, statement, [id, ...values]);
      leave({ table, id, user_id, reason: notMoved, count });
    }
  }
  if (columns.get('health_score')?.has('user_id') === true) {
    const rows = await reader.rows<{ user_id: string; n: number }>(
      `select user_id, count(*)::int as n from health_score
       where not (user_id = any($1)) ${since === null ? '' : 'and recorded_at >= $2'} group by 1 order by 1`,
      [movedUsers, ...values],
    );
    for (const { user_id, n } of rows) leave({ table: 'health_score', user_id, reason: notMoved, count: n });
  }
  for (const { table, parent, column } of references) {
    if (!columns.has(table) || (await hasForeignKey(reader, table, parent))) continue;
    const statement = `select count(*) as n from ${table} c where not exists (select from ${parent} p where p.id = c.${column})`;
    leave({ table, reason: 'it belongs to nothing', count: await countOf(reader, statement) });
  }
}

const notMoved = 'its user was not moved';

/** What counts the rows of a source ($1) in each table, from an instant ($2) on. */
function statementsOfSource(source: Source, since: Date | null): [SourceTable, string][] {
  const isOld = source.columns.get('health_score')?.has('user_id') === false;
  const from = (column: string) => (since === null ? '' : ` and ${column} >= $2`);
  const count = (table: string, column: string) =>
    `select count(*) as n from ${table} where data_source_id = $1${from(column)}`;
  const details = detailTables.map((table): [SourceTable, string] => [
    table,
    `select count(*) as n from ${table} d join event_record e on e.id = d.record_id
     where e.data_source_id = $1${from('e.end_datetime')}`,
  ]);
  return [
    ['data_point_series', count('data_point_series', 'recorded_at')],
    ['data_point_series_archive', count('data_point_series_archive', archiveTime(source))],
    ['event_record', count('event_record', 'end_datetime')],
    ...details,
    ...(isOld
      ? [['health_score', count('health_score', 'recorded_at')] satisfies [SourceTable, string]]
      : []),
  ];
}

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
