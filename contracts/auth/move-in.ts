import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { UserId } from '../../domain/wire.ts';
import { Name, ProjectId } from '../fields.ts';
import { mostMoved, movedOutcomes, moving } from '../move-in.ts';
import { AppId, SecretHash } from './schemas.ts';

const MovedKey = z.object({ hash: SecretHash, name: Name, created_at: TimeParameter });

const MovedApplication = z.object({
  app_id: AppId,
  secret_bcrypt: z.string().max(200),
  name: Name,
  created_at: TimeParameter,
});

const MovedToken = z.object({
  hash: SecretHash,
  user_id: UserId,
  /** Null for a token that no application obtained. */
  app_id: AppId.nullable(),
});

/** Credentials of another installation. A hash is the SHA-256 of the secret in hex: no secret is sent over the bus. */
export const moveInActions = {
  /**
   * The same key is valid here, for everything that a key may do, from any address. The oldest owner of the installation is its maker.
   * Refused: `ended`: the key was moved before, and was deleted or rotated here since; `other_project`: it is a key of another project.
   * @throws PROJECT_NOT_FOUND (404)
   */
  moveInKeys: action({
    ...moving,
    summary: 'Move API keys of another installation in',
    params: z.object({ project_id: ProjectId, keys: z.array(MovedKey).min(1).max(mostMoved) }),
    returns: movedOutcomes(['ended', 'other_project']),
  }),
  /**
   * The bcrypt hash is replaced by ours when the application first sends its secret. Until then a newer hash of a later call replaces
   * it. Refused: `ended`: the application was moved before, and was deleted here since; `other_project`: it is one of another project;
   * `malformed_hash`: not a bcrypt hash of the forms 2a, 2b and 2y; `cost_too_high`: above 14, which takes a second or more.
   * @throws PROJECT_NOT_FOUND (404)
   */
  moveInApplications: action({
    ...moving,
    summary: 'Move applications of another installation in',
    params: z.object({
      project_id: ProjectId,
      applications: z.array(MovedApplication).min(1).max(mostMoved),
    }),
    returns: movedOutcomes(['ended', 'other_project', 'malformed_hash', 'cost_too_high']),
  }),
  /**
   * Each refresh token becomes the first one of a family of its user, which begins with the move: SDK_SESSION_DAYS count from then. A
   * token that an application obtained ends with it, so one of an application that is not here is refused (`unknown_application`);
   * move the application first. Refused too: `unknown_user`: the user is not here, or was deleted; `other_project`: the user is one of
   * another project; `ended`: the token was moved before, and its family ended here since.
   */
  moveInTokens: action({
    ...moving,
    summary: 'Move refresh tokens of another installation in',
    params: z.object({ project_id: ProjectId, tokens: z.array(MovedToken).min(1).max(mostMoved) }),
    returns: movedOutcomes(['unknown_user', 'unknown_application', 'other_project', 'ended']),
  }),
};
