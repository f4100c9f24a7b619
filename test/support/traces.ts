import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../mixins/database/database.ts';

/**
 * Columns that may hold a value: those of every table that the role may read, and the planner's statistics. Without
 * `all` the tables of PostgreSQL and TimescaleDB are left out, which is faster.
 */
const columns = `
select format('%I.%I', n.nspname, c.relname) as relation, a.attname as name, a.atttypid = 'bytea'::regtype as is_bytes
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where (c.relkind in ('r', 'm') or c.oid = 'pg_catalog.pg_stats'::regclass)
  and ($1 or c.relname = 'pg_stats' or n.nspname !~ '^(pg_|information_schema|_timescaledb_(?!internal))')
  and has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select')
order by 1, a.attnum`;

interface Column {
  relation: string;
  name: string;
  is_bytes: boolean;
}

/** The tables of the product's own schemas, with their columns. */
export async function ownTables(database: Database): Promise<Map<string, Column[]>> {
  return Map.groupBy(await database.query<Column>(columns, [false]), ({ relation }) => relation);
}

/** The occurrences of values in the product's own tables and the planner's statistics. */
export async function ownTracesOf(database: Database, values: readonly string[]): Promise<string[]> {
  return search(database, await database.query<Column>(columns, [false]), values);
}

/** The occurrences of values, as `schema.table.column: value`. */
export async function tracesOf(database: Database, values: readonly string[]): Promise<string[]> {
  return search(database, await database.query<Column>(columns, [true]), values);
}

async function search(
  database: Database,
  all: readonly Column[],
  values: readonly string[],
): Promise<string[]> {
  const spellings = spellingsOf(values);
  const pattern = spellings.map(([, text]) => escaped(text)).join('|');
  const found = new Set<string>();
  for (const [relation, own] of Map.groupBy(all, (column) => column.relation)) {
    const rows = await database.query<{ name: string; text: string }>(searchOf(relation, own), [pattern]);
    for (const { name, text } of rows)
      for (const [value, spelling] of spellings)
        if (text.includes(spelling)) found.add(`${relation}.${name}: ${value}`);
  }
  return [...found].sort();
}

// First the rows as they are written whole, where bytes are hexadecimal; then the cells of those that have a hit.
function searchOf(relation: string, all: readonly Column[]): string {
  const cells = all.map(({ name, is_bytes }) => {
    const column = `t.${quoted(name)}`;
    return `('${name.replaceAll("'", "''")}', lower(${is_bytes ? `encode(${column}, 'escape')` : `${column}::text`}))`;
  });
  return `
    select distinct cell.name, cell.text
    from (select ${all.map(({ name }) => quoted(name)).join(', ')} from ${relation} offset 0) t
    cross join lateral (values ${cells.join(', ')}) cell (name, text)
    where lower(t::text) ~ $1 and cell.text ~ $1`;
}

function escaped(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, '\\$&');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const longestWaitMs = 150_000;
// A search reads every table, and erasure may take half a minute: raw deliveries are left alone for that long.
const longestPauseMs = 3000;

/** The same, repeated until there are none or a time limit passed, because erasure runs in the background. */
export async function tracesLeft(database: Database, values: readonly string[]): Promise<string[]> {
  const until = performance.now() + longestWaitMs;
  let pauseMs = 100;
  while (performance.now() < until && (await ownTracesOf(database, values)).length > 0) {
    await sleep(pauseMs);
    pauseMs = Math.min(2 * pauseMs, longestPauseMs);
  }
  return tracesOf(database, values);
}

/** Each value with the texts that would give it away: itself in any case, its bytes in hexadecimal or base64. */
export function spellingsOf(values: readonly string[]): [value: string, text: string][] {
  return values.flatMap((value) => {
    if (value.length < 7) throw new Error(`${value} is too short to be searched for`);
    const bytes = Buffer.from(value);
    const shifted = [0, 1, 2].map((skip) => base64Within(bytes, skip));
    return [value.toLowerCase(), bytes.toString('hex'), ...shifted].map((text): [string, string] => [
      value,
      text,
    ]);
  });
}

// Base64 writes three bytes as four characters: what stands for whole groups of them is the same wherever they begin.
function base64Within(bytes: Buffer, skip: number): string {
  const groups = Math.floor((bytes.length - skip) / 3);
  return bytes
    .subarray(skip, skip + groups * 3)
    .toString('base64')
    .toLowerCase();
}
