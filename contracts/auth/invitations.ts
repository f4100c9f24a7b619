import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Timestamp } from '../../domain/wire.ts';
import { Email, Role } from '../fields.ts';
import { passwordRules } from './developers.ts';
import { hashingTimeoutMs } from './schemas.ts';

/** A role in a project that is offered to an e-mail address. */
export const Invitation = z
  .object({
    id: z.string(),
    email: z.string(),
    role: Role,
    invited_by: z.string().describe('The id of the developer who made it.'),
    created_at: Timestamp,
    expires_at: Timestamp,
  })
  .meta({ id: 'Invitation', description: 'A role in a project that is offered to an e-mail address.' });

/** An invitation with its link, which is returned by its creation only, and only where no e-mail is sent. */
export const NewInvitation = Invitation.extend({
  link: z
    .string()
    .nullable()
    .describe('The page that accepts it. It serves once. Null where the installation sends it by e-mail.'),
}).meta({
  id: 'NewInvitation',
  description: 'An invitation with its link, which no later response contains.',
});

/** What the one who accepts an invitation is a member of. */
export const Membership = z
  .object({ project_id: z.string(), email: z.string(), role: Role })
  .meta({ id: 'Membership', description: 'The role of an account in a project.' });

/** The token of a link, which stands in its fragment. */
export const LinkToken = z
  .string()
  .min(1)
  .max(200)
  .meta({ description: 'What follows the `#` of the link.', example: '0000000000' });

const tag = 'Projects';
const failures = ['INVITATION_NOT_FOUND'] as const;

/** Invitations to a project. The project is that of the request, as with members. */
export const invitationActions = {
  createInvitation: action({
    summary: 'Invite an e-mail address to the project',
    description:
      'With SMTP_URL the link is in the e-mail only. Without it, it is in this response only: whoever accepts it has an account whose address is not confirmed, unless an owner made the invitation. The link serves once, within 7 days. A further invitation of the same address to the project replaces the former one. It ends if the role of the one who made it ends.',
    params: z
      .object({
        email: Email.meta({ description: 'Whom to invite.', example: 'grace@example.com' }),
        role: Role.meta({ description: 'What the member may do in the project.', example: 'support' }),
      })
      .meta({ id: 'CreateInvitationRequest' }),
    returns: NewInvitation,
    http: {
      method: 'POST',
      path: '/invitations',
      access: 'members',
      status: 201,
      tag,
      audit: 'invitation.created',
    },
  }),
  listInvitations: action({
    summary: 'List the invitations to the project that are open',
    params: Nothing,
    returns: z.array(Invitation),
    http: { method: 'GET', path: '/invitations', access: 'members', tag },
  }),
  removeInvitation: action({
    summary: 'Revoke an invitation',
    params: z.object({
      invitation_id: z.uuid('must be a UUID').describe('The `id` of an invitation.'),
    }),
    returns: Invitation,
    http: {
      method: 'DELETE',
      path: '/invitations/:invitation_id',
      access: 'members',
      tag,
      audit: 'invitation.revoked',
      failures,
    },
  }),
  acceptInvitation: action({
    summary: 'Accept an invitation, with a new password or that of the account',
    description: `Makes an account if the address has none. An address with an account needs its password. If the address of that account is not confirmed, a link by e-mail or of an owner takes a new password, ends the sessions of the account and removes its second factors; another link adds it to no further project. ${passwordRules}`,
    params: z
      .object({
        token: LinkToken,
        password: z.string().max(1024).meta({
          description: 'A new password, or that of the account.',
          example: 'purple lamps over quiet water',
        }),
      })
      .meta({ id: 'AcceptInvitationRequest' }),
    returns: Membership,
    http: {
      method: 'POST',
      path: '/invitations/accept',
      access: 'public',
      tag,
      countFailures: true,
      audit: 'invitation.accepted',
      failures: [...failures, 'ADDRESS_NOT_CONFIRMED', 'OWNER_NEEDS_NO_ROLE'],
    },
    timeoutMs: hashingTimeoutMs,
  }),
};

export type Invitation = z.infer<typeof Invitation>;
export type NewInvitation = z.infer<typeof NewInvitation>;
export type Membership = z.infer<typeof Membership>;
