import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CursorParameter, limitUpTo, pageOf } from '../../domain/page.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Text, UserId } from '../../domain/wire.ts';
import { Admission, AuditActionName, AuditEntry, LimitWindow, SecretHash } from './schemas.ts';

/** The request is not counted in the window: uploads are limited by their bytes. */
const Uncounted = z.literal(true).optional();

/** The request only reads: without a primary it is admitted by the replica of DATABASE_READ_URL, if that is set. */
const ReadOnly = z.literal(true).optional();

/** The project that a developer names in the header X-Project. */
const Project = z.string().max(100).optional();

/** Admission of requests, the audit trail, and the erasure of a user. */
export const admissionActions = {
  audit: action({
    summary: 'List audit entries, newest first',
    description:
      'The audit trail records every change and every export of personal data. Filters can be combined: `user_id` (the user whose data it is), `actor` (in the form that entries have), `action`, and the times `start_time` (included) and `end_time` (excluded). An entry holds only ids, names of fields and counts, so it is kept when its user is erased.',
    params: z.object({
      user_id: UserId.optional().describe('Only entries about the data of this user.'),
      actor: Text.min(1)
        .max(200)
        .optional()
        .describe('Only entries of this actor, in the form that entries have (`admin:<id>`).'),
      action: AuditActionName.optional().describe('Only entries of this action.'),
      start_time: TimeParameter.optional().describe('Only entries at or after this time.'),
      end_time: TimeParameter.optional().describe('Only entries before this time.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: pageOf(AuditEntry).meta({ id: 'AuditPage' }),
    http: { method: 'GET', path: '/audit', access: 'audit', tag: 'Operations', userFilter: true },
    idempotent: true,
  }),
  /**
   * Validates a credential and counts the request in its rate-limit window, with one SQL statement. An API key is passed
   * as the SHA-256 of its text in hex, as is the cookie of a console session; neither is ever sent over the bus.
   */
  admit: action({
    summary: 'Admit a credential and count the request',
    params: z.union([
      z.object({ api_key_hash: z.string().length(64), uncounted: Uncounted, read_only: ReadOnly }),
      z.object({ token: z.string().max(4096), project: Project, uncounted: Uncounted, read_only: ReadOnly }),
      z.object({ session_hash: SecretHash, project: Project, read_only: ReadOnly }),
    ]),
    returns: Admission,
    // A retry counts again: if a process dies during the call, the request may count twice, but it is never omitted.
    idempotent: true,
  }),
  /** For operators. `subject_id` is the id of an API key, a developer or a user; any other id is read as that of a user. */
  window: action({
    summary: 'Get what is left of a rate-limit window, without counting',
    params: z.object({ subject_id: z.uuid('must be a UUID') }),
    returns: LimitWindow,
    idempotent: true,
  }),
  /** Revokes all tokens and refresh tokens that read the user's data. */
  forgetUser: action({
    summary: 'End all tokens of a user who is deleted',
    params: z.object({ user_id: UserId }),
    returns: z.object({ ended: z.int() }),
    idempotent: true,
    on: ['userErased'],
  }),
};
