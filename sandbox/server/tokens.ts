import type { Clock } from '../simulation/clock.ts';
import type { HttpRequest } from './http.ts';
import { type Client, type Grant, secret } from './store.ts';

/** The lifetimes of tokens by the providers' clock. */
export interface Lifetimes {
  readonly accessMs: number;
  readonly refreshMs: number;
}

/** An account with granted tokens. */
export interface TokenHolder {
  grants: Grant[];
}

/** The largest number of grants per account; the oldest are removed first. */
const mostGrants = 20;
/** The fault `expiry` does not affect younger tokens, because otherwise no request would succeed. */
const freshForMs = 5000;

/** Issues tokens for an account. */
export function issue(
  holder: TokenHolder,
  clock: Clock,
  lifetimes: Lifetimes,
  scope: readonly string[],
): Grant {
  const nowMs = clock.nowMs();
  const grant = {
    access_token: secret(),
    access_ends_ms: nowMs + lifetimes.accessMs,
    refresh_token: secret(),
    refresh_ends_ms: nowMs + lifetimes.refreshMs,
    scope: [...scope],
    issued_wall_ms: Date.now(),
  };
  holder.grants = [...holder.grants, grant].slice(-mostGrants);
  return grant;
}

/** Exchanges a refresh token and revokes the old pair. Null if the token is unknown or expired. */
export function refresh<T extends TokenHolder>(
  tokenHolders: readonly T[],
  clock: Clock,
  lifetimes: Lifetimes,
  refreshToken: string,
): { holder: T; grant: Grant } | null {
  const holder = tokenHolders.find(({ grants }) => grants.some((one) => one.refresh_token === refreshToken));
  const old = holder?.grants.find((one) => one.refresh_token === refreshToken);
  if (holder === undefined || old === undefined) return null;
  holder.grants = holder.grants.filter((one) => one !== old);
  if (old.refresh_ends_ms <= clock.nowMs()) return null;
  return { holder, grant: issue(holder, clock, lifetimes, old.scope) };
}

/** The account of an access token; null if the token is unknown or expired. */
export function ownerOf<T extends TokenHolder>(
  tokenHolders: readonly T[],
  clock: Clock,
  accessToken: string | null,
): { holder: T; grant: Grant } | null {
  if (accessToken === null) return null;
  for (const holder of tokenHolders) {
    const grant = holder.grants.find((one) => one.access_token === accessToken);
    if (grant !== undefined) return grant.access_ends_ms > clock.nowMs() ? { holder, grant } : null;
  }
  return null;
}

/** Expires an access token early, unless it was just issued. Its refresh token stays valid. */
export function expireEarly(tokenHolders: readonly TokenHolder[], accessToken: string | null): boolean {
  for (const { grants } of tokenHolders)
    for (const grant of grants)
      if (grant.access_token === accessToken && Date.now() - grant.issued_wall_ms > freshForMs) {
        grant.access_ends_ms = 0;
        return true;
      }
  return false;
}

/** Whether a token request authenticates the application, in its form or by Basic authorization, of which a provider may know one. */
export function isClient(
  { form, headers }: HttpRequest,
  { client_id, client_secret }: Client,
  by: 'form' | 'basic' | 'any' = 'any',
): boolean {
  const [, basic = ''] = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (by !== 'form' && Buffer.from(basic, 'base64').toString('utf8') === `${client_id}:${client_secret}`)
    return true;
  return by !== 'basic' && form.get('client_id') === client_id && form.get('client_secret') === client_secret;
}
