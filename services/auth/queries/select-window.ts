import type { Queryable } from '../../../mixins/database/database.ts';

/** The kind of the subject and the used part of its window; `reset_at` is null if no window is open. */
export interface WindowRow {
  kind: 'api-key' | 'developer' | 'sdk';
  used: number;
  reset_at: Date | null;
}

// An id that is neither a key's nor a developer's is a user's: auth stores the windows of users, not the users.
const statement = `
select case when exists (select from auth.api_key where id = $1) then 'api-key'
    when exists (select from auth.developer where id = $1) then 'developer' else 'sdk' end as kind,
  coalesce(held.count, 0) as used, held.started_at + interval '60 seconds' as reset_at
from (values (1)) one
left join auth.rate_window held on held.subject = $1 and held.started_at > now() - interval '60 seconds'`;

/** The open window of a key, a developer or a user; the read is not counted. */
export async function selectWindow(database: Queryable, subjectId: string): Promise<WindowRow> {
  const [row] = await database.query<WindowRow>(statement, [subjectId]);
  return row ?? { kind: 'sdk', used: 0, reset_at: null };
}
