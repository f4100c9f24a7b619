import type { Assertion, PasskeyOptions } from '../../../contracts/auth/passkeys.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { acting } from '../actor.ts';
import { type Linking, newLinkToken } from '../links/links.ts';
import { insertSessionByMethod } from '../queries/console-sessions.ts';
import { insertChallenge, selectCredential, useCounter } from '../queries/passkeys.ts';
import {
  passkeyRefused,
  relyingParty,
  takeChallenge,
  userHandleOf,
  verifyAssertion,
} from '../second-factor/verify-passkey.ts';
import { sessionLifetimeOf } from '../tokens/lifetimes.ts';
import { sha256 } from '../tokens/secrets.ts';
import { auditFailedLogIn } from './failed-log-in.ts';

/** Dependencies of a sign-in with a passkey. */
export interface PasskeySignIn extends Linking {
  readonly database: Database;
  readonly origin: AuditOrigin;
}

/** What a browser needs to use a passkey of this installation; the device offers those that it has. */
export async function beginPasskeySignIn(signIn: PasskeySignIn): Promise<PasskeyOptions> {
  const challenge = newLinkToken();
  await insertChallenge(signIn.database, sha256(challenge), null);
  return { challenge, rpId: relyingParty(signIn).id };
}

/**
 * Starts a session of the console with a passkey, which counts as both factors; returns the developer's id. `challenge` is that
 * of the browser. @throws PASSKEY_REFUSED (403)
 */
export async function startSessionByPasskey(
  signIn: PasskeySignIn,
  given: { readonly credential: Assertion; readonly challenge: string | null; readonly session_hash: string },
  address: string,
): Promise<string> {
  const { database, origin, config } = signIn;
  const held = await selectCredential(database, given.credential.id);
  const { id, counter } = await check(signIn, held, given).catch(async (error: unknown) => {
    await auditFailedLogIn(database, origin, { developerId: held?.developerId ?? null, address });
    throw error;
  });
  const session = { hash: given.session_hash, ...sessionLifetimeOf(config) };
  return acting(database, { ...origin, actor: `admin:${id}` }, async (on) => {
    const isOpen = await insertSessionByMethod(on, session, { id, isProven: true, method: 'passkey' });
    if (!isOpen) throw passkeyRefused('account');
    if (!(await useCounter(on, given.credential.id, counter))) throw passkeyRefused('counter');
    return id;
  });
}

async function check(
  signIn: PasskeySignIn,
  held: Awaited<ReturnType<typeof selectCredential>>,
  { credential: given, challenge }: { readonly credential: Assertion; readonly challenge: string | null },
): Promise<{ readonly id: string; readonly counter: number }> {
  const signed = await takeChallenge(signIn.database, given, null);
  if (signed !== challenge) throw passkeyRefused('challenge');
  if (held === undefined || given.response.userHandle !== userHandleOf(held.developerId))
    throw passkeyRefused('account');
  const counter = await verifyAssertion(signIn, given, { challenge: signed, credential: held });
  return { id: held.developerId, counter };
}
