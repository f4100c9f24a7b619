import { setTimeout as sleep } from 'node:timers/promises';
import pRetry from 'p-retry';
import type { Config } from '../../config.ts';
import type { StoredTokens } from '../../contracts/users/schemas.ts';
import { isError } from '../../domain/errors.ts';
import { isoTimeOrNull } from '../../domain/time/time.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import { inRegion } from '../../runtime/provider-settings.ts';
import { type Cipher, cipherOf } from './cipher.ts';
import {
  type Exchange,
  type FreshTokens,
  installationClient,
  openClient,
  type ProviderClient,
  refreshTokens,
} from './token-endpoint.ts';

/** The user and the provider of a token. */
interface TokenUser {
  readonly user_id: string;
  readonly provider: ProviderName;
}

/** A decrypted access token for one request. It must not appear in a log, an answer or a row. */
export interface Bearer {
  readonly kind: 'token';
  readonly token: string;
  readonly connection_id: string;
  readonly connected_at: string;
  /** Version of the stored tokens. A caller passes it back if the provider rejects the token. */
  readonly version: number;
  /** The OAuth client of a project that the token was issued to. Omitted: that of the installation. */
  readonly client_id?: string;
  /** The region of the account, whose addresses alone the token is sent to. Omitted: the provider has none. */
  readonly region?: string;
  /** The token has not worked yet, so the refresh token before it is still stored. */
  readonly isUnconfirmed?: boolean;
}

/**
 * The reason why there is no token. `none` is permanent: `USER_GONE`, `CONNECTION_GONE` (also revoked or expired),
 * `TOKEN_MISSING` (the connection has none), `TOKEN_REFUSED` (the provider does not refresh it, and the connection is
 * now expired), `CLIENT_REMOVED` (the client that it was issued to has no secret any more, and the connection is now expired). `later` is temporary.
 */
export type NoBearer =
  | {
      readonly kind: 'none';
      readonly reason: 'USER_GONE' | 'CONNECTION_GONE' | 'TOKEN_MISSING' | 'TOKEN_REFUSED' | 'CLIENT_REMOVED';
    }
  | { readonly kind: 'later'; readonly reason: string };

/** Fresh, decrypted access tokens of users at providers. */
export interface ProviderTokens {
  /**
   * A token that is valid for at least another minute. A token that ends sooner is refreshed first. `refused` is the
   * version that the provider just answered 401 to: those tokens are refreshed, unless that was done already.
   */
  bearer(user: TokenUser, options?: BearerOptions): Promise<Bearer | NoBearer>;
  /** Reports that the provider accepted this token. Only then is the refresh token before it erased. Never throws. */
  worked(bearer: Bearer): Promise<void>;
  /** Marks the connection as expired because the provider rejects fresh tokens. */
  expire(bearer: Bearer): Promise<void>;
}

/** Options of a request for a token. */
interface BearerOptions {
  readonly refused?: number;
  readonly signal?: AbortSignal;
}

interface Deps {
  readonly environment: Environment;
  readonly cipher: Cipher;
  /** Running refreshes of this process by connection. Concurrent callers share one. */
  readonly underWay: Map<string, Promise<Bearer | NoBearer>>;
}

/** How a request is sent with a token, and what its result is without one. */
interface WithToken<T> {
  /** Null: the provider refuses the token. */
  readonly send: (bearer: Bearer) => Promise<T | null>;
  readonly without: (none: NoBearer) => T;
}

/**
 * Sends a request with a token of a user. A refused token is refreshed once. If the fresh one is refused too, the
 * connection has ended: `TOKEN_REFUSED`.
 */
export async function sendWithToken<T>(
  tokens: ProviderTokens,
  user: TokenUser,
  signal: AbortSignal,
  { send, without }: WithToken<T>,
): Promise<T> {
  const bearer = await tokens.bearer(user, { signal });
  if (bearer.kind !== 'token') return without(bearer);
  const first = await send(bearer);
  if (first !== null) return first;
  const fresh = await tokens.bearer(user, { signal, refused: bearer.version });
  if (fresh.kind !== 'token') return without(fresh);
  const second = await send(fresh);
  if (second !== null) return second;
  await tokens.expire(fresh);
  return without({ kind: 'none', reason: 'TOKEN_REFUSED' });
}

// The lease outlasts the longest refresh: two exchanges of 10 s, and 18 s of attempts to store the result.
const leaseMs = 45_000;
const waitMostMs = leaseMs + 5000;
const endsSoonMs = 60_000;

/** Provider tokens as a mixin: `uses: { tokens: providerTokens() }`. Needs the users service on the bus. */
export function providerTokens(): Mixin<ProviderTokens> {
  return (environment) => {
    const deps: Deps = { environment, cipher: cipherOf(environment.config), underWay: new Map() };
    return {
      bearer: (user, options = {}) => bearerOf(deps, user, options),
      worked: (bearer) => confirm(deps, bearer),
      expire: ({ connection_id, version }) => expire(deps, { connection_id, version }, 'TOKEN_REFUSED'),
    };
  };
}

async function bearerOf(deps: Deps, user: TokenUser, options: BearerOptions): Promise<Bearer | NoBearer> {
  const held = await read(deps, user);
  if ('kind' in held) return held;
  if (held.status !== 'active') return { kind: 'none', reason: 'CONNECTION_GONE' };
  if (held.access_token === null) return { kind: 'none', reason: 'TOKEN_MISSING' };
  const isRefused = held.version === options.refused;
  if (!isRefused && !endsWithin(held, endsSoonMs)) return inClear(deps, held, held.access_token);
  if (held.refresh_token !== null && held.client?.client_secret === null)
    return ended(deps, held, 'CLIENT_REMOVED');
  if (held.refresh_token !== null) return refreshTogether(deps, user, held, options);
  if (!isRefused) return inClear(deps, held, held.access_token);
  return ended(deps, held, 'TOKEN_REFUSED');
}

type EndReason = 'TOKEN_REFUSED' | 'CLIENT_REMOVED';

async function ended(deps: Deps, held: StoredTokens, reason: EndReason): Promise<NoBearer> {
  await expire(deps, held, reason);
  return { kind: 'none', reason };
}

async function read({ environment }: Deps, user: TokenUser): Promise<StoredTokens | NoBearer> {
  try {
    return await environment.call('users.tokens', { user_id: user.user_id, provider: user.provider });
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND')) return { kind: 'none', reason: 'USER_GONE' };
    if (isError(error, 'CONNECTION_NOT_FOUND')) return { kind: 'none', reason: 'CONNECTION_GONE' };
    return { kind: 'later', reason: 'USERS_AWAY' };
  }
}

function endsWithin({ expires_at }: StoredTokens, ms: number): boolean {
  return expires_at !== null && Date.parse(expires_at) <= Date.now() + ms;
}

function inClear(deps: Deps, held: StoredTokens, sealed: string): Bearer | NoBearer {
  const token = openToken(deps, held, sealed);
  if (token === null) return { kind: 'later', reason: 'TOKEN_UNREADABLE' };
  const { connection_id, connected_at, version, previous_refresh_token, client, region = null } = held;
  const issuedTo = {
    ...(client === null ? {} : { client_id: client.client_id }),
    ...(region === null ? {} : { region }),
  };
  const bearer = { kind: 'token' as const, token, connection_id, connected_at, version, ...issuedTo };
  return previous_refresh_token === null ? bearer : { ...bearer, isUnconfirmed: true };
}

// If the report is lost, the next use of the token repeats it.
async function confirm(
  { environment }: Deps,
  { connection_id, version, isUnconfirmed }: Bearer,
): Promise<void> {
  if (isUnconfirmed !== true) return;
  await environment.call('users.confirmTokens', { connection_id, version }).catch(() => undefined);
}

function refreshTogether(
  deps: Deps,
  user: TokenUser,
  held: StoredTokens,
  options: BearerOptions,
): Promise<Bearer | NoBearer> {
  const key = `${held.connection_id} ${held.version}`;
  const running = deps.underWay.get(key);
  if (running !== undefined) return running;
  const refreshing = refresh(deps, user, held, options).finally(() => deps.underWay.delete(key));
  deps.underWay.set(key, refreshing);
  return refreshing;
}

// If another process holds the refresh lease, this one waits for its result or for the end of the lease.
async function refresh(
  deps: Deps,
  user: TokenUser,
  held: StoredTokens,
  options: BearerOptions,
): Promise<Bearer | NoBearer> {
  const { connection_id, version } = held;
  const until = performance.now() + waitMostMs;
  while (performance.now() < until && options.signal?.aborted !== true) {
    const lease = { connection_id, version, lease_ms: leaseMs };
    const { leased } = await deps.environment
      .call('users.leaseRefresh', lease)
      .catch(() => ({ leased: false }));
    if (leased) return exchange(deps, user, held, options);
    await sleep(100 + Math.random() * 200);
    const now = await read(deps, user);
    if ('kind' in now || now.version !== version) return bearerOf(deps, user, {});
  }
  return { kind: 'later', reason: 'REFRESH_BUSY' };
}

async function exchange(
  deps: Deps,
  user: TokenUser,
  held: StoredTokens,
  options: BearerOptions,
): Promise<Bearer | NoBearer> {
  const { connection_id, version } = held;
  const outcome = await exchangeEither(deps, user.provider, held);
  deps.environment.logger.info('token.refreshed', {
    provider: user.provider,
    connection_id,
    outcome: outcome.kind,
  });
  if (outcome.kind === 'fresh') return keep(deps, user, held, outcome.tokens);
  if (outcome.kind === 'refused') return ended(deps, held, 'TOKEN_REFUSED');
  await deps.environment
    .call('users.releaseRefresh', { connection_id, version })
    .catch(() => undefined /* the lease ends by itself */);
  const isGood = version !== options.refused && !endsWithin(held, 0);
  return isGood && held.access_token !== null
    ? inClear(deps, held, held.access_token)
    : { kind: 'later', reason: 'REFRESH_FAILED' };
}

const storing = { retries: 10, minTimeout: 200, maxTimeout: 2000, maxRetryTime: 15_000, randomize: true };

// The old refresh token is already invalid, so storing the new one is retried more often than any other call. Only
// stored tokens are used.
async function keep(
  deps: Deps,
  user: TokenUser,
  { connection_id, version }: StoredTokens,
  tokens: FreshTokens,
): Promise<Bearer | NoBearer> {
  const { access_token, refresh_token, expires_at_ms } = tokens;
  const { cipher, environment } = deps;
  const sealed = {
    connection_id,
    version,
    access_token: cipher.encrypt(access_token, connection_id),
    refresh_token: refresh_token === null ? null : cipher.encrypt(refresh_token, connection_id),
    expires_at: isoTimeOrNull(expires_at_ms),
  };
  try {
    await pRetry(() => environment.call('users.storeTokens', sealed, { timeout: 3000, retries: 0 }), storing);
  } catch {
    environment.logger.error('token.not_stored', { connection_id });
    return { kind: 'later', reason: 'USERS_AWAY' };
  }
  const now = await read(deps, user);
  if ('kind' in now) return now;
  if (now.status !== 'active' || now.access_token === null)
    return { kind: 'none', reason: 'CONNECTION_GONE' };
  return inClear(deps, now, now.access_token);
}

async function expire(
  { environment }: Deps,
  { connection_id, version }: Pick<StoredTokens, 'connection_id' | 'version'>,
  reason: EndReason,
): Promise<void> {
  try {
    await environment.call('users.expire', { connection_id, version, reason });
    environment.logger.info('connection.expired', { connection_id, reason });
  } catch {
    // The next use of these tokens is rejected too, and repeats this step.
    environment.logger.warn('connection.not_expired', { connection_id });
  }
}

interface Exchanging {
  readonly environment: Pick<Environment, 'config' | 'logger'>;
  readonly cipher: Cipher;
}

/** A token in clear. Null: a secret is missing from ENCRYPTION_KEY. It may be restored, so the connection is kept. */
function openToken(
  { cipher, environment }: Exchanging,
  { connection_id }: StoredTokens,
  sealed: string,
): string | null {
  try {
    return cipher.decrypt(sealed, connection_id);
  } catch {
    environment.logger.error('token.unreadable', { connection_id });
    return null;
  }
}

/**
 * Exchanges the refresh token. The provider may have lost tokens that it issued shortly before. Until one of them has worked, the refresh
 * token before them is tried as well.
 */
async function exchangeEither(
  deps: Exchanging,
  provider: ProviderName,
  held: StoredTokens,
): Promise<Exchange> {
  const first = await exchangeOne(deps, provider, held, held.refresh_token);
  const previous = held.previous_refresh_token;
  return first.kind === 'refused' && previous !== null ? exchangeOne(deps, provider, held, previous) : first;
}

async function exchangeOne(
  deps: Exchanging,
  provider: ProviderName,
  held: StoredTokens,
  sealed: string | null,
): Promise<Exchange> {
  const config = inRegion(deps.environment.config, provider, held.region ?? null);
  const refreshToken = openToken(deps, held, sealed ?? '');
  const client = clientOf(deps, config, provider, held);
  if (refreshToken === null || client === null) return { kind: 'later' };
  return refreshTokens(config, provider, client, refreshToken);
}

function clientOf(
  { cipher, environment }: Exchanging,
  config: Config,
  provider: ProviderName,
  { connection_id, client = null }: StoredTokens,
): ProviderClient | null {
  if (client === null) return installationClient(config, provider);
  try {
    return openClient(cipher, client);
  } catch {
    environment.logger.error('client.unreadable', { connection_id });
    return null;
  }
}
