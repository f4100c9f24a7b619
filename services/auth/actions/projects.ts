import { createHash } from 'node:crypto';
import type * as wire from '../../../contracts/auth/projects.ts';
import { largestLogoBytes, type Project } from '../../../contracts/auth/projects.ts';
import { defaultProject } from '../../../domain/access.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { imageFormOf } from '../../../domain/image-form.ts';
import { formatInstant, instantOrNull } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import { enqueue } from '../../../mixins/jobs/job-queue.ts';
import { acting } from '../tables/acting.ts';
import {
  changeProject,
  insertLogo,
  insertProject,
  lockProject,
  markDeleting,
  type NewProject,
  noteDeletingUsers,
  type ProjectChange,
  type ProjectRow,
  replaceLogos,
  selectProject,
  setConnectLogo,
} from '../tables/projects.ts';
import type { AuthDeps, CallDeps, ChangeDeps } from '../work/deps.ts';
import { countLeft, deleteClosed, deletionKind } from '../work/project-deletion.ts';

/** Creates a project. @throws PROJECT_ID_TAKEN (409) */
export async function createProject(
  { database, origin }: ChangeDeps,
  project: NewProject,
): Promise<wire.Project> {
  const row = await acting(database, origin, (on) => insertProject(on, project));
  if (row === undefined) throw new ServiceError('PROJECT_ID_TAKEN');
  return toProject(row);
}

/** Changes a project. @throws PROJECT_NOT_FOUND (404) */
export async function updateProject(
  { database, origin }: ChangeDeps,
  id: string,
  change: ProjectChange,
): Promise<wire.Project> {
  const row = await acting(database, origin, (on) => changeProject(on, id, change));
  if (row === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
  return toProject(row);
}

/** The wire format of a project's row. */
export function toProject(row: ProjectRow): wire.Project {
  return {
    id: row.id,
    name: row.name,
    role: row.role,
    connect_name: row.connect_name,
    connect_colour: row.connect_colour,
    connect_logo: row.connect_logo === null ? null : `/connect/assets/${row.connect_logo}`,
    rate_limit_api_key: row.rate_limit_api_key,
    rate_limit_sdk: row.rate_limit_sdk,
    require_second_factor: row.require_second_factor,
    created_at: formatInstant(row.created_at.getTime()),
    deleting_since: instantOrNull(row.deleting_at),
  };
}

const revoking =
  'Access of deleted users is being revoked with the credentials of the project: repeat the request later, within a day.';

type DeleteDeps = ChangeDeps & CallDeps & Pick<AuthDeps, 'jobs'>;

/**
 * Deletes a project without users. With users, closes the project, and a job deletes the users and the project.
 * @throws PROJECT_NOT_FOUND (404), PROJECT_NOT_EMPTY, PROJECT_PERMANENT (409)
 */
export async function removeProject(
  deps: DeleteDeps,
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
  { database, call, origin, jobs }: DeleteDeps,
  id: string,
): Promise<wire.Project> {
  const { users } = await call('users.leftInProject', { project_id: id });
  const project = await database.transaction(async (transaction) => {
    const marked = await markDeleting(transaction, id);
    if (marked === null) throw new ServiceError('PROJECT_NOT_FOUND');
    // A repeated request enqueues the job again, because it may have become a dead letter.
    await enqueue(transaction, deletionKind, {
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
export async function readProject({ database, call }: CallDeps, id: string): Promise<wire.ProjectState> {
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
  { database, origin }: ChangeDeps,
  project: string,
  logo: Logo | null,
): Promise<Project> {
  const row = await acting(database, origin, async (on) => {
    await lockProject(on, project);
    if (logo !== null) await insertLogo(on, project, logo);
    await replaceLogos(on, project, logo?.name ?? null);
    return setConnectLogo(on, project, logo?.name ?? null);
  });
  if (row === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
  return toProject(row);
}

const imageRefused = (message: string) => validationFailed([{ field: 'image', message }]);
