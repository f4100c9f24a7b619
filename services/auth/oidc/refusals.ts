import { ServiceError } from '../../../domain/errors.ts';

const sentences = {
  browser: 'This sign-in was begun in another browser, or too long ago. Begin again.',
  provider: 'The identity provider refused the sign-in. Begin again.',
  clock: 'The clocks of this server and of the identity provider differ by more than 30 seconds.',
  unverified: 'The identity provider has not verified the e-mail address.',
  domain: 'Addresses of this domain may not sign in here.',
  subject: 'Another identity of the provider is bound to the account of this address.',
  unconfirmed:
    'Nobody has confirmed that the account of this e-mail address belongs to you. An owner confirms or deletes it, or a link by e-mail sets a new password.',
  account: 'No account has this e-mail address, and the identity provider states no role for it.',
} as const;

/** Why a sign-in with the provider is refused. */
export type Refusal = keyof typeof sentences;

/** SIGN_IN_REFUSED (403) with one sentence. */
export const refused = (why: Refusal, cause?: unknown) =>
  new ServiceError('SIGN_IN_REFUSED', sentences[why], undefined, cause);
