import type { Logger } from 'moleculer';
import type { Database } from '../../mixins/database.ts';
import { codeOf } from '../../mixins/inbox-worker.ts';
import type { Call } from '../../runtime/environment.ts';
import { claimFarewell, deleteFarewell, type Farewell, updateFarewell } from './queries/token-revocations.ts';

/** What saying farewell takes. */
export interface Parting {
  readonly database: Database;
  readonly call: Call;
  readonly logger: Logger;
}

const mostPerRound = 100;

/**
 * Tells providers that we no longer have access to accounts whose connection ended: behind the disconnect, again
 * and again for a day. The tokens are gone with the row.
 */
export async function sayFarewells(parting: Parting): Promise<void> {
  for (let said = 0; said < mostPerRound; said += 1) {
    const farewell = await claimFarewell(parting.database);
    if (farewell === undefined) return;
    await say(parting, farewell);
  }
}

async function say({ database, call, logger }: Parting, farewell: Farewell): Promise<void> {
  const { id, connection_id, provider, access_token, refresh_token, expires_at } = farewell;
  try {
    const answer = await call('connect.deauthorize', {
      connection_id,
      provider,
      access_token,
      refresh_token,
      expires_at: expires_at?.toISOString() ?? null,
    });
    if (answer.done) return await deleteFarewell(database, id);
    const { tokens } = answer;
    if (tokens !== null)
      await updateFarewell(database, {
        ...tokens,
        id,
        expires_at: tokens.expires_at === null ? null : new Date(tokens.expires_at),
      });
  } catch (error) {
    logger.warn('farewell.postponed', { connection_id, code: codeOf(error) });
  }
}
