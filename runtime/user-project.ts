import { randomUUID } from 'node:crypto';
import { defaultProject } from '../domain/access.ts';
import type { ActionDefinition } from '../domain/contract.ts';
import { fieldOf } from '../domain/error-code.ts';
import type { Call, Meta } from './environment.ts';

/** The project that a call acts in: that of its caller, and `default` for a service and at the REPL. */
export function projectOf({ caller }: Meta): string {
  return caller?.project_id ?? defaultProject;
}

/** The parameters of an action, and what a failure of it says. */
export interface Addressed<P> {
  readonly params: P;
  /** The failure with the id that the caller gave. */
  restore<E>(failure: E): E;
}

type Checked = Pick<ActionDefinition, 'http' | 'unchecked'>;

/**
 * The user whose project decides; null where nothing is checked: for a service, the user's own token, a filter of a list, and
 * within a request whose user was checked. It runs for each action, so it waits for nothing.
 */
export function userToCheck({ caller }: Meta, level: number, { http, unchecked }: Checked, params: unknown) {
  if (!caller || caller.kind === 'sdk' || level > firstCall) return null;
  if (http?.userFilter === true || unchecked === true) return null;
  const userId = fieldOf(params, 'user_id');
  if (typeof userId !== 'string' || projects.get(userId.toLowerCase()) === caller.project_id) return null;
  return userId;
}

/** The level of the call that the gateway makes within its own action; calls of services are deeper. */
const firstCall = 2;

/**
 * The parameters as the caller's project sees them: a user of another project is replaced by an id that nobody has. The
 * answer is then that for an unknown user by construction, whatever an action does with the user.
 */
export async function withinProject<P>(
  call: Call,
  { caller }: Meta,
  userId: string,
  params: P,
): Promise<Addressed<P>> {
  const project = await projectOfUser(call, userId.toLowerCase());
  if (project === null || project === caller?.project_id) return asGiven(params);
  const nobody = randomUUID();
  return { params: { ...params, user_id: nobody }, restore: (failure) => naming(failure, nobody, userId) };
}

/** Parameters that need no check. */
export function asGiven<P>(params: P): Addressed<P> {
  return { params, restore: (failure) => failure };
}

function naming<E>(failure: E, nobody: string, given: string): E {
  if (failure instanceof Error) failure.message = failure.message.replaceAll(nobody, given);
  return failure;
}

/**
 * The project of each user that this process was asked about. It never changes, so an entry cannot be wrong; the oldest are
 * forgotten.
 */
const projects = new Map<string, string>();
const mostKept = 20_000;

/** The project of a user; null if there is no such user. */
export async function projectOfUser(call: Call, user_id: string): Promise<string | null> {
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
