import type { Config } from '../../../config.ts';
import type * as wire from '../../../contracts/auth/invitations.ts';
import type { Role } from '../../../domain/access.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import type { Jobs } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import type { Meta } from '../../../runtime/environment.ts';
import { callingDeveloper } from '../accounts.ts';
import { linkBase, newLinkToken } from '../links/links.ts';
import type { Mailer } from '../mail/mailer.ts';
import { enqueueMail } from '../mail/send-mail.ts';
import { invitationMail } from '../mail/texts.ts';
import { deleteInvitation, type InvitationRow, upsertInvitation } from '../queries/invitations.ts';
import { sha256 } from '../tokens/secrets.ts';

/** Dependencies of an invitation. */
export interface Inviting {
  readonly database: Database;
  readonly config: Config;
  readonly origin: AuditOrigin;
  readonly meta: Meta;
  readonly cipher: Cipher;
  readonly mailer: Mailer | null;
  readonly jobs: Jobs;
}

const validDays = 7;

/**
 * Invites an address to a project. With SMTP_URL only the message has the link: whoever invites could accept it otherwise, and
 * hold an account of an address that is somebody else's. Without it only this answer has the link.
 * @throws PROJECT_NOT_FOUND (404)
 */
export async function invite(
  inviting: Inviting,
  project: string,
  { email, role }: { readonly email: string; readonly role: Role },
): Promise<wire.NewInvitation> {
  const { database, origin, meta, jobs, mailer } = inviting;
  const invitedBy = callingDeveloper(meta).developer_id;
  const token = newLinkToken();
  const link = `${linkBase(inviting)}/invitation#${token}`;
  const row = await database.transaction(async (on) => {
    const isMailed = mailer !== null;
    const given = { hash: sha256(token), project, email, role, invitedBy, isMailed, days: validDays };
    const made = await upsertInvitation(on, given);
    if (made === undefined) throw new ServiceError('PROJECT_NOT_FOUND');
    await recordAudit(on, origin, { action: 'invitation.created', subjectId: made.id, details: { role } });
    await mailLink(on, inviting, made, link);
    return made;
  });
  jobs.notify();
  return { ...toInvitation(row), link: mailer === null ? link : null };
}

async function mailLink(on: Queryable, { mailer, cipher }: Inviting, made: InvitationRow, link: string) {
  if (mailer === null) return;
  await enqueueMail(on, cipher, invitationMail(made.email, link), made.expires_at);
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
