import { createHash } from 'node:crypto';
import type * as wire from '../../../contracts/auth/projects.ts';
import { largestLogoBytes, type Project } from '../../../contracts/auth/projects.ts';
import { defaultProject } from '../../../domain/access.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { imageFormOf } from '../../../domain/image-form.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../tables/acting.ts';
import {
  insertLogo,
  lockProject,
  markDeleting,
  noteDeletingUsers,
  type ProjectRow,
  replaceLogos,
  returnedProject,
  selectProject,
} from '../tables/projects.ts';
import { countLeft, type Deleting, deleteClosed, kind } from '../work/project-deletion.ts';

/** What a change and its audit entry need. */
export interface Acting {
  readonly database: Database;
  readonly origin: AuditOrigin;
}

interface Limits {
  readonly connect_name?: string | null | undefined;
  readonly connect_colour?: string | null | undefined;
  readonly rate_limit_api_key?: number | null | undefined;
  readonly rate_limit_sdk?: number | null | undefined;
}

interface ProjectChange extends Limits {
  readonly name?: string | undefined;
  readonly require_second_factor?: boolean | undefined;
}

/** Creates a project. @throws PROJECT_ID_TAKEN (409) */
export async function createProject(
  { database, origin }: Acting,
  {
    id,
    name,
    connect_name = null,
    connect_colour = null,
    rate_limit_api_key = null,
    rate_limit_sdk = null,
  }: Limits & { readonly id: string; readonly name: string },
): Promise<wire.Project> {
  const statement = `
    insert into auth.project (id, name, rate_limit_api_key, rate_limit_sdk, connect_name, connect_colour)
    select $1, $2, $3, $4, $5, $6 where not exists (select from auth.former_project where id = $1)
    on conflict do nothing ${returnedProject}`;
  const [row] = await acting(database, origin, (on) =>
    on.query<ProjectRow>(statement, [
      ...[id, name, rate_limit_api_key, rate_limit_sdk],
      ...[connect_name, connect_colour],
    ]),
  );
  if (row === undefined) throw new ServiceError('PROJECT_ID_TAKEN');
  return toProject(row);
}

/** Changes a project. @throws PROJECT_NOT_FOUND (404) */
export async function updateProject(
  { database, origin }: Acting,
  id: string,
  {
    name,
    connect_name,
    connect_colour,
    rate_limit_api_key,
    rate_limit_sdk,
    require_second_factor,
  }: ProjectChange,
): Promise<wire.Project> {
  const statement = `
    update auth.project set name = coalesce($2, name),
      rate_limit_api_key = case when $3 then $4::int else rate_limit_api_key end,
      rate_limit_sdk = case when $5 then $6::int else rate_limit_sdk end,
      connect_name = case when $7 then $8::text else connect_name end,
      require_second_factor = coalesce($9, require_second_factor),
      connect_colour = case when $10 then $11::text else connect_colour end
    where id = $1 ${returnedProject}`;
  const [row] = await acting(database, origin, (on) =>
    on.query<ProjectRow>(statement, [
      ...[id, name ?? null],
      ...[rate_limit_api_key !== undefined, rate_limit_api_key ?? null],
      ...[rate_limit_sdk !== undefined, rate_limit_sdk ?? null],
      ...[connect_name !== undefined, connect_name ?? null],
      require_second_factor ?? null,
      ...[connect_colour !== undefined, connect_colour ?? null],
    ]),
  );
  if (row === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
  return toProject(row);
}

/** The wire format of a project's row. */
export function toProject({ created_at, deleting_at, ...row }: ProjectRow): wire.Project {
  return {
    ...{ id: row.id, name: row.name, role: row.role },
    ...{ connect_name: row.connect_name, connect_colour: row.connect_colour },
    connect_logo: row.connect_logo === null ? null : `/connect/assets/${row.connect_logo}`,
    ...{ rate_limit_api_key: row.rate_limit_api_key, rate_limit_sdk: row.rate_limit_sdk },
    require_second_factor: row.require_second_factor,
    created_at: formatInstant(created_at.getTime()),
    deleting_since: instantOrNull(deleting_at),
  };
}

const revoking =
  'Access of deleted users is being revoked with the credentials of the project: repeat the request later, within a day.';

/**
 * Deletes a project without users, or closes one and leaves its users and itself to a job.
 * @throws PROJECT_NOT_FOUND (404), PROJECT_NOT_EMPTY, PROJECT_PERMANENT (409)
 */
export async function removeProject(
  deps: Acting & Deleting & { readonly jobs: Jobs },
  { project_id: id, users }: { readonly project_id: string; readonly users: 'keep' | 'delete' },
): Promise<wire.Project> {
  const { database, call, origin } = deps;
  if (id === defaultProject) throw new ServiceError('PROJECT_PERMANENT');
  const project = await selectProject(database, id);
  if (project === null) throw new ServiceError('PROJECT_NOT_FOUND');
  if (users === 'delete' || project.deleting_at !== null) return startDeletion(deps, id);
  const closed = await call('users.closeProject', { project_id: id, with_users: false });
  if (closed.users > 0) throw new ServiceError('PROJECT_NOT_EMPTY');
  if (closed.revocations > 0) throw new ServiceError('PROJECT_NOT_EMPTY', revoking);
  return toProject(await deleteClosed(deps, id, { actor: origin.actor, request_id: origin.requestId }, 0));
}

async function startDeletion(
  { database, call, origin, jobs }: Acting & Deleting & { readonly jobs: Jobs },
  id: string,
): Promise<wire.Project> {
  const { users } = await call('users.leftInProject', { project_id: id });
  const project = await database.transaction(async (transaction) => {
    const marked = await markDeleting(transaction, id);
    if (marked === null) throw new ServiceError('PROJECT_NOT_FOUND');
    // Also for a repeated request: the job may have become a dead letter.
    await enqueue(transaction, kind, {
      key: id,
      payload: { actor: origin.actor, request_id: origin.requestId },
    });
    const entry = { action: 'project.deletion_started' as const, details: { project: id, users } };
    if (marked.isNew) await recordAudit(transaction, { ...origin, projectId: defaultProject }, entry);
    return marked.project;
  });
  const closed = await call('users.closeProject', { project_id: id, with_users: true });
  await noteDeletingUsers(database, id, closed.users);
  jobs.notify();
  return toProject(project);
}

/** The project, and how many of its users are left while it is deleted. @throws PROJECT_NOT_FOUND (404) */
export async function readProject({ database, call }: Deleting, id: string): Promise<wire.ProjectState> {
  const project = await selectProject(database, id);
  if (project === null) throw new ServiceError('PROJECT_NOT_FOUND');
  const left = project.deleting_at === null ? null : await countLeft({ database, call }, project);
  const users_left = left?.users ?? null;
  return { ...toProject(project), users_left };
}

/** A logo: the name contains the hash of the content. */
interface Logo {
  readonly name: string;
  readonly content: Buffer;
}

/** The logo in an image in base64. @throws VALIDATION_FAILED (422) if it is no PNG, JPEG or WebP, or too large */
export function logoIn(image: string): Logo {
  const content = Buffer.from(image, 'base64');
  const form = imageFormOf(content);
  if (form === null) throw imageRefused('must be a PNG, JPEG or WebP image');
  if (content.length > largestLogoBytes) throw imageRefused('must be at most 100,000 bytes');
  return { name: `logo-${createHash('sha256').update(content).digest('hex')}.${form}`, content };
}

/** Sets the logo of a project; null removes it. @throws PROJECT_NOT_FOUND (404) */
export async function setLogo(
  { database, origin }: { readonly database: Database; readonly origin: AuditOrigin },
  project: string,
  logo: Logo | null,
): Promise<Project> {
  const statement = `update auth.project set connect_logo = $2 where id = $1 ${returnedProject}`;
  const [row] = await acting(database, origin, async (on) => {
    await lockProject(on, project);
    if (logo !== null) await insertLogo(on, project, logo);
    await replaceLogos(on, project, logo?.name ?? null);
    return on.query<ProjectRow>(statement, [project, logo?.name ?? null]);
  });
  if (row === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
  return toProject(row);
}

const imageRefused = (message: string) => validationFailed([{ field: 'image', message }]);
