import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../mixins/database.ts';

/** Columns that may hold a value: those of every table that the role may read, and the planner's own statistics. */
const columns = `
select format('%I.%I', n.nspname, c.relname) as relation, a.attname as name, a.atttypid = 'bytea'::regtype as is_bytes
from pg_class c
join pg_namespace n on n.oid = c.relnamespace
join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
where (c.relkind in ('r', 'm') or c.oid = 'pg_catalog.pg_stats'::regclass)
  and has_schema_privilege(n.oid, 'usage') and has_column_privilege(c.oid, a.attnum, 'select')
order by 1, a.attnum`;

interface Column {
  relation: string;
  name: string;
  is_bytes: boolean;
}

/** Where each of some values stands, as `schema.table.column: value`: nothing, if they are nowhere. */
export async function tracesOf(database: Database, values: readonly string[]): Promise<string[]> {
  const byRelation = Map.groupBy(await database.query<Column>(columns), ({ relation }) => relation);
  const spellings = spellingsOf(values);
  const found: string[] = [];
  for (const [relation, all] of byRelation) {
    const rows = await database.query<{ name: string; text: string }>(searchOf(relation, all), [
      spellings.map(([, text]) => escaped(text)).join('|'),
    ]);
    for (const { name, text } of rows)
      for (const [value, spelling] of spellings)
        if (text.includes(spelling)) found.push(`${relation}.${name}: ${value}`);
  }
  return [...new Set(found)].sort();
}

// One pass over a table, whatever its columns are.
function searchOf(relation: string, all: readonly Column[]): string {
  const cells = all.map(({ name, is_bytes }) => {
    const column = `t.${quoted(name)}`;
    return `('${name.replaceAll("'", "''")}', lower(${is_bytes ? `encode(${column}, 'escape')` : `${column}::text`}))`;
  });
  return `
    select distinct cell.name, cell.text from ${relation} t
    cross join lateral (values ${cells.join(', ')}) cell (name, text)
    where cell.text ~ $1`;
}

function escaped(text: string): string {
  return text.replaceAll(/[^a-z0-9]/g, '\\$&');
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

const mostRounds = 300;

/** The same once there are none, or when that took too long: erasure goes on behind the answer to a deletion. */
export async function tracesLeft(database: Database, values: readonly string[]): Promise<string[]> {
  let found = await tracesOf(database, values);
  for (let round = 0; round < mostRounds && found.length > 0; round += 1) {
    await sleep(200);
    found = await tracesOf(database, values);
  }
  return found;
}

/** Each value with the texts that would give it away: itself in any case, its bytes in hexadecimal or base64. */
function spellingsOf(values: readonly string[]): [value: string, text: string][] {
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
