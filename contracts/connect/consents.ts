import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CursorParameter, limitUpTo, pageOf } from '../../domain/page.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { Timestamp, UserId } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { onUserErased } from '../lifecycle.ts';
import { Language } from './schemas.ts';

/** The text that a user agreed to on the connect page. */
export const ConsentText = z.object({ version: z.int().min(1), language: Language });

/** What a user agreed to. */
export const Consent = z
  .object({
    id: z.string(),
    provider: ProviderName,
    kind: z
      .enum(['page', 'provider'])
      .describe(
        '`page`: on the connect page, before that of the provider. `provider`: on the page of the provider only, opened by `GET /connect/{provider}/authorize`.',
      ),
    text_version: z
      .int()
      .nullable()
      .describe('The version of the text of the connect page. Null for `provider`.'),
    language: Language.nullable().describe('The language in which the text was shown.'),
    scopes: z
      .array(z.string())
      .describe(
        'The permissions that the link requested, by the names of the provider. Empty if the provider has none.',
      ),
    session_id: z.string().nullable().describe('The session of the connect page.'),
    agreed_at: Timestamp,
    withdrawn_at: Timestamp.nullable().describe('When the connection was ended on request. Null: not.'),
  })
  .meta({ id: 'Consent', description: 'What a user agreed to, and when it was withdrawn.' });

/** Consents of users. */
export const consentActions = {
  consents: action({
    summary: "List a user's consents, newest first",
    description:
      'A user who agrees on the connect page leaves a consent with the version and the language of the text, also if the provider is not connected afterwards. Without the connect page, the consent has the time at which the account was connected. `DELETE /users/{user_id}/connections/{provider}` withdraws the consents to the provider. Imported connections have no consent. The list is erased with its user.',
    params: z.object({
      user_id: UserId,
      start_time: TimeParameter.optional().describe('Only consents from this time on.'),
      end_time: TimeParameter.optional().describe('Only consents before this time.'),
      cursor: CursorParameter,
      limit: limitUpTo(100),
    }),
    returns: pageOf(Consent).meta({ id: 'ConsentPage' }),
    http: { method: 'GET', path: '/users/:user_id/consents', access: 'users.read', tag: 'Users' },
  }),
  /** Deletes the consents of the user. */
  forgetUser: onUserErased('Erase the consents of a deleted user'),
};

export type Consent = z.infer<typeof Consent>;
export type ConsentText = z.infer<typeof ConsentText>;
