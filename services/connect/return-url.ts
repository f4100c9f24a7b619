import type { Config } from '../../config.ts';
import type { ConnectSession } from './queries/connect-sessions.ts';
import { listedOrNull } from './redirects.ts';

type Returning = Pick<
  ConnectSession,
  'redirectUri' | 'connected' | 'lastProvider' | 'lastStatus' | 'lastReason'
>;

/** The application's address with the result of a session. It contains no secret. Null if the session has no address. */
export function returnUrl(config: Config, session: Returning): string | null {
  const redirectUri = listedOrNull(config, session.redirectUri);
  if (redirectUri === null) return null;
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(resultOf(session))) url.searchParams.set(name, value);
  return url.href;
}

function resultOf({ connected, lastProvider, lastStatus, lastReason }: Returning): Record<string, string> {
  if (connected.length > 0) return { status: 'connected', provider: connected.join(',') };
  if (lastProvider === null || lastStatus === null) return { status: 'cancelled' };
  const reason = lastReason === null ? {} : { reason: lastReason };
  return { status: lastStatus, provider: lastProvider, ...reason };
}
