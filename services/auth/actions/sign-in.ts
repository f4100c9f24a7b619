import { randomBytes, randomUUID } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { Assertion, PasskeyOptions } from '../../../contracts/auth/passkeys.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { sessionLifetimeOf } from '../rules/lifetimes.ts';
import { type Linking, newLinkToken, sha256 } from '../rules/secrets.ts';
import { acting } from '../tables/acting.ts';
import { insertSessionByMethod } from '../tables/console-sessions.ts';
import { type GivenRole, insertIdentity, selectBoundAccount, setRoles } from '../tables/developers.ts';
import { insertMemberAccount } from '../tables/invitations.ts';
import { insertChallenge, selectCredential, useCounter } from '../tables/passkeys.ts';
import { auditFailedLogIn } from '../work/attempts.ts';
import type { AuthDeps, ChangeDeps } from '../work/deps.ts';
import { endCredentialsOf } from '../work/end-key.ts';
import { type Identity, type Oidc, refused } from '../work/oidc.ts';
import {
  passkeyRefused,
  relyingParty,
  takeChallenge,
  userHandleOf,
  verifyAssertion,
} from '../work/second-factor.ts';

type PasskeyDeps = Linking & ChangeDeps;

/** What a browser needs to use a passkey of this installation; the device offers those that it has. */
export async function beginPasskeySignIn(deps: PasskeyDeps): Promise<PasskeyOptions> {
  const challenge = newLinkToken();
  await insertChallenge(deps.database, sha256(challenge), null);
  return { challenge, rpId: relyingParty(deps).id };
}

/**
 * Starts a session of the console with a passkey, which counts as both factors; returns the developer's id. `challenge` is that
 * of the browser. @throws PASSKEY_REFUSED (403)
 */
export async function startSessionByPasskey(
  deps: PasskeyDeps,
  answer: {
    readonly credential: Assertion;
    readonly challenge: string | null;
    readonly session_hash: string;
  },
  address: string,
): Promise<string> {
  const { database, origin, config } = deps;
  const credential = await selectCredential(database, answer.credential.id);
  const { id, counter } = await check(deps, credential, answer).catch(async (error: unknown) => {
    await auditFailedLogIn(database, origin, { developerId: credential?.developerId ?? null, address });
    throw error;
  });
  const session = { hash: answer.session_hash, ...sessionLifetimeOf(config) };
  return acting(database, { ...origin, actor: `admin:${id}` }, async (on) => {
    const isOpen = await insertSessionByMethod(on, session, { id, isProven: true, method: 'passkey' });
    if (!isOpen) throw passkeyRefused('account');
    if (!(await useCounter(on, answer.credential.id, counter))) throw passkeyRefused('counter');
    return id;
  });
}

async function check(
  deps: PasskeyDeps,
  stored: Awaited<ReturnType<typeof selectCredential>>,
  { credential, challenge }: { readonly credential: Assertion; readonly challenge: string | null },
): Promise<{ readonly id: string; readonly counter: number }> {
  const signed = await takeChallenge(deps.database, credential, null);
  if (signed !== challenge) throw passkeyRefused('challenge');
  if (stored === undefined || credential.response.userHandle !== userHandleOf(stored.developerId))
    throw passkeyRefused('account');
  const counter = await verifyAssertion(deps, credential, { challenge: signed, credential: stored });
  return { id: stored.developerId, counter };
}

type OidcDeps = Pick<AuthDeps, 'database' | 'oidc' | 'passwords' | 'origin'> & {
  readonly config: Pick<Config, 'OIDC_ALLOWED_DOMAINS' | 'OIDC_ROLES' | 'DEVELOPER_SESSION_DAYS'>;
};

/** The client of the provider. @throws ROUTE_NOT_FOUND (404) where OIDC_ISSUER is not set */
export function oidcIn({ oidc }: Pick<OidcDeps, 'oidc'>): Oidc {
  if (oidc === null) throw new ServiceError('ROUTE_NOT_FOUND');
  return oidc;
}

/**
 * Ends a sign-in with the provider: starts a session of the console; returns the developer's id. An account is bound to the
 * subject at its first sign-in, by its verified address, if that was confirmed here before; one is made if the provider states a role.
 * @throws SIGN_IN_REFUSED (403), SIGN_IN_PROVIDER_AWAY (503)
 */
export async function signInByOidc(
  deps: OidcDeps,
  { query, flow, session_hash }: { query: string; flow: string | null; session_hash: string },
): Promise<string> {
  const identity = await oidcIn(deps).finish(query, flow);
  refuseAddress(identity, deps.config.OIDC_ALLOWED_DOMAINS);
  const roles = rolesOf(identity, deps.config.OIDC_ROLES);
  const account = await accountOf(deps, identity, roles.length > 0);
  const decided = [...new Set(deps.config.OIDC_ROLES.map(({ project }) => project))];
  const session = { hash: session_hash, ...sessionLifetimeOf(deps.config) };
  return acting(deps.database, { ...deps.origin, actor: `admin:${account.id}` }, async (on) => {
    if (
      account.password !== null &&
      !(await insertMemberAccount(on, { ...account, password: account.password }, true))
    )
      throw refused('account');
    if (!(await insertIdentity(on, identity, account.id))) throw refused('subject');
    for (const project of await setRoles(on, account.id, { roles, decided }))
      await endCredentialsOf(on, deps.origin, { project, developerId: account.id });
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
function rolesOf({ groups }: Identity, all: OidcDeps['config']['OIDC_ROLES']): GivenRole[] {
  const roles = new Map<string, GivenRole>();
  for (const { value, project, role } of all)
    if (groups.includes(value) && !roles.has(project)) roles.set(project, { project, role });
  return [...roles.values()];
}

interface Account {
  readonly id: string;
  readonly email: string;
  /** The hash of a new account's password, which nobody knows; null if the account exists. */
  readonly password: string | null;
}

async function accountOf(
  { database, passwords }: OidcDeps,
  identity: Identity,
  mayBeMade: boolean,
): Promise<Account> {
  const { email } = identity;
  const bound = await selectBoundAccount(database, identity, email);
  if (bound?.isOthers === true) throw refused('subject');
  if (bound?.isConfirmed === false) throw refused('unconfirmed');
  if (bound !== undefined) return { id: bound.id, email, password: null };
  if (!mayBeMade) throw refused('account');
  const password = await passwords.hash(randomBytes(32).toString('base64url'));
  return { id: randomUUID(), email, password };
}
