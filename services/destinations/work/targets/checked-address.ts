import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { TargetError, type TargetErrorCode } from '../../../../domain/destinations/target-errors.ts';
import { errorCodeOf } from '../../../../domain/error-code.ts';
import { AddressRefused, publicLookup, withinLimits } from '../../../../runtime/http/guarded-request.ts';
import { isPublicAddress } from '../../../../runtime/http/public-address.ts';
import { isListed, type TargetHost } from '../../rules/allowed-hosts.ts';
import type { Host } from '../session/connection.ts';
import type { Run } from './target.ts';

/** A host with the addresses that connections are made to. @throws TargetError */
export async function checkedHost(run: Run, { host, port, isEncrypted }: TargetHost): Promise<Host> {
  const { connectMs, totalMs } = run.pace;
  const addresses = await withinLimits(
    { connectMs, totalMs, signal: run.held.signal },
    ({ signal }) => Promise.race([checkedAddresses(run, { host, port, isEncrypted }), rejectedBy(signal)]),
    (limit, error) => {
      throw new TargetError(limit ?? reasonOf(error), error);
    },
  );
  return { host, port, addresses, connectMs, totalMs };
}

function rejectedBy(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
}

async function checkedAddresses(
  { config, resolve }: Pick<Run, 'config' | 'resolve'>,
  { host, port, isEncrypted }: TargetHost,
): Promise<readonly LookupAddress[]> {
  const isAllowed = isListed(config, { host, port });
  const family = isIP(host);
  if (!isAllowed && (!isEncrypted || (family !== 0 && !isPublicAddress(host)))) throw new AddressRefused();
  if (family !== 0) return [{ address: host, family }];
  if (isAllowed) return dns.lookup(host, { all: true });
  return new Promise((settle, reject) => {
    publicLookup(resolve)(host, { all: true }, (error, addresses) =>
      error === null && Array.isArray(addresses) ? settle(addresses) : reject(error),
    );
  });
}

function reasonOf(error: unknown): TargetErrorCode {
  if (error instanceof AddressRefused) return 'address_refused';
  const code = errorCodeOf(error) ?? '';
  return code === 'ENOTFOUND' || code === 'EAI_AGAIN' ? 'name_unknown' : 'unreachable';
}
