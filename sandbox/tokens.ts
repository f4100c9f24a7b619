import type { Clock } from './clock.ts';
import { type Grant, secret } from './store.ts';

/** How long tokens live by the providers' clock. */
export interface Lifetimes {
  readonly accessMs: number;
  readonly refreshMs: number;
}

/** Somebody who handed out tokens. */
export interface Granter {
  grants: Grant[];
}

/** More than these one account's tokens are not kept: the oldest go. */
const mostGrants = 20;
/** A trouble ends only tokens that were used for a while, or nobody would ever get through. */
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

/** Exchanges a refresh token: the old pair is dead from here on. Null where nobody has it, or it ended. */
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

/** Whose access token this is, as long as it lives. */
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

/** Ends an access token before its time, unless it is just issued; its refresh token stays good. */
export function endEarly(granters: readonly Granter[], accessToken: string | null): boolean {
  for (const { grants } of granters)
    for (const grant of grants)
      if (grant.access_token === accessToken && Date.now() - grant.issued_wall_ms > freshForMs) {
        grant.access_ends_ms = 0;
        return true;
      }
  return false;
}
