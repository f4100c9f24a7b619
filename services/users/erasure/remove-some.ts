import { isError } from '../../../domain/errors.ts';
import type { DeletionDeps } from '../queries/delete-user.ts';
import { selectUsersInProject } from '../queries/select-users-in-project.ts';
import { removeUser } from './erasure.ts';

/** Deletes some users of a closed project, one after the other. Returns their number: 0 if there are none left. */
export async function removeSome(deps: DeletionDeps, project: string, limit: number): Promise<number> {
  const { database } = deps;
  const closed = await database.query('select from users.closed_project where project_id = $1', [project]);
  if (closed.length === 0) return 0;
  const ids = await selectUsersInProject(database, project, null, limit);
  for (const id of ids) await removeOne(deps, id);
  return ids.length;
}

// A request may delete the same user.
async function removeOne(deps: DeletionDeps, id: string): Promise<void> {
  try {
    await removeUser(deps, id);
  } catch (error) {
    if (!isError(error, 'USER_NOT_FOUND')) throw error;
  }
}
