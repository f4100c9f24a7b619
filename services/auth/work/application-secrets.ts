import { Worker } from 'node:worker_threads';
import type { Database } from '../../../mixins/database/database.ts';
import { isBcrypt, isComparable } from '../rules/bcrypt-hashes.ts';
import { wrongCredentials } from '../rules/password-rules.ts';
import { sameHash, sha256 } from '../rules/secrets.ts';
import { type ApplicationSecret, rehashSecret, selectApplicationSecret } from '../tables/applications.ts';
import type { AttemptPriority } from './attempts.ts';
import { createHashingQueue } from './passwords.ts';

/**
 * Secrets of applications are compared with a SHA-256. That of a moved application has the bcrypt hash of its former installation,
 * which is replaced at the first right secret. bcrypt in JavaScript takes 0.3 s of CPU at the usual cost of 12, so each comparison
 * runs in a thread, one at a time in a process. It has a queue of its own: wrong secrets of applications delay no log-in.
 */
const bounds = { atOnce: 1, reserved: 0, mostWaiting: 64, mostWaitMs: 8000 } as const;

/** A comparison of the highest cost takes a second; a thread that takes this long has failed. */
const longestMs = 15_000;
const resourceLimits = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 };

/** What a thread compares. */
export interface Comparison {
  readonly secret: string;
  readonly hash: string;
}

/** Compares secrets with bcrypt hashes. @throws RATE_LIMITED (429) while too many comparisons wait */
export type BcryptQueue = (comparison: Comparison, priority: AttemptPriority) => Promise<boolean>;

/** Creates the queue, one per process. */
export function createBcryptQueue(): BcryptQueue {
  const enqueue = createHashingQueue(bounds);
  return (comparison, priority) => enqueue(priority, () => compareInThread(comparison));
}

function compareInThread(comparison: Comparison): Promise<boolean> {
  const { promise, resolve, reject } = Promise.withResolvers<boolean>();
  const worker = new Worker(new URL('./bcrypt.worker.ts', import.meta.url), {
    workerData: comparison,
    resourceLimits,
  });
  const timer = setTimeout(() => reject(new Error('the comparison took too long')), longestMs);
  worker.on('message', (matches: boolean) => resolve(matches));
  worker.on('error', reject);
  worker.on('exit', () => reject(new Error('the comparison ended without a result')));
  return promise.finally(() => {
    clearTimeout(timer);
    void worker.terminate();
  });
}

/** The credentials of an application. */
export interface ApplicationCredentials {
  readonly appId: string;
  readonly secret: string;
}

interface ProvingDeps {
  readonly database: Database;
  readonly bcrypt: BcryptQueue;
}

/**
 * The application whose credentials these are. The bcrypt hash of a moved application is replaced by ours.
 * @throws UNAUTHENTICATED (401), RATE_LIMITED (429) while too many secrets of moved applications are compared
 */
export async function provenApplication(
  { database, bcrypt }: ProvingDeps,
  { appId, secret }: ApplicationCredentials,
  priority: AttemptPriority,
): Promise<ApplicationSecret> {
  const application = await selectApplicationSecret(database, appId);
  if (application === null || !isBcrypt(application.secretHash)) return withSecret(application, secret);
  const isRight = isComparable(secret) && (await bcrypt({ secret, hash: application.secretHash }, priority));
  if (!isRight) throw wrongCredentials();
  await rehashSecret(database, application, sha256(secret));
  // Another request may have replaced the hash first, or the secret was rotated meanwhile.
  return withSecret(await selectApplicationSecret(database, appId), secret);
}

function withSecret(application: ApplicationSecret | null, secret: string): ApplicationSecret {
  const matches = sameHash(sha256(secret), application?.secretHash ?? sha256(''));
  if (application === null || !matches) throw wrongCredentials();
  return application;
}
