import { createHmac, hkdfSync } from 'node:crypto';
import type { Config } from '../../../config.ts';
import type { ProviderName } from '../../../providers/all.ts';

/** The hashes of a provider's account, one for each secret of ENCRYPTION_KEY, that of the first secret first. */
export type AccountHashes = (provider: ProviderName, account: string) => readonly Buffer[];

/** Hashes accounts with keys derived from ENCRYPTION_KEY. Without the setting, a hash cannot be traced to an account. */
export function accountHashesOf({ ENCRYPTION_KEY }: Pick<Config, 'ENCRYPTION_KEY'>): AccountHashes {
  const keys = (ENCRYPTION_KEY ?? []).map((secret) =>
    Buffer.from(hkdfSync('sha256', secret, '', 'pulsebus erased accounts', 32)),
  );
  return (provider, account) =>
    keys.map((key) => createHmac('sha256', key).update(`${provider}:${account}`).digest());
}
