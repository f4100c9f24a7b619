import { randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { Assertion, PasskeyOptions } from '../../../contracts/auth/passkeys.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { AuditOrigin } from '../../../runtime/audit-origin.ts';
import { sessionLifetimeOf } from '../rules/lifetimes.ts';
import { type Linking, newLinkToken, sha256 } from '../rules/secrets.ts';
import { acting } from '../tables/acting.ts';
import { insertSessionByMethod } from '../tables/console-sessions.ts';
import { type GivenRole, insertIdentity, selectBoundAccount, setRoles } from '../tables/developers.ts';
import { insertMemberAccount } from '../tables/invitations.ts';
import { insertChallenge, selectCredential, useCounter } from '../tables/passkeys.ts';
import { auditFailedLogIn } from '../work/attempts.ts';
import { endCredentialsOf } from '../work/end-key.ts';
import { type Identity, type Oidc, refused } from '../work/oidc.ts';
import type { Passwords } from '../work/passwords.ts';
import {
  passkeyRefused,
  relyingParty,
  takeChallenge,
  userHandleOf,
  verifyAssertion,
} from '../work/second-factor.ts';

/** Dependencies of a sign-in with a passkey. */
interface PasskeySignIn extends Linking {
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

/** Dependencies of a sign-in with the provider. */
interface OidcSignIn {
  readonly database: Database;
  readonly oidc: Oidc | null;
  readonly passwords: Passwords;
  readonly origin: AuditOrigin;
  readonly config: Pick<Config, 'OIDC_ALLOWED_DOMAINS' | 'OIDC_ROLES' | 'DEVELOPER_SESSION_DAYS'>;
}

/** The client of the provider. @throws ROUTE_NOT_FOUND (404) where OIDC_ISSUER is not set */
export function oidcIn({ oidc }: Pick<OidcSignIn, 'oidc'>): Oidc {
  if (oidc === null) throw new ServiceError('ROUTE_NOT_FOUND');
  return oidc;
}

/**
 * Ends a sign-in with the provider: starts a session of the console; returns the developer's id. An account is bound to the
 * subject at its first sign-in, by its verified address, if that was confirmed here before; one is made if the provider states a role.
 * @throws SIGN_IN_REFUSED (403), SIGN_IN_PROVIDER_AWAY (503)
 */
export async function signInByOidc(
  signIn: OidcSignIn,
  { query, flow, session_hash }: { query: string; flow: string | null; session_hash: string },
): Promise<string> {
  const identity = await oidcIn(signIn).finish(query, flow);
  refuseAddress(identity, signIn.config.OIDC_ALLOWED_DOMAINS);
  const given = rolesOf(identity, signIn.config.OIDC_ROLES);
  const account = await accountOf(signIn, identity, given.length > 0);
  const decided = [...new Set(signIn.config.OIDC_ROLES.map(({ project }) => project))];
  const session = { hash: session_hash, ...sessionLifetimeOf(signIn.config) };
  return acting(signIn.database, { ...signIn.origin, actor: `admin:${account.id}` }, async (on) => {
    if (
      account.password !== null &&
      !(await insertMemberAccount(on, { ...account, password: account.password }, true))
    )
      throw refused('account');
    if (!(await insertIdentity(on, identity, account.id))) throw refused('subject');
    for (const project of await setRoles(on, account.id, { given, decided }))
      await endCredentialsOf(on, signIn.origin, { project, developerId: account.id });
    const isProven = identity.hasSecondFactor;
    const isOpen = await insertSessionByMethod(on, session, { id: account.id, isProven, method: 'oidc' });
    if (!isOpen) throw refused('account');
    return account.id;
  });
}

function refuseAddress({ email, isVerified }: Identity, domains: readonly string[]): void {
  if (!isVerified) throw refused('unverified');
  const domain = email.slice(email.lastIndexOf('@') + 1).toLowerCase();
  if (domains.length > 0 && !domains.includes(domain)) throw refused('domain');
}

// Of several roles in a project, the one that OIDC_ROLES names first.
function rolesOf({ groups }: Identity, all: OidcSignIn['config']['OIDC_ROLES']): GivenRole[] {
  const given = new Map<string, GivenRole>();
  for (const { value, project, role } of all)
    if (groups.includes(value) && !given.has(project)) given.set(project, { project, role });
  return [...given.values()];
}

interface Account {
  readonly id: string;
  readonly email: string;
  /** The hash of a new account's password, which nobody knows; null if the account exists. */
  readonly password: string | null;
}

async function accountOf(
  { database, passwords }: OidcSignIn,
  identity: Identity,
  mayBeMade: boolean,
): Promise<Account> {
  const { email } = identity;
  const held = await selectBoundAccount(database, identity, email);
  if (held?.isOthers === true) throw refused('subject');
  if (held?.isConfirmed === false) throw refused('unconfirmed');
  if (held !== undefined) return { id: held.id, email, password: null };
  if (!mayBeMade) throw refused('account');
  const password = await passwords.hash(randomBytes(32).toString('base64url'));
  return { id: randomUUID(), email, password };
}
