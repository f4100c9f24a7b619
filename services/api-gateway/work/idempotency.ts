import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'moleculer';
import type { Config } from '../../../config.ts';
import type { Caller } from '../../../contracts/auth/schemas.ts';
import { defaultProject } from '../../../domain/access.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { ServiceError, validationFailed } from '../../../domain/errors.ts';
import { UserId } from '../../../domain/wire.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { deleteInBatches } from '../../../mixins/database/delete-in-batches.ts';
import { type JobHandler, recurringHandler } from '../../../mixins/jobs/jobs.ts';
import { type Cipher, cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { failureOf } from '../../../runtime/failure.ts';
import type { Endpoint } from '../rules/endpoints.ts';
import {
  answersPerStatement,
  type ClaimRow,
  claimKey,
  deleteExpiredAnswers,
  type KeyOwner,
  keepAnswer,
  releaseKey,
} from '../tables/idempotent-answers.ts';
import { failureToSend } from './answer.ts';

/**
 * Requests with an Idempotency-Key run at most once. The key is claimed in a committed row before the request runs, and the
 * answer is stored in that row for a day. A request that failed without an effect releases its key. If a process died during
 * the request, or the call timed out, its outcome is unknown: the key stays claimed and returns 409 ("in work" for 60 s, then that one
 * should look whether it was carried out), so that nothing is created twice; a commit whose connection broke counts as not run. The
 * hash of the request and the answer are encrypted and bound to the row: a plain hash of a body with a password could be guessed
 * offline.
 */
export interface Idempotency {
  /** Runs `work`, or returns its stored answer. @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_WORK (409) */
  once(asked: Asked, work: () => Promise<Kept>): Promise<Kept & { readonly replayed: boolean }>;
  /** Deletes answers older than a day, in bounded statements; returns their number. */
  clean(signal?: AbortSignal): Promise<number>;
}

/** A request under a key. */
interface Asked {
  readonly key: string;
  readonly caller: Caller;
  readonly endpoint: Endpoint;
  readonly params: Readonly<Record<string, unknown>>;
}

/** A stored answer. */
interface Kept {
  readonly status: number;
  readonly body: unknown;
}

interface Deps {
  readonly database: Database;
  readonly cipher: Cipher;
  readonly logger: Logger;
  readonly patienceMs: number;
}

/** A second request waits this long for the first; then it returns 409. */
const longestWaitMs = 3000;
const pollEveryMs = 100;
/** No action takes longer. A request without an answer after this time was interrupted. */
const inWorkSeconds = 60;
/** Statements per cleaning. */
const most = 50;

/** Failures of the bus after which the outcome of the request is unknown. */
const unknownOutcomes = new Set(['REQUEST_TIMEOUT', 'REQUEST_REJECTED']);

/** Idempotency of one gateway; all gateways of a database share the keys. */
export function idempotency(
  database: Database,
  config: Pick<Config, 'ENCRYPTION_KEY'>,
  logger: Logger,
  patienceMs = longestWaitMs,
): Idempotency {
  const deps = { database, cipher: cipherOf(config), logger, patienceMs };
  return {
    once: (asked, work) => once(deps, asked, work),
    clean: (signal) =>
      deleteInBatches(() => deleteExpiredAnswers(database), { size: answersPerStatement, most, signal }),
  };
}

/** Deletes old answers every minute in one gateway. */
export function cleaningHandler({ clean }: Idempotency): JobHandler {
  const cleaning = { name: 'gateway.cleaning', everyMs: 60_000 };
  return recurringHandler(cleaning, async ({ signal }) => void (await clean(signal)));
}

/** The key of a request, null if there is none. @throws VALIDATION_FAILED (422) */
export function idempotencyKeyOf({ headers }: IncomingMessage): string | null {
  const given = headers['idempotency-key'];
  if (given === undefined) return null;
  const key = String(given);
  if (/^[\x20-\x7e]{1,255}$/.test(key)) return key;
  throw validationFailed([{ field: 'Idempotency-Key', message: 'must have 1 to 255 printable characters' }]);
}

async function once(deps: Deps, asked: Asked, work: () => Promise<Kept>) {
  const owner = ownerOf(asked);
  const hash = hashOf(asked.params);
  const request = deps.cipher.encrypt(hash, boundTo(owner));
  const userId = userIdOf(asked, null);
  for (let waited = 0; waited <= deps.patienceMs; waited += pollEveryMs) {
    const row = await atDatabase(deps, () => claimKey(deps.database, owner, request, userId));
    if (row.is_mine) return { ...(await runOwned(deps, owner, asked, work)), replayed: false };
    const kept = readRow(deps.cipher, owner, hash, row);
    if (kept !== null) return { ...kept, replayed: true };
    await sleep(pollEveryMs);
  }
  throw new ServiceError('IDEMPOTENCY_KEY_IN_WORK');
}

// Null while the first request is running.
function readRow(cipher: Cipher, owner: KeyOwner, hash: string, row: ClaimRow): Kept | null {
  if (row.request === null) return null; // the row was committed after this query's snapshot
  if (unseal(cipher, owner, row.request) !== hash) throw new ServiceError('IDEMPOTENCY_KEY_REUSED');
  if (row.status !== null) {
    if (row.answer === null) throw new ServiceError('USER_ERASED');
    return { status: row.status, body: JSON.parse(unseal(cipher, owner, row.answer)) };
  }
  if ((row.age_seconds ?? 0) > inWorkSeconds) throw new ServiceError('IDEMPOTENCY_KEY_UNKNOWN');
  return null;
}

// A value that cannot be decrypted was encrypted with a secret that is no longer configured.
function unseal(cipher: Cipher, owner: KeyOwner, value: string): string {
  try {
    return cipher.decrypt(value, boundTo(owner));
  } catch (error) {
    throw new ServiceError('IDEMPOTENCY_KEY_UNKNOWN', undefined, undefined, error);
  }
}

async function runOwned(deps: Deps, owner: KeyOwner, asked: Asked, work: () => Promise<Kept>): Promise<Kept> {
  const { database, cipher, logger } = deps;
  const kept = await work().catch(async (error: unknown) => {
    if (!mayHaveRun(error)) await quietly(logger, () => releaseKey(database, owner));
    throw error;
  });
  const answer = cipher.encrypt(JSON.stringify(kept.body), boundTo(owner));
  const settled = { status: kept.status, answer, userId: userIdOf(asked, kept.body) };
  await quietly(logger, () => keepAnswer(database, owner, settled));
  return kept;
}

function mayHaveRun(error: unknown): boolean {
  return (
    unknownOutcomes.has(String(fieldOf(error, 'type'))) || failureToSend(error).code === 'SERVICE_TIMEOUT'
  );
}

// A failure to store the answer does not affect the request: the answer is sent.
async function quietly(logger: Logger, work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => failureOf(error, logger, 'gateway.idempotency'));
}

async function atDatabase<T>({ logger }: Deps, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw failureOf(error, logger, 'gateway.idempotency');
  }
}

// A developer owns the keys of a project over all sessions; an API key owns its own, also after a rotation.
function ownerOf({ caller, endpoint, key }: Asked): KeyOwner {
  const id = caller.kind === 'developer' ? (caller.developer_id ?? caller.id) : caller.id;
  const keyHash = createHash('sha256').update(key).digest();
  const project = caller.project_id === defaultProject ? '' : `@${caller.project_id}`;
  return { caller: `${caller.kind}:${id}${project}`, route: endpoint.action, keyHash };
}

function boundTo({ caller, route, keyHash }: KeyOwner): string {
  return `${caller} ${route} ${keyHash.toString('hex')}`;
}

/** A hash of the values, independent of the order of names and of white space. */
function hashOf(params: unknown): string {
  return createHash('sha256').update(JSON.stringify(params, sorted)).digest('hex');
}

function sorted(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function userIdOf({ endpoint, params }: Asked, body: unknown): string | null {
  const id =
    endpoint.action === 'users.create' && typeof body === 'object' && body !== null
      ? Reflect.get(body, 'id')
      : params.user_id;
  return UserId.safeParse(id).data ?? null;
}
