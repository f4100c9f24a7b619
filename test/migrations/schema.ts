import type { Database } from '../../mixins/database/database.ts';

const ours = "n.nspname !~ '^(pg_|_?timescaledb|toolkit|information_schema|public)'";

// Everything that a migration can make, a line each.
const statement = `
  select 'schema ' || nspname as line from pg_namespace n where ${ours}
  union all
  select 'column ' || n.nspname || '.' || c.relname || '.' || a.attname || ' ' || format_type(a.atttypid, a.atttypmod)
    || case when a.attnotnull then ' not null' else '' end || coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')
  from pg_attribute a join pg_class c on c.oid = a.attrelid join pg_namespace n on n.oid = c.relnamespace
  left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
  where c.relkind in ('r', 'p', 'v') and a.attnum > 0 and not a.attisdropped and ${ours}
  union all
  select 'index ' || pg_get_indexdef(i.indexrelid)
  from pg_index i join pg_class c on c.oid = i.indexrelid join pg_namespace n on n.oid = c.relnamespace where ${ours}
  union all
  select 'constraint ' || n.nspname || '.' || c.relname || ' ' || k.conname || ' ' || pg_get_constraintdef(k.oid)
  from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_namespace n on n.oid = c.relnamespace where ${ours}
  union all
  select 'trigger ' || pg_get_triggerdef(g.oid)
  from pg_trigger g join pg_class c on c.oid = g.tgrelid join pg_namespace n on n.oid = c.relnamespace
  where not g.tgisinternal and ${ours}
  union all
  select 'function ' || pg_get_functiondef(p.oid)
  from pg_proc p join pg_namespace n on n.oid = p.pronamespace where p.prokind = 'f' and ${ours}
  order by 1`;

/** The schema of a database as comparable lines. */
export async function schemaOf(database: Database): Promise<string[]> {
  return (await database.query<{ line: string }>(statement)).map(({ line }) => line);
}
