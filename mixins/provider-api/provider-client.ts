import type { Config } from '../../config.ts';
import type { StoredClient } from '../../contracts/users/schemas.ts';
import type { ProviderName } from '../../providers/all.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';
import type { Cipher } from './cipher.ts';

/** An OAuth client at a provider, in clear. It must not appear in a log, an answer or a row. */
export interface ProviderClient {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

/** The client of the installation. */
export function installationClient(config: Config, provider: ProviderName): ProviderClient {
  const { clientId, clientSecret } = settingsOf(config, provider);
  return { clientId, clientSecret };
}

/**
 * The client of a project, in clear; null if its secret was erased. There is no replacement: its codes and tokens must not be
 * sent to another client. @throws if no configured ENCRYPTION_KEY decrypts the secret
 */
export function openClient(
  cipher: Cipher,
  { id, client_id, client_secret }: StoredClient,
): ProviderClient | null {
  if (client_secret === null) return null;
  return { clientId: client_id, clientSecret: cipher.decrypt(client_secret, id) };
}
