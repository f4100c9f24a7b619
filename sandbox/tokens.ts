import type { Clock } from './clock.ts';
import type { Ask } from './http.ts';
import { type Client, type Grant, secret } from './store.ts';

/** How long tokens live by the providers' clock. */
export interface Lifetimes {
  readonly accessMs: number;
  readonly refreshMs: number;
}

/** An account whose owner granted tokens. */
export interface Granter {
  grants: Grant[];
}

/** Of one account's tokens, at most these are kept; the oldest are removed first. */
const mostGrants = 20;
/** A fault spares tokens younger than this, or no request would ever succeed. */
const freshForMs = 5000;

/** New tokens for an account. */
export function issue(granter: Granter, clock: Clock, lifetimes: Lifetimes, scope: readonly string[]): Grant {
  const nowMs = clock.nowMs();
  const grant = {
    access_token: secret(),
    access_ends_ms: nowMs + lifetimes.accessMs,
    refresh_token: secret(),
    refresh_ends_ms: nowMs + lifetimes.refreshMs,
    scope: [...scope],
    issued_wall_ms: Date.now(),
  };
  granter.grants = [...granter.grants, grant].slice(-mostGrants);
  return grant;
}

/** Exchanges a refresh token, which ends the old pair. Null where the token is unknown or expired. */
export function refresh<T extends Granter>(
  granters: readonly T[],
  clock: Clock,
  lifetimes: Lifetimes,
  refreshToken: string,
): { granter: T; grant: Grant } | null {
  const granter = granters.find(({ grants }) => grants.some((one) => one.refresh_token === refreshToken));
  const old = granter?.grants.find((one) => one.refresh_token === refreshToken);
  if (granter === undefined || old === undefined) return null;
  granter.grants = granter.grants.filter((one) => one !== old);
  if (old.refresh_ends_ms <= clock.nowMs()) return null;
  return { granter, grant: issue(granter, clock, lifetimes, old.scope) };
}

/** The account of an access token; null where it is unknown or expired. */
export function ownerOf<T extends Granter>(
  granters: readonly T[],
  clock: Clock,
  accessToken: string | null,
): { granter: T; grant: Grant } | null {
  if (accessToken === null) return null;
  for (const granter of granters) {
    const grant = granter.grants.find((one) => one.access_token === accessToken);
    if (grant !== undefined) return grant.access_ends_ms > clock.nowMs() ? { granter, grant } : null;
  }
  return null;
}

/** Ends an access token early, unless it was issued just now; its refresh token stays valid. */
export function endEarly(granters: readonly Granter[], accessToken: string | null): boolean {
  for (const { grants } of granters)
    for (const grant of grants)
      if (grant.access_token === accessToken && Date.now() - grant.issued_wall_ms > freshForMs) {
        grant.access_ends_ms = 0;
        return true;
      }
  return false;
}

/** Whether a token request names the application, in its form or by Basic authorization. */
export function isClient({ form, headers }: Ask, { client_id, client_secret }: Client): boolean {
  const [, basic = ''] = /^Basic\s+(\S+)$/i.exec(headers.authorization ?? '') ?? [];
  if (Buffer.from(basic, 'base64').toString('utf8') === `${client_id}:${client_secret}`) return true;
  return form.get('client_id') === client_id && form.get('client_secret') === client_secret;
}
