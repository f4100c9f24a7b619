import type { Queryable } from '../../../mixins/database/database.ts';
import { returnedProject } from '../projects.ts';
import type { ProjectRow } from './select-projects.ts';

/** Marks a project as being deleted: its credentials are refused. Null if there is none. */
export async function markDeleting(
  transaction: Queryable,
  id: string,
): Promise<{ readonly project: ProjectRow; readonly isNew: boolean } | null> {
  const lock = 'select deleting_at is null as is_new from auth.project where id = $1 for update';
  const [known] = await transaction.query<{ is_new: boolean }>(lock, [id]);
  const change = `update auth.project set deleting_at = coalesce(deleting_at, now()) where id = $1 ${returnedProject}`;
  const [project] = await transaction.query<ProjectRow>(change, [id]);
  return project === undefined ? null : { project, isNew: known?.is_new === true };
}

/** Stores the number of users that a project had when it was closed, once. */
export async function noteDeletingUsers(database: Queryable, id: string, users: number): Promise<void> {
  await database.query(
    'update auth.project set deleting_users = $2 where id = $1 and deleting_users is null',
    [id, users],
  );
}

/** The users of a project who were deleted since an instant, and whose samples and records are not erased yet. */
export async function countUnerased(database: Queryable, project: string, since: Date): Promise<number> {
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from auth.audit_entry d
     where d.project_id = $1 and d.action = 'user.deleted' and d.at >= $2
       and not exists (
         select from auth.audit_entry e
         where e.project_id = $1 and e.action = 'user.erased' and e.user_id = d.user_id)`,
    [project, since],
  );
  return row?.n ?? 0;
}

const counts = `
  select jsonb_build_object(
    'project', p.id,
    'users', coalesce($2::int, p.deleting_users, 0),
    'api_keys', (select count(*) from auth.api_key where project_id = p.id),
    'applications', (select count(*) from auth.application where project_id = p.id),
    'members', (select count(*) from auth.member where project_id = p.id),
    'endpoints', $3::int)::text as details
  from auth.project p where p.id = $1`;

const deletion = `
  with former as (
    insert into auth.former_project (id) select id from auth.project where id = $1 on conflict do nothing
  ), totals as (delete from auth.access_total where project_id = $1)
  delete from auth.project where id = $1 ${returnedProject}`;

/** Deletes a project with its keys, applications and members. Its audit entry has the numbers. Null if there is none. */
export async function deleteProject(
  transaction: Queryable,
  id: string,
  { users, endpoints }: { readonly users: number | null; readonly endpoints: number },
): Promise<ProjectRow | null> {
  const [counted] = await transaction.query<{ details: string }>(counts, [id, users, endpoints]);
  await transaction.query("select set_config('auth.details', $1, true)", [counted?.details ?? '']);
  const [row] = await transaction.query<ProjectRow>(deletion, [id]);
  return row ?? null;
}
