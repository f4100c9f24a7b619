import type { Config } from '../../../config.ts';
import { validationFailed } from '../../../domain/errors.ts';

/** Checks an address that a browser is redirected to. @throws VALIDATION_FAILED (422) unless CONNECT_REDIRECTS lists it */
export function checkRedirect(config: Config, redirect: string | undefined): void {
  if (redirect === undefined || isListed(config, redirect)) return;
  throw validationFailed([
    { field: 'redirect_uri', message: 'must be one of the addresses that CONNECT_REDIRECTS lists' },
  ]);
}

/** A stored address, if CONNECT_REDIRECTS still lists it. */
export function listedOrNull(config: Config, redirect: string | null): string | null {
  return redirect !== null && isListed(config, redirect) ? redirect : null;
}

function isListed({ CONNECT_REDIRECTS }: Config, redirect: string): boolean {
  return CONNECT_REDIRECTS.includes(redirect);
}

/** The address of a session, and the outcome of its attempts. */
interface SessionResult {
  readonly redirectUri: string | null;
  readonly connected: readonly string[];
  readonly lastProvider: string | null;
  readonly lastStatus: string | null;
  readonly lastReason: string | null;
}

/** The application's address with the result of a session. It contains no secret. Null if the session has no address. */
export function returnUrl(config: Config, session: SessionResult): string | null {
  const redirectUri = listedOrNull(config, session.redirectUri);
  if (redirectUri === null) return null;
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(resultOf(session))) url.searchParams.set(name, value);
  return url.href;
}

function resultOf({
  connected,
  lastProvider,
  lastStatus,
  lastReason,
}: SessionResult): Record<string, string> {
  if (connected.length > 0) return { status: 'connected', provider: connected.join(',') };
  if (lastProvider === null || lastStatus === null) return { status: 'cancelled' };
  const reason = lastReason === null ? {} : { reason: lastReason };
  return { status: lastStatus, provider: lastProvider, ...reason };
}
