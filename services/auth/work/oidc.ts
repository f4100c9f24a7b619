import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Mixin } from '../../../runtime/environment.ts';

/** The settings of the provider. */
type OidcSettings = Pick<Config, 'OIDC_ISSUER' | 'OIDC_CLIENT_ID' | 'OIDC_CLIENT_SECRET' | 'OIDC_ROLE_CLAIM'>;

/** What a provider states of whoever signed in. */
export interface Identity {
  readonly issuer: string;
  readonly subject: string;
  readonly email: string;
  readonly isVerified: boolean;
  /** The values of the claim of OIDC_ROLE_CLAIM. */
  readonly groups: readonly string[];
  /** The provider asked for a second factor. */
  readonly hasSecondFactor: boolean;
}

/** What the browser keeps in a cookie between the two requests of a sign-in. */
const Flow = z.object({ state: z.string(), nonce: z.string(), verifier: z.string(), redirect_uri: z.url() });

/** The client of the provider. */
export interface Oidc {
  /** The address to send the browser to, and what it has to bring back. @throws SIGN_IN_PROVIDER_AWAY (503) */
  begin(redirectUri: string): Promise<{ readonly url: string; readonly flow: string }>;
  /** The identity at the end of a sign-in; `query` is that of the callback. @throws SIGN_IN_REFUSED (403), SIGN_IN_PROVIDER_AWAY (503) */
  finish(query: string, flow: string | null): Promise<Identity>;
}

const requestMs = 5000;
/** The keys and addresses of a provider are read again after this time. */
const discoveryMs = 3_600_000;
const toleranceSeconds = 30;
const scope = 'openid email profile';

type Library = typeof import('openid-client');
type Discovered = Awaited<ReturnType<Library['discovery']>>;

/** The client of OIDC_ISSUER; null where it is not set. `now` is the clock. */
export function oidcOf(settings: OidcSettings, now: () => number = Date.now): Oidc | null {
  const { OIDC_ISSUER, OIDC_CLIENT_ID } = settings;
  if (OIDC_ISSUER === undefined || OIDC_CLIENT_ID === undefined) return null;
  const issuer = new URL(OIDC_ISSUER);
  let discovery: { readonly at: number; readonly config: Promise<Discovered> } | null = null;
  // The package is loaded with the first sign-in.
  const library = () => import('openid-client');
  const discovered = async () => {
    if (discovery === null || now() - discovery.at > discoveryMs)
      discovery = {
        at: now(),
        config: library().then((client) => discover(client, issuer, OIDC_CLIENT_ID, settings)),
      };
    const { config } = discovery;
    return config.catch((error: unknown) => {
      discovery = null;
      throw error;
    });
  };
  return {
    async begin(redirectUri) {
      const client = await library();
      const config = await asking(discovered);
      const flow = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        redirect_uri: redirectUri,
        verifier: client.randomPKCECodeVerifier(),
      };
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope,
        state: flow.state,
        nonce: flow.nonce,
        code_challenge: await client.calculatePKCECodeChallenge(flow.verifier),
        code_challenge_method: 'S256',
      });
      return { url: url.href, flow: Buffer.from(new URLSearchParams(flow).toString()).toString('base64url') };
    },
    async finish(query, cookie) {
      const flow = flowIn(cookie);
      const url = new URL(flow.redirect_uri);
      url.search = query;
      if (url.searchParams.get('state') !== flow.state) throw refused('browser');
      const client = await library();
      const config = await asking(discovered);
      const checks = {
        expectedState: flow.state,
        expectedNonce: flow.nonce,
        pkceCodeVerifier: flow.verifier,
        idTokenExpected: true,
      };
      const from = now();
      const tokens = await asking(() => client.authorizationCodeGrant(config, url, checks));
      const claims = tokens.claims();
      if (claims === undefined) throw refused('provider');
      refuseSkew(claims.iat, from, now());
      const isWhole = typeof claims.email === 'string';
      const more = isWhole
        ? {}
        : await asking(() => client.fetchUserInfo(config, tokens.access_token, claims.sub));
      return identityOf({ ...more, ...claims }, settings.OIDC_ROLE_CLAIM);
    },
  };
}

/** The client as a mixin: `uses: { oidc: oidc() }`. */
export function oidc(): Mixin<Oidc | null> {
  return ({ config }) => oidcOf(config);
}

function discover(
  client: Library,
  issuer: URL,
  clientId: string,
  settings: OidcSettings,
): Promise<Discovered> {
  const { OIDC_CLIENT_SECRET: secret } = settings;
  const metadata = { [client.clockTolerance]: toleranceSeconds };
  const authentication = secret === undefined ? client.None() : client.ClientSecretPost(secret);
  return client.discovery(issuer, clientId, metadata, authentication, {
    timeout: requestMs / 1000,
    [client.customFetch]: (url, { method, headers, body, signal }) => {
      // A document of the provider cannot send the client, with its secret, to another server.
      if (new URL(url).origin !== issuer.origin) throw new ForeignOrigin(new URL(url).origin);
      const sent = body === undefined || body === null ? {} : { body };
      return fetch(url, { method, headers, ...sent, ...(signal ? { signal } : {}), redirect: 'manual' });
    },
    // The signature is checked too, which TLS alone would not require.
    execute: [
      client.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [client.allowInsecureRequests] : []),
    ],
  });
}

/** An address of the provider is of another origin than the issuer. */
class ForeignOrigin extends Error {}

function flowIn(text: string | null) {
  try {
    const fields = new URLSearchParams(Buffer.from(text ?? '', 'base64url').toString('utf8'));
    return Flow.parse(Object.fromEntries(fields));
  } catch (error) {
    throw refused('browser', error);
  }
}

// The token was issued between the request and its answer, by the clock of the provider.
function refuseSkew(issuedSeconds: number, fromMs: number, toMs: number): void {
  const isEarly = issuedSeconds < Math.floor(fromMs / 1000) - toleranceSeconds;
  const isLate = issuedSeconds > Math.ceil(toMs / 1000) + toleranceSeconds;
  if (isEarly || isLate) throw refused('clock');
}

async function asking<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error);
  }
}

const awayStatus = 500;

function failureOf(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const codes = [error, fieldOf(error, 'cause')].map((cause) => fieldOf(cause, 'code'));
  const names = [error, fieldOf(error, 'cause')].map((cause) => fieldOf(cause, 'name'));
  if (codes.includes('OAUTH_JWT_TIMESTAMP_CHECK_FAILED')) return refused('clock', error);
  const status = Number(fieldOf(error, 'status') ?? fieldOf(fieldOf(error, 'cause'), 'status'));
  const isAway =
    codes.includes('OAUTH_TIMEOUT') || names.includes('TimeoutError') || names.includes('TypeError');
  if (isAway || status >= awayStatus)
    return new ServiceError('SIGN_IN_PROVIDER_AWAY', undefined, undefined, error);
  return refused('provider', error);
}

const Claims = z.object({
  iss: z.string(),
  sub: z.string().min(1).max(255),
  email: z.string().max(320).optional(),
  email_verified: z.union([z.boolean(), z.string()]).optional(),
  amr: z.array(z.string()).optional().catch(undefined),
});
const Groups = z.union([z.string().transform((group) => [group]), z.array(z.string())]).catch([]);

function identityOf(claims: Readonly<Record<string, unknown>>, roleClaim: string): Identity {
  const { iss, sub, email = '', email_verified, amr = [] } = Claims.parse(claims);
  return {
    issuer: iss,
    subject: sub,
    email,
    isVerified: email !== '' && (email_verified === true || email_verified === 'true'),
    groups: Groups.parse(claims[roleClaim]),
    hasSecondFactor: amr.includes('mfa'),
  };
}

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
type Refusal = keyof typeof sentences;

/** SIGN_IN_REFUSED (403) with one sentence. */
export const refused = (why: Refusal, cause?: unknown) =>
  new ServiceError('SIGN_IN_REFUSED', sentences[why], undefined, cause);
