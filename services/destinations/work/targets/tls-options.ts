import { isIP } from 'node:net';
import { type ConnectionOptions, checkServerIdentity } from 'node:tls';

/** The settings of TLS of a destination. */
export interface TlsSettings {
  readonly tls: 'verify' | 'off';
  readonly tls_ca: string | undefined;
}

/** Options of a connection to an address: the certificate is one of the host. */
export function tlsOptions(host: string, ca: string | undefined) {
  const checked = {
    checkServerIdentity: ((_, certificate) =>
      checkServerIdentity(host, certificate)) satisfies ConnectionOptions['checkServerIdentity'],
  };
  return {
    ...checked,
    rejectUnauthorized: true,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
  };
}
