import type { Config } from '../../../config.ts';

/** How long the tokens of a family are valid. */
export interface Lifetime {
  /** From the log-in, or from the last refresh. */
  readonly refreshSeconds: number;
  /** From the log-in or the issue of the token, however often it is refreshed. */
  readonly absoluteSeconds: number;
}

/** The lifetimes by kind of session. */
export interface Lifetimes {
  readonly sdk: Lifetime;
  readonly developer: Lifetime;
}

const daySeconds = 86_400;
// A mobile app may be unused for longer than a console.
const refreshDays = { sdk: 60, developer: 7 };

/** The settings of absolute lifetimes. */
export type SessionDays = Pick<Config, 'SDK_SESSION_DAYS' | 'DEVELOPER_SESSION_DAYS'>;

/** The lifetimes, bounded by SDK_SESSION_DAYS and DEVELOPER_SESSION_DAYS. */
export function lifetimesOf(config: SessionDays): Lifetimes {
  const lifetime = (refresh: number, absolute: number): Lifetime => ({
    refreshSeconds: Math.min(refresh, absolute) * daySeconds,
    absoluteSeconds: absolute * daySeconds,
  });
  return {
    sdk: lifetime(refreshDays.sdk, config.SDK_SESSION_DAYS),
    developer: lifetime(refreshDays.developer, config.DEVELOPER_SESSION_DAYS),
  };
}

/** How long a session of the console is valid. */
export interface SessionLifetime {
  /** From its last use. */
  readonly idleSeconds: number;
  /** From the sign-in. */
  readonly absoluteSeconds: number;
}

const idleHours = 12;
const longestSessionDays = 7;

/** The lifetime of a session of the console. A browser is left open more often than a token is kept, so it is shorter. */
export function sessionLifetimeOf(config: Pick<Config, 'DEVELOPER_SESSION_DAYS'>): SessionLifetime {
  const days = Math.min(longestSessionDays, config.DEVELOPER_SESSION_DAYS);
  return { idleSeconds: idleHours * 3600, absoluteSeconds: days * daySeconds };
}
