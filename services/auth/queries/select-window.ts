import type { Queryable } from '../../../mixins/database.ts';

/** Whose window it is, and what of it is used; `reset_at` is null where no window runs. */
export interface WindowRow {
  kind: 'api-key' | 'developer' | 'sdk';
  used: number;
  reset_at: Date | null;
}

// An id that is neither a key's nor a developer's is a user's: auth does not know users, only their windows.
const statement = `
select case when exists (select from auth.api_key where id = $1) then 'api-key'
    when exists (select from auth.developer where id = $1) then 'developer' else 'sdk' end as kind,
  coalesce(held.count, 0) as used, held.started_at + interval '60 seconds' as reset_at
from (values (1)) one
left join auth.rate_window held on held.subject = $1 and held.started_at > now() - interval '60 seconds'`;

/** Looks at the running window of a key, a developer or a user, without counting. */
export async function selectWindow(database: Queryable, subjectId: string): Promise<WindowRow> {
  const [row] = await database.query<WindowRow>(statement, [subjectId]);
  return row ?? { kind: 'sdk', used: 0, reset_at: null };
}
