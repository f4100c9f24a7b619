import type pg from 'pg';

/** Drops the triggers that record changes, so that data is stored as without the change log. Returns their definitions. */
export async function removeChangeLog(pool: pg.Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: string; of_table: string; definition: string }>(`
    select quote_ident(g.tgname) as name, g.tgrelid::regclass::text as of_table, pg_get_triggerdef(g.oid) as definition
    from pg_trigger g join pg_proc p on p.oid = g.tgfoid
    where p.pronamespace = 'changes'::regnamespace and not g.tgisinternal and g.tgparentid = 0`);
  for (const { name, of_table } of rows) await pool.query(`drop trigger if exists ${name} on ${of_table}`);
  return rows.map(({ definition }) => definition);
}
