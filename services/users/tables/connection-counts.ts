import type { Connection } from '../../../contracts/users/schemas.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The number of connections of a provider with a status. */
interface ConnectionCount {
  provider: ProviderName;
  status: Connection['status'];
  count: number;
}

const summed = `
select provider, status, sum(n)::int as count from users.connection_change where project_id = $1
group by provider, status having sum(n) <> 0 order by provider, status`;

/** The exact numbers of connections. Reads changes, which are folded, and no connection. */
export function selectConnectionCounts(database: Queryable, project: string): Promise<ConnectionCount[]> {
  return database.query<ConnectionCount>(summed, [project]);
}

/** The most changes that are added up by a reader. */
export const mostConnectionChanges = 1000;

const tables = {
  connection_change: 'project_id, provider, status',
  person_status_change: 'project_id, status',
} as const;

const wanted = (table: string) => `select count(*) > ${mostConnectionChanges} as wanted
from (select from users.${table} limit ${mostConnectionChanges + 1}) c`;

const folded = (table: string, keys: string) => `
with folded as (delete from users.${table} returning ${keys}, n)
insert into users.${table} (${keys}, n)
select ${keys}, sum(n) from folded group by ${keys} having sum(n) <> 0`;

/** Replaces many changes by their sums. Two processes that fold at once lose nothing: each row is deleted by one. */
export async function foldConnectionChanges(database: Database): Promise<void> {
  for (const [table, keys] of Object.entries(tables)) {
    const [row] = await database.query<{ wanted: boolean }>(wanted(table));
    if (row?.wanted === true) await database.query(folded(table, keys));
  }
}
