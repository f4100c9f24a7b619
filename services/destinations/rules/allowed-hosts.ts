import { isIP } from 'node:net';
import type { Config } from '../../../config.ts';
import { validationFailed } from '../../../domain/errors.ts';
import { isPublicAddress } from '../../../runtime/http/public-address.ts';

/** A host that settings lead to. */
export interface TargetHost {
  readonly host: string;
  readonly port: number;
  /** Whether TLS authenticates the host. Other connections are allowed to hosts of DESTINATION_HOSTS only. */
  readonly isEncrypted: boolean;
}

type Allowed = Pick<Config, 'DESTINATION_HOSTS'>;

/** Whether the operator allows a host as it is. */
export function isListed(
  { DESTINATION_HOSTS }: Allowed,
  { host, port }: Omit<TargetHost, 'isEncrypted'>,
): boolean {
  const name = isIP(host) === 6 ? `[${host}]` : host.toLowerCase();
  return DESTINATION_HOSTS.includes(`${name}:${port}`);
}

/** Refuses hosts that nothing can be written to. The addresses of a name are checked at each connection. @throws VALIDATION_FAILED (422) */
export function checkHosts(hosts: readonly TargetHost[], config: Allowed): void {
  for (const one of hosts) {
    if (isListed(config, one)) continue;
    const refuse = (message: string) => validationFailed([{ field: 'settings', message }]);
    const unless = 'unless host and port are in the setting DESTINATION_HOSTS';
    if (!one.isEncrypted) throw refuse(`must lead to an encrypted connection, ${unless}`);
    const isLocal = isIP(one.host) === 0 ? /(^|\.)localhost\.?$/i.test(one.host) : !isPublicAddress(one.host);
    if (isLocal) throw refuse(`must lead to a public host, ${unless}`);
  }
}
