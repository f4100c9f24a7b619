import type { Queryable } from '../../../mixins/database/database.ts';

/** A row of a record table. Its id stays when the other columns are replaced. */
export type RecordRow = Readonly<Record<string, string | number | boolean | null>> & { readonly id: string };

/** The tables with one row per record. */
export type RecordTable = 'workout' | 'sleep_session' | 'provider_day';

/** Inserts a record, or replaces the row with its id. */
export async function upsertRecord(
  transaction: Queryable,
  table: RecordTable,
  row: RecordRow,
): Promise<void> {
  // The columns are sorted, because the statement is prepared under one name.
  const entries = Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const columns = entries.map(([name]) => name);
  await transaction.query(
    {
      name: `timeseries-upsert-${table}`,
      text: `
        insert into timeseries.${table} (${columns.join(', ')})
        values (${columns.map((_, index) => `$${index + 1}`).join(', ')})
        on conflict (id) do update set ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    },
    entries.map(([, value]) => value),
  );
}
