import type pg from 'pg';

/** Drops the triggers that record changes, so that data is stored as without the change log. */
export async function removeChangeLog(pool: pg.Pool): Promise<void> {
  await pool.query(`
    do $$ declare
      one record;
    begin
      for one in
        select g.tgname, g.tgrelid::regclass as of_table
        from pg_trigger g join pg_proc p on p.oid = g.tgfoid
        where p.pronamespace = 'changes'::regnamespace and not g.tgisinternal and g.tgparentid = 0
      loop
        execute format('drop trigger %I on %s', one.tgname, one.of_table);
      end loop;
    end $$`);
}
