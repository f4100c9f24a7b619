import { z } from 'zod';
import { ServiceError } from '../../../domain/errors.ts';
import type { JobKind, JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, jobHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import { callAs } from '../../../runtime/environment.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import { acting } from '../tables/acting.ts';
import {
  countUnerased,
  deleteProject,
  noteDeletingUsers,
  type ProjectRow,
  selectProject,
} from '../tables/projects.ts';
import type { CallDeps } from './deps.ts';

const Deletion = z.object({ actor: z.string().nullable(), request_id: z.string().nullable() });
type Deletion = z.infer<typeof Deletion>;

/** The deletion of a project with its users. The key is the project. */
export const deletionKind: JobKind<Deletion> = { name: 'auth.project_deletion', payload: Deletion };

/** `users`: those that are not erased in every service. */
export async function countLeft(
  { database, call }: CallDeps,
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

/** The handler of the job. Each step can be repeated, so the job can be interrupted at any step. */
export function projectDeletionHandler(deps: CallDeps): JobHandler {
  const forgetting = ['webhooks', 'timeseries', 'fhir', 'destinations'].map(
    (service) => `${service}.forgetProject`,
  );
  const needs = ['users.removeSome', ...forgetting];
  return jobHandler(deletionKind, ({ key, payload }, held) => carryOut(deps, key, payload, held), { needs });
}

async function carryOut(deps: CallDeps, id: string, deletion: Deletion, held: Held): Promise<JobOutcome> {
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
export async function deleteClosed(
  { database, call }: CallDeps,
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
