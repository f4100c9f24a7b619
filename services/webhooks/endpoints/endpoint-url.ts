import { isIP } from 'node:net';
import type { Config } from '../../../config.ts';
import { validationFailed } from '../../../domain/errors.ts';
import { isPublicAddress } from '../../../runtime/http/public-address.ts';

const firstFreePort = 1024;

/**
 * Refuses addresses that no message can be sent to. The addresses of a name are checked at each connection.
 * @throws VALIDATION_FAILED (422)
 */
export function checkEndpointUrl(
  text: string,
  { WEBHOOK_ENDPOINT_ORIGINS }: Pick<Config, 'WEBHOOK_ENDPOINT_ORIGINS'>,
): void {
  const url = new URL(text);
  if (WEBHOOK_ENDPOINT_ORIGINS.includes(url.origin)) return;
  const refuse = (message: string) => validationFailed([{ field: 'url', message }]);
  if (url.protocol !== 'https:')
    throw refuse('must be https, unless its origin is in the setting WEBHOOK_ENDPOINT_ORIGINS');
  // Other protocols are spoken there. The port of https is empty.
  if (url.port !== '' && Number(url.port) < firstFreePort)
    throw refuse('must have the port 443 or one of 1024 and above');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isLocal = isIP(host) === 0 ? /(^|\.)localhost\.?$/.test(host) : !isPublicAddress(host);
  if (isLocal) throw refuse('must be public, unless its origin is in the setting WEBHOOK_ENDPOINT_ORIGINS');
}
