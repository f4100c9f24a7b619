import { defaultProject } from '../domain/access.ts';
import type { ActionDefinition } from '../domain/contract.ts';
import { fieldOf } from '../domain/error-code.ts';
import { userNotFound } from '../domain/errors.ts';
import type { Call, Meta } from './environment.ts';

/** The project that a call acts in: that of its caller, and `default` for a service and at the REPL. */
export function projectOf({ caller }: Meta): string {
  return caller?.project_id ?? defaultProject;
}

/**
 * The project of each user that this process was asked about. It never changes, so an entry cannot be wrong; the oldest are
 * forgotten.
 */
const projects = new Map<string, string>();
const mostKept = 20_000;

/**
 * Refuses a caller of another project than the user that the parameters name, as if there were no such user. It runs after
 * the parameters are validated, so that both cases have the same answer. @throws USER_NOT_FOUND (404)
 */
export async function refuseForeignUser(
  call: Call,
  { caller }: Meta,
  { http, unchecked }: Pick<ActionDefinition, 'http' | 'unchecked'>,
  params: unknown,
): Promise<void> {
  if (!caller || caller.kind === 'sdk' || http?.userFilter === true || unchecked === true) return;
  const userId = fieldOf(params, 'user_id');
  if (typeof userId !== 'string') return;
  const project = await ownerOf(call, userId.toLowerCase());
  if (project !== null && project !== caller.project_id) throw userNotFound(userId);
}

async function ownerOf(call: Call, user_id: string): Promise<string | null> {
  const kept = projects.get(user_id);
  if (kept !== undefined) return kept;
  const { project_id } = await call('users.projectOf', { user_id });
  if (project_id === null) return null;
  for (const oldest of projects.keys()) {
    if (projects.size < mostKept) break;
    projects.delete(oldest);
  }
  projects.set(user_id, project_id);
  return project_id;
}
