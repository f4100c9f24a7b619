import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { Database, Queryable } from '../../../mixins/database/database.ts';
import { type BodyCipher, bodyCipherOf } from '../../../mixins/inbox/body-cipher.ts';
import { readBody } from '../../../mixins/inbox/inbox.ts';
import { readProgressBody } from '../../../mixins/inbox/inbox-progress.ts';
import {
  type BodyKeys,
  bodyRetentionDays,
  keepSealed,
  ownBody,
  readSealed,
  sealedEntries,
} from '../../../mixins/inbox/sealed-bodies.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { type JobHandler, recurringHandler, workInParts } from '../../../mixins/jobs/jobs.ts';
import type { Held } from '../../../runtime/jobs/job-worker.ts';
import {
  claimUnsealed,
  clearPlain,
  countOtherKeys,
  dropSealed,
  fetchedEntries,
  lockOtherKeys,
  restoreFetched,
  restorePlain,
  type UnsealedRow,
} from '../tables/sealed-bodies.ts';

const sealing = { name: 'deliveries.sealing', everyMs: 600_000, firstAfterMs: 60_000 };
const resealing = { name: 'deliveries.resealing', everyMs: 300_000, firstAfterMs: 5000 };

interface Deps {
  readonly database: Database;
  readonly config: Config;
  readonly logger: Logger;
}

/** The jobs that encrypt kept bodies, and that encrypt them again after a rotation of ENCRYPTION_KEY. */
export function sealingHandlers(deps: Deps): JobHandler[] {
  return [
    recurringHandler(sealing, (held) => sealDue(deps, held)),
    recurringHandler(resealing, (held) => resealAll(deps, held)),
  ];
}

async function sealDue({ database, config, logger }: Deps, held: Held): Promise<JobOutcome> {
  const { DELIVERY_RETENTION_DAYS: days } = config;
  if (bodyRetentionDays(config) <= days) return { kind: 'done' };
  const cipher = bodyCipherOf(config);
  let sealed = 0;
  const outcome = await workInParts(async () => {
    const done = await sealPiece(database, cipher, days);
    sealed += done;
    return done > 0;
  }, held);
  if (sealed > 0) logger.info('deliveries.sealed', { sealed });
  return outcome;
}

// The line tells an operator, at every log level, when the old secret can be removed.
async function resealAll({ database, config, logger }: Deps, { signal }: Held): Promise<JobOutcome> {
  if ((config.ENCRYPTION_KEY ?? []).length < 2) return { kind: 'done' };
  const { resealed, left } = await resealBodies(database, bodyCipherOf(config), signal);
  logger.warn('bodies.resealed', { resealed, left });
  return { kind: 'done' };
}

/** Encrypts the bodies of some deliveries that were processed more than `days` ago. Returns their number. */
export function sealPiece(database: Database, cipher: BodyCipher, days: number): Promise<number> {
  return database.transaction(async (transaction) => {
    const rows = await claimUnsealed(transaction, days);
    for (const row of rows) await seal(transaction, cipher, row);
    return rows.length;
  });
}

async function seal(transaction: Queryable, cipher: BodyCipher, row: UnsealedRow): Promise<void> {
  const { id } = row;
  const body = await readBody(transaction, row);
  await keepSealed(transaction, cipher, { id, entry: ownBody, body });
  for (const entry of await fetchedEntries(transaction, id)) {
    const fetched = await readProgressBody(transaction, id, entry);
    if (fetched !== null) await keepSealed(transaction, cipher, { id, entry, body: fetched });
  }
  await clearPlain(transaction, row);
}

/** Decrypts the bodies of a delivery, which is processed again. */
export async function unseal(transaction: Queryable, keys: BodyKeys, id: string): Promise<void> {
  const cipher = bodyCipherOf(keys);
  for (const entry of await sealedEntries(transaction, id)) {
    const body = await readSealed(transaction, cipher, id, entry);
    if (body === null) continue;
    if (entry === ownBody) await restorePlain(transaction, id, body);
    else await restoreFetched(transaction, id, entry, body);
  }
  await dropSealed(transaction, id);
}

/** The result of a round. `left`: bodies that are not encrypted with the first secret. */
interface ResealedBodies {
  readonly resealed: number;
  readonly left: number;
}

/**
 * Encrypts bodies of earlier secrets with the first one, so that the earlier ones can be removed. Bodies that no configured
 * secret decrypts are unchanged: their secret may be configured again.
 */
export async function resealBodies(
  database: Database,
  cipher: BodyCipher,
  signal?: AbortSignal,
): Promise<ResealedBodies> {
  let resealed = 0;
  let after: readonly [string, string] = ['00000000-0000-0000-0000-000000000000', ''];
  while (!signal?.aborted) {
    const last = await database.transaction(async (transaction) => {
      const [row] = await lockOtherKeys(transaction, cipher.newestKeyId, after);
      if (row === undefined) return null;
      const { delivery_id: id, entry } = row;
      const body = await readSealed(transaction, cipher, id, entry).catch(() => null);
      if (body !== null) await keepSealed(transaction, cipher, { id, entry, body });
      resealed += body === null ? 0 : 1;
      return [id, entry] as const;
    });
    if (last === null) break;
    after = last;
  }
  return { resealed, left: await countOtherKeys(database, cipher.newestKeyId) };
}
