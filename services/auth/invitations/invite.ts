import { randomBytes } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type * as wire from '../../../contracts/auth/invitations.ts';
import type { Role } from '../../../domain/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { publicUrl } from '../../../runtime/provider-settings.ts';
import { callingDeveloper } from '../accounts.ts';
import { deleteInvitation, type InvitationRow, upsertInvitation } from '../queries/invitations.ts';
import { sha256 } from '../tokens/secrets.ts';

/** Dependencies of an invitation. */
export interface Inviting {
  readonly database: Database;
  readonly config: Config;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
}

const validDays = 7;

/** A new token of a link: 43 characters of base64url. */
export const newLinkToken = () => randomBytes(32).toString('base64url');

/** The address of a page of the console. The token stands in the fragment, which browsers send to no server. */
export function linkOf({ config, meta }: Pick<Inviting, 'config' | 'meta'>, page: string, token: string) {
  return `${publicUrl(config, meta.gateway_url)}/console/${page}#${token}`;
}

/** Invites an address to a project. Only this answer contains the link. @throws PROJECT_NOT_FOUND (404) */
export async function invite(
  inviting: Inviting,
  project: string,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<wire.NewInvitation> {
  const { database, origin, meta } = inviting;
  const invitedBy = callingDeveloper(meta).developer_id;
  const token = newLinkToken();
  const row = await database.transaction(async (on) => {
    const given = { hash: sha256(token), project, email, role, invitedBy, days: validDays };
    const made = await upsertInvitation(on, given);
    if (made === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
    await recordAudit(on, origin, { action: 'invitation.created', subjectId: made.id, details: { role } });
    return made;
  });
  return { ...toInvitation(row), link: linkOf(inviting, 'invitation', token) };
}

/** Revokes an invitation of a project. @throws INVITATION_NOT_FOUND (404) */
export async function revokeInvitation(
  { database, origin }: Inviting,
  project: string,
  id: string,
): Promise<wire.Invitation> {
  const row = await database.transaction(async (on) => {
    const deleted = await deleteInvitation(on, project, id);
    if (deleted === undefined) throw new ServiceError('INVITATION_NOT_FOUND');
    await recordAudit(on, origin, { action: 'invitation.revoked', subjectId: id });
    return deleted;
  });
  return toInvitation(row);
}

/** The wire format of an invitation's row. */
export function toInvitation(row: InvitationRow): wire.Invitation {
  return {
    ...{ id: row.id, email: row.email, role: row.role, invited_by: row.invited_by },
    created_at: formatInstant(row.created_at.getTime()),
    expires_at: formatInstant(row.expires_at.getTime()),
  };
}
