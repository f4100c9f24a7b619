import type { Logger } from 'moleculer';
import type { Database } from '../../../mixins/database/database.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { startPeriodicTask } from '../../../runtime/jobs/periodic-task.ts';
import { replaceSecret, selectFormerSecrets } from '../tables/provider-clients.ts';
import {
  countUnreadable,
  replaceSealed,
  type SealedRow,
  sealedPerBatch,
  selectSealed,
  unreadableSample,
} from '../tables/tokens.ts';

/** The result of a round. `left`: connections and credentials of projects that are still not encrypted with the first secret. */
interface Resealed {
  readonly resealed: number;
  readonly left: number;
}

/**
 * Re-encrypts tokens of earlier secrets with the first secret, so that the earlier secrets can be removed. Tokens that no
 * configured secret decrypts are unchanged: their secret may be configured again.
 */
export async function resealTokens(
  { database, cipher }: { readonly database: Database; readonly cipher: Cipher },
  isStopping: () => boolean = () => false,
): Promise<Resealed> {
  let [resealed, left] = [0, 0];
  for (let after: string | null = null; !isStopping(); ) {
    const rows: SealedRow[] = await selectSealed(database, after, cipher.newest);
    const pairs = rows.flatMap((old) => {
      const fresh = sealedAnew(cipher, old);
      return fresh === null ? [] : [{ old, fresh }];
    });
    const written = await replaceSealed(database, pairs);
    resealed += written;
    left += rows.length - written;
    after = rows.at(-1)?.id ?? null;
    if (rows.length < sealedPerBatch) break;
  }
  return { resealed, left };
}

/** The same for the credentials of projects. */
export async function resealClients({
  database,
  cipher,
}: {
  readonly database: Database;
  readonly cipher: Cipher;
}): Promise<Resealed> {
  const rows = await selectFormerSecrets(database, cipher.newest);
  let resealed = 0;
  for (const { id, client_secret: from } of rows) {
    const to = secretAnew(cipher, from, id);
    if (to !== null && (await replaceSecret(database, id, { from, to }))) resealed += 1;
  }
  return { resealed, left: rows.length - resealed };
}

function secretAnew(cipher: Cipher, secret: string, id: string): string | null {
  try {
    return cipher.encrypt(cipher.decrypt(secret, id), id);
  } catch {
    return null;
  }
}

function sealedAnew(cipher: Cipher, row: SealedRow): SealedRow | null {
  const { id } = row;
  const anew = (value: string | null) =>
    value === null ? null : cipher.encrypt(cipher.decrypt(value, id), id);
  try {
    return {
      id,
      access_token: anew(row.access_token),
      refresh_token: anew(row.refresh_token),
      previous_refresh_token: anew(row.previous_refresh_token),
    };
  } catch {
    return null;
  }
}

interface Resealing {
  readonly database: Database;
  readonly cipher: Cipher;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly secrets: readonly string[];
}

const everyMs = 300_000;
const firstAfterMs = 1000;

/**
 * Logs at the start how many of the first thousand connections have tokens that no configured secret decrypts, which a
 * wrong ENCRYPTION_KEY causes. @throws if the database does not answer
 */
export async function reportUnreadable({
  database,
  cipher,
  logger,
}: Pick<Resealing, 'database' | 'cipher'> & { readonly logger: Pick<Logger, 'error'> }): Promise<void> {
  const connections = await countUnreadable(database, cipher.readable);
  if (connections === 0) return;
  logger.error('tokens.unreadable', {
    setting: 'ENCRYPTION_KEY',
    reason: 'made with another secret',
    connections,
    of_the_first: unreadableSample,
  });
}

/**
 * Re-encrypts tokens in the background while more than one secret is configured; returns the function that stops it. The
 * first round and each change are logged as warnings: the line tells an operator, at every log level, when the old secret
 * can be removed.
 */
export function startResealing({ database, cipher, logger, secrets }: Resealing): () => Promise<void> {
  if (secrets.length < 2) return async () => undefined;
  let isStopping = false;
  let lastLeft: number | null = null;
  const work = async () => {
    const clients = await resealClients({ database, cipher });
    const tokens = await resealTokens({ database, cipher }, () => isStopping);
    const [resealed, left] = [clients.resealed + tokens.resealed, clients.left + tokens.left];
    const level = resealed > 0 || left !== lastLeft ? 'warn' : 'info';
    logger[level]('tokens.resealed', { resealed, left });
    lastLeft = left;
  };
  const stop = startPeriodicTask({ name: 'users.resealing', everyMs, firstAfterMs, work, logger });
  return async () => {
    isStopping = true;
    await stop();
  };
}
