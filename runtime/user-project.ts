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

/**
 * The parameters as the caller's project sees them: a user of another project is replaced by an id that nobody has. The
 * answer is then that for an unknown user by construction, whatever an action does with the user.
 */
export async function withinProject<P>(
  call: Call,
  { caller }: Meta,
  { http, unchecked }: Pick<ActionDefinition, 'http' | 'unchecked'>,
  params: P,
): Promise<Addressed<P>> {
  const given = fieldOf(params, 'user_id');
  const isChecked = caller && caller.kind !== 'sdk' && http?.userFilter !== true && unchecked !== true;
  if (!isChecked || typeof given !== 'string') return { params, restore: (failure) => failure };
  const project = await ownerOf(call, given.toLowerCase());
  if (project === null || project === caller.project_id) return { params, restore: (failure) => failure };
  const nobody = randomUUID();
  return { params: { ...params, user_id: nobody }, restore: (failure) => naming(failure, nobody, given) };
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
