import type { Config } from '../../config.ts';
import { validationFailed } from '../../domain/errors.ts';

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
