import type { Queryable } from '../../../mixins/database.ts';

/** A row of one of the record tables: each has an id that stays when the rest is replaced. */
export type RecordRow = Readonly<Record<string, string | number | boolean | null>> & { readonly id: string };

/** The tables that hold one row a record. */
export type RecordTable = 'workout' | 'sleep_session' | 'provider_day';

/** Writes a record: a new one, or a newer version in the place of the one with its id. */
export async function upsertRecord(
  transaction: Queryable,
  table: RecordTable,
  row: RecordRow,
): Promise<void> {
  // In one order, whatever a row was put together from: the statement is prepared under one name.
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
