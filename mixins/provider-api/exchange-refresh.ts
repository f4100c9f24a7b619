import type { StoredTokens } from '../../contracts/users/schemas.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Environment } from '../../runtime/environment.ts';
import type { Cipher } from './cipher.ts';
import { installationClient, openClient, type ProviderClient } from './provider-client.ts';
import { type Exchange, refreshTokens } from './token-endpoint.ts';

interface Exchanging {
  readonly environment: Pick<Environment, 'config' | 'logger'>;
  readonly cipher: Cipher;
}

/** A token in clear. Null: a secret is missing from ENCRYPTION_KEY. It may be restored, so the connection is kept. */
export function openToken(
  { cipher, environment }: Exchanging,
  { connection_id }: StoredTokens,
  sealed: string,
): string | null {
  try {
    return cipher.decrypt(sealed, connection_id);
  } catch {
    environment.logger.error('token.unreadable', { connection_id });
    return null;
  }
}

/**
 * Exchanges the refresh token. The provider may have lost tokens that it issued shortly before. Until one of them has worked, the refresh
 * token before them is tried as well.
 */
export async function exchangeEither(
  deps: Exchanging,
  provider: ProviderName,
  held: StoredTokens,
): Promise<Exchange> {
  const first = await exchangeOne(deps, provider, held, held.refresh_token);
  const previous = held.previous_refresh_token;
  return first.kind === 'refused' && previous !== null ? exchangeOne(deps, provider, held, previous) : first;
}

async function exchangeOne(
  deps: Exchanging,
  provider: ProviderName,
  held: StoredTokens,
  sealed: string | null,
): Promise<Exchange> {
  const refreshToken = openToken(deps, held, sealed ?? '');
  const client = clientOf(deps, provider, held);
  if (refreshToken === null || client === null) return { kind: 'later' };
  return refreshTokens(deps.environment.config, provider, client, refreshToken);
}

function clientOf(
  { cipher, environment }: Exchanging,
  provider: ProviderName,
  { connection_id, client = null }: StoredTokens,
): ProviderClient | null {
  if (client === null) return installationClient(environment.config, provider);
  try {
    return openClient(cipher, client);
  } catch {
    environment.logger.error('client.unreadable', { connection_id });
    return null;
  }
}
