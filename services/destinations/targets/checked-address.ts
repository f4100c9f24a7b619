import { promises as dns } from 'node:dns';
import { isIP } from 'node:net';
import { AddressRefused, publicLookup } from '../../../runtime/http/guarded-request.ts';
import { isPublicAddress } from '../../../runtime/http/public-address.ts';
import { isListed } from '../manage/check-hosts.ts';
import type { Run, TargetHost } from './target.ts';

/** The address that a connection is made to. @throws AddressRefused, an error of the resolver */
export async function checkedAddress(
  { config, resolve }: Pick<Run, 'config' | 'resolve'>,
  { host, port, isEncrypted }: TargetHost,
): Promise<string> {
  const isAllowed = isListed(config, { host, port });
  if (!isAllowed && (!isEncrypted || (isIP(host) !== 0 && !isPublicAddress(host))))
    throw new AddressRefused();
  if (isIP(host) !== 0) return host;
  if (isAllowed) return (await dns.lookup(host)).address;
  return new Promise((settle, reject) => {
    publicLookup(resolve)(host, {}, (error, address) =>
      error === null ? settle(String(address)) : reject(error),
    );
  });
}
