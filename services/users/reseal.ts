import type { Logger } from 'moleculer';
import type { Cipher } from '../../mixins/cipher.ts';
import type { Database } from '../../mixins/database.ts';
import { startPeriodicTask } from '../../runtime/periodic-task.ts';
import {
  countUnreadable,
  replaceSealed,
  type SealedRow,
  sealedPerBatch,
  selectSealed,
  unreadableSample,
} from './queries/reseal-tokens.ts';

/** What a round came to. `left`: connections that are still not under the first secret, for whatever reason. */
export interface Resealed {
  readonly resealed: number;
  readonly left: number;
}

/**
 * Encrypts tokens with the first secret that an earlier one made, so that the earlier one can be taken away. Tokens
 * that no configured secret opens stay as they are: theirs may come back.
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

function sealedAnew(cipher: Cipher, { id, access_token, refresh_token }: SealedRow): SealedRow | null {
  const anew = (value: string | null) =>
    value === null ? null : cipher.encrypt(cipher.decrypt(value, id), id);
  try {
    return { id, access_token: anew(access_token), refresh_token: anew(refresh_token) };
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
 * Says at the start how many of a thousand connections have tokens that no configured secret opens, which a wrong
 * ENCRYPTION_KEY causes. @throws where the database does not answer
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
 * Reseals behind everything else while more than one secret is configured; returns what stops it. The first round and
 * each change are logged as warnings: an operator takes the old secret away by that line, at every log level.
 */
export function startResealing({ database, cipher, logger, secrets }: Resealing): () => Promise<void> {
  if (secrets.length < 2) return async () => undefined;
  let isStopping = false;
  let lastLeft: number | null = null;
  const work = async () => {
    const { resealed, left } = await resealTokens({ database, cipher }, () => isStopping);
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
