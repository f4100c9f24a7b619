import type { Connection } from '../../../contracts/users/schemas.ts';
import type { Database, Queryable } from '../../../mixins/database.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The number of connections of a provider with a status. */
export interface ConnectionCount {
  provider: ProviderName;
  status: Connection['status'];
  count: number;
}

const summed = `
select provider, status, sum(n)::int as count from users.connection_change
group by provider, status having sum(n) <> 0 order by provider, status`;

/** The exact numbers of connections. Reads changes, which are folded, and no connection. */
export function selectConnectionCounts(database: Queryable): Promise<ConnectionCount[]> {
  return database.query<ConnectionCount>(summed);
}

/** The most changes that are added up by a reader. */
export const mostConnectionChanges = 1000;

const wanted = `select count(*) > ${mostConnectionChanges} as wanted
from (select from users.connection_change limit ${mostConnectionChanges + 1}) c`;

const folded = `
with folded as (delete from users.connection_change returning provider, status, n)
insert into users.connection_change
select provider, status, sum(n) from folded group by provider, status having sum(n) <> 0`;

/** Replaces many changes by their sums. Two processes that fold at once lose nothing: each row is deleted by one. */
export async function foldConnectionChanges(database: Database): Promise<boolean> {
  const [held] = await database.query<{ wanted: boolean }>(wanted);
  if (held?.wanted !== true) return false;
  await database.query(folded);
  return true;
}
