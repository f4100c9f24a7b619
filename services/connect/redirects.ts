import type { Config } from '../../config.ts';
import { validationFailed } from '../../domain/errors.ts';

/** Checks an address that a browser is redirected to. @throws VALIDATION_FAILED (422) unless CONNECT_REDIRECTS lists it */
export function checkRedirect(config: Config, redirect: string | undefined): void {
  if (redirect === undefined || isListed(config, redirect)) return;
  throw validationFailed([
    { field: 'redirect_uri', message: 'must be one of the addresses that CONNECT_REDIRECTS lists' },
  ]);
}

/** Whether CONNECT_REDIRECTS lists an address. It may have changed since the address was stored. */
export function isListed({ CONNECT_REDIRECTS }: Config, redirect: string): boolean {
  return CONNECT_REDIRECTS.includes(redirect);
}
