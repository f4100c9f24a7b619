import { z } from 'zod';
import type * as wire from '../../contracts/auth/projects.ts';
import { defaultProject } from '../../domain/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import { recordAudit } from '../../mixins/database/audit.ts';
import type { Database } from '../../mixins/database/database.ts';
import { enqueue, type JobKind, type JobOutcome } from '../../mixins/jobs/job-queue.ts';
import { type JobHandler, type Jobs, jobHandler, workInParts } from '../../mixins/jobs/jobs.ts';
import { type Call, callAs } from '../../runtime/environment.ts';
import type { Held } from '../../runtime/jobs/job-worker.ts';
import { acting } from './actor.ts';
import { type Acting, toProject } from './projects.ts';
import { countUnerased, deleteProject, markDeleting, noteDeletingUsers } from './queries/delete-project.ts';
import { type ProjectRow, selectProject } from './queries/select-projects.ts';

const Deletion = z.object({ actor: z.string().nullable(), request_id: z.string().nullable() });
type Deletion = z.infer<typeof Deletion>;

/** The deletion of a project with its users. The key is the project. */
const kind: JobKind<Deletion> = { name: 'auth.project_deletion', payload: Deletion };

interface Deleting {
  readonly database: Database;
  readonly call: Call;
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

/** `users`: those that are not erased in every service. */
async function countLeft(
  { database, call }: Deleting,
  { id, deleting_at }: ProjectRow,
): Promise<{ readonly users: number; readonly revocations: number }> {
  const { users, erasing, revocations } = await call('users.leftInProject', { project_id: id });
  const unerased = await countUnerased(database, id, deleting_at ?? new Date(0));
  return { users: users + Math.max(erasing, unerased), revocations };
}

const usersAtOnce = 10;
/** While the services erase the data of the last users. */
const waitMs = 1000;
/** While revocations wait, for which the secrets of the project are kept. */
const revocationWaitMs = 10_000;

/** The handler of the job. Each of its steps may be repeated, so that a process may end at any of them. */
export function projectDeletionHandler(deps: Deleting): JobHandler {
  const forgetting = ['webhooks', 'timeseries', 'fhir', 'destinations'].map(
    (service) => `${service}.forgetProject`,
  );
  const needs = ['users.removeSome', ...forgetting];
  return jobHandler(kind, ({ key, payload }, held) => carryOut(deps, key, payload, held), { needs });
}

async function carryOut(deps: Deleting, id: string, deletion: Deletion, held: Held): Promise<JobOutcome> {
  const { database, call } = deps;
  const project = await selectProject(database, id);
  if (project === null || project.deleting_at === null) return { kind: 'done' };
  const closed = await call('users.closeProject', { project_id: id, with_users: true });
  await noteDeletingUsers(database, id, closed.users);
  const ask = deletion.actor === null ? call : callAs(call, deletion.actor);
  const part = async () =>
    (await ask('users.removeSome', { project_id: id, limit: usersAtOnce })).removed > 0;
  const outcome = await workInParts(part, held);
  if (outcome.kind !== 'done') return outcome;
  const left = await countLeft(deps, project);
  if (left.users > 0) return { kind: 'again', delayMs: waitMs };
  if (left.revocations > 0) return { kind: 'again', delayMs: revocationWaitMs };
  await deleteClosed(deps, id, deletion, null);
  return { kind: 'done' };
}

// `users` is null for the number that was stored when the project was closed.
async function deleteClosed(
  { database, call }: Deleting,
  id: string,
  { actor, request_id }: Deletion,
  users: number | null,
): Promise<ProjectRow> {
  const { deleted: endpoints } = await call('webhooks.forgetProject', { project_id: id });
  await call('destinations.forgetProject', { project_id: id });
  await call('timeseries.forgetProject', { project_id: id });
  await call('fhir.forgetProject', { project_id: id });
  await call('users.forgetProject', { project_id: id });
  const row = await acting(database, { actor, requestId: request_id }, (on) =>
    deleteProject(on, id, { users, endpoints }),
  );
  if (row === null) throw new ServiceError('PROJECT_NOT_FOUND');
  return row;
}
