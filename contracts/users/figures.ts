import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { ProjectId } from '../fields.ts';
import { Connection } from './schemas.ts';

/** Counts for operators, and the project of a user. */
export const figureActions = {
  /** Null if there is no such user. A deleted user keeps the project. */
  projectOf: action({
    summary: 'Get the project of a user',
    params: z.object({ user_id: UserId }),
    returns: z.object({ project_id: z.string().nullable() }),
    idempotent: true,
    unchecked: true,
  }),
  /** In the order of their ids, without deleted users: at most `limit` after the id `after`. */
  inProject: action({
    summary: 'List the ids of the users of a project',
    params: z.object({
      project_id: ProjectId,
      after: UserId.nullable(),
      limit: z.int().min(1).max(1000),
    }),
    returns: z.object({ users: z.array(UserId) }),
    idempotent: true,
  }),
  /** With 0 users and revocations the project is closed and gets no users any more. */
  closeProject: action({
    summary: 'Close a project unless it has users or revocations',
    params: z.object({
      project_id: ProjectId,
      with_users: z.boolean().default(false).describe('Closes it in any case: its users are deleted next.'),
    }),
    returns: z.object({ users: z.int(), revocations: z.int() }),
    idempotent: true,
  }),
  /** Only of a closed project. Each user is erased like one that a request deletes. */
  removeSome: action({
    summary: 'Delete some users of a closed project',
    params: z.object({ project_id: ProjectId, limit: z.int().min(1).max(100) }),
    returns: z.object({ removed: z.int() }),
    timeoutMs: 60_000,
  }),
  /** Of a project whose users are erased. */
  forgetProject: action({
    summary: 'Delete the counts of a deleted project',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ deleted: z.int() }),
    idempotent: true,
  }),
  /**
   * `erasing`: deleted users of whom other services may still have data. `revocations`: waiting requests to providers that may
   * need the credentials of the project, for at most a day.
   */
  leftInProject: action({
    summary: 'Count the users of a project, and those that are being erased',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ users: z.int(), erasing: z.int(), revocations: z.int() }),
    idempotent: true,
  }),
  /** The exact numbers of users and connections, without counting rows. */
  figures: action({
    summary: 'Count users and connections',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({
      users: z.int(),
      connections: z.array(
        z.object({ provider: ProviderName, status: Connection.shape.status, count: z.int() }),
      ),
    }),
    idempotent: true,
  }),
};
