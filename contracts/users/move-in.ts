import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Text, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { Name, ProjectId, Scope } from '../fields.ts';
import { mostMoved, movedOutcomes, moving } from '../move-in.ts';
import { Connection } from './schemas.ts';

const MovedUser = z.object({
  id: UserId,
  first_name: Name.nullable(),
  last_name: Name.nullable(),
  /** As it was stored there: several users may share an address, and its form is not checked. */
  email: Text.trim().min(1).max(320).nullable(),
  external_user_id: Text.trim().min(1).max(255).nullable(),
  created_at: TimeParameter,
});

const Token = z.string().min(1).max(8192).nullable();

const MovedConnection = z.object({
  id: z.uuid().transform((id) => id.toLowerCase()),
  user_id: UserId,
  provider: ProviderName,
  provider_user_id: Text.trim().min(1).max(255),
  access_token: Token,
  refresh_token: Token,
  expires_at: TimeParameter.nullable(),
  /** Empty if it is not known: then it is what we request of the provider. */
  scope: Scope,
  status: Connection.shape.status,
  status_reason: Text.min(1).max(100).nullable(),
  created_at: TimeParameter,
  last_synced_at: TimeParameter.nullable(),
});

/** Users and connections of another installation. */
export const moveInActions = {
  /**
   * Users keep their ids. Refused: `external_id_taken`: another user of the project has the external id; `erased`: the user was
   * deleted here; `other_project`: the id belongs to a user of another project. The action does not check that the project exists
   * (`auth.getProject` does). @throws PROJECT_NOT_FOUND (404) for a project that is being deleted
   */
  moveInUsers: action({
    ...moving,
    summary: 'Move users of another installation in',
    params: z.object({ project_id: ProjectId, users: z.array(MovedUser).min(1).max(mostMoved) }),
    returns: movedOutcomes(['external_id_taken', 'erased', 'other_project']),
  }),
  /**
   * Tokens are plain text, as `connect` takes them. They belong to the OAuth client that the project has now, and only those of active
   * connections are kept. A connection that the user made here is never changed (`same`). One that was moved is replaced (`saved`) if
   * the other installation has changed it since the last move, or if the project has another client since, while it has had no tokens
   * here but those of the move: no process has refreshed them or refreshes them, and nothing here has ended it but their refusal by the
   * provider. Tokens that expire earlier replace none. A move sends no request to a provider and begins no backfill: notifications,
   * sweeps and reconciliations find the connection within minutes, and `connected_at` is the time of the move. Refused:
   * `unknown_user`, `erased`, `other_project`: the user; `id_taken`: the id belongs to another connection.
   */
  moveInConnections: action({
    ...moving,
    summary: 'Move connections of another installation in',
    params: z.object({ project_id: ProjectId, connections: z.array(MovedConnection).min(1).max(mostMoved) }),
    returns: movedOutcomes(['unknown_user', 'erased', 'other_project', 'id_taken']),
  }),
};
