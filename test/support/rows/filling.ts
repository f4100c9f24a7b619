import type { Database } from '../../../mixins/database/database.ts';

// Chunks of a hypertable have triggers of their own, so those of its statements stay.
const triggers = (change: 'disable' | 'enable') => `
do $$ declare given record; begin
  for given in select t.tgrelid::regclass as place, t.tgname as name
    from pg_trigger t join pg_proc f on f.oid = t.tgfoid
    where f.pronamespace in ('changes'::regnamespace, 'jobs'::regnamespace) and not t.tgisinternal
      and t.tgrelid <> 'timeseries.sample'::regclass
  loop execute format('alter table %s ${change} trigger %I', given.place, given.name); end loop;
end $$`;

/**
 * Statements of one transaction that only make tables large. Their rows are not noted as changes and enqueue no jobs,
 * which would take most of the time. All other triggers and constraints hold.
 */
export function quietly(statements: readonly string[]): string[] {
  return [triggers('disable'), ...statements, triggers('enable')];
}

/** Runs such statements. `userId` is the first parameter of those that have one. */
export function fill(database: Database, statements: readonly string[], userId?: string): Promise<void> {
  return database.transaction(async (transaction) => {
    for (const statement of quietly(statements))
      await transaction.query(statement, statement.includes('$1') ? [userId] : []);
  });
}
