import type { Logger } from 'moleculer';
import type { Database } from '../../mixins/database.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import {
  claimTokenRevocation,
  deleteTokenRevocation,
  type TokenRevocation,
  updateTokenRevocation,
} from './queries/token-revocations.ts';

/** Dependencies of token revocation. */
export interface RevocationDeps {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

const mostPerRound = 100;

/**
 * Revokes our access at the provider for connections that ended, in the background, with retries for a day. The tokens
 * are deleted with the row.
 */
export async function revokeTokens(deps: RevocationDeps): Promise<void> {
  for (let done = 0; done < mostPerRound; done += 1) {
    const revocation = await claimTokenRevocation(deps.database);
    if (revocation === undefined) return;
    await revoke(deps, revocation);
  }
}

async function revoke(
  { database, call, logger }: RevocationDeps,
  revocation: TokenRevocation,
): Promise<void> {
  const { id, connection_id, provider, access_token, refresh_token, expires_at } = revocation;
  try {
    const answer = await call('connect.revokeAccess', {
      connection_id,
      provider,
      access_token,
      refresh_token,
      expires_at: expires_at?.toISOString() ?? null,
    });
    if (answer.done) return await deleteTokenRevocation(database, id);
    const { tokens } = answer;
    if (tokens !== null)
      await updateTokenRevocation(database, {
        ...tokens,
        id,
        expires_at: tokens.expires_at === null ? null : new Date(tokens.expires_at),
      });
  } catch (error) {
    logger.warn('token_revocation.postponed', { connection_id, code: codeOf(error) });
  }
}
