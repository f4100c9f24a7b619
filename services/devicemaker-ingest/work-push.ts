import { ServiceError } from '../../domain/errors.ts';
import type { Environment } from '../../mixins/environment.ts';
import { codeOf, type Job, type Outcome } from '../../mixins/inbox-worker.ts';
import { pushAnswer } from './answer.ts';
import { type Deregistered, deregister } from './deregister.ts';
import { type Entry, entriesOf, providerUserIdOf } from './entries.ts';
import { type Push, readPush } from './read-push.ts';
import { findRecipients } from './recipients.ts';
import { type Run, storeEntries } from './store-entries.ts';

/**
 * The work on one push, the same whether its sender waits for it or a worker found it: users are looked up, items
 * are normalised and stored, the answer is put together. Done again it changes nothing: records are idempotent.
 */
export async function workPush(job: Job, environment: Environment): Promise<Outcome> {
  const push = readOrRefuse(job.body);
  if (push instanceof ServiceError) return { kind: 'refused', error: push, answer: undefined };
  const run: Run = {
    call: environment.call,
    signal: job.signal,
    nowMs: Date.now(),
    onBroken: (entry, error) => report(environment, job, entry, error),
    failed: null,
    halted: false,
  };
  const connectedBy = job.again ? job.received_ms : null;
  const entries = await addressed(run, push, connectedBy);
  await storeEntries(run, entries);
  await noteSynced(environment, entries);
  const deregistered = await leave(run, push, connectedBy);
  if (job.signal.aborted && isOpen(push, entries, deregistered)) return { kind: 'stopped' };
  const answer = pushAnswer({ push, entries, deregistered, pending: run.failed !== null });
  logCounts(environment, job, entries);
  return run.failed === null ? { kind: 'done', answer } : { kind: 'later', reason: run.failed, answer };
}

function readOrRefuse(body: Buffer): Push | ServiceError {
  try {
    return readPush(body);
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

// Types that are not processed yet need no user. A lookup that fails leaves all of it for later.
async function addressed(run: Run, push: Push, connectedBy: number | null): Promise<Entry[]> {
  const groups = push.groups.filter(({ type }) => type.normalise !== null);
  const ids = groups.flatMap(({ items }) => items.map(providerUserIdOf).filter((id) => id !== null));
  try {
    const recipients = await findRecipients(run.call, ids, connectedBy);
    return groups.flatMap((group) => entriesOf(group, recipients));
  } catch (error) {
    run.failed = codeOf(error);
    run.halted = true;
    return [];
  }
}

// After the data, which came while the account was still linked.
async function leave(run: Run, push: Push, connectedBy: number | null): Promise<Deregistered | null> {
  if (push.deregistrations === null || run.failed !== null || run.signal.aborted) return null;
  try {
    return await deregister(run.call, push.deregistrations, connectedBy);
  } catch (error) {
    run.failed = codeOf(error);
    return null;
  }
}

function isOpen(push: Push, entries: readonly Entry[], deregistered: Deregistered | null): boolean {
  return (
    entries.some(({ status }) => status === null) || (push.deregistrations !== null && deregistered === null)
  );
}

const connectionsPerCall = 1000;

// A note, not a fact: that it failed does not make a delivery fail.
async function noteSynced({ call, logger }: Environment, entries: readonly Entry[]): Promise<void> {
  const saved = entries.filter(({ status }) => status === 'saved');
  const ids = [...new Set(saved.flatMap(({ recipient }) => recipient?.connection_id ?? []))];
  for (let from = 0; from < ids.length; from += connectionsPerCall) {
    const connection_ids = ids.slice(from, from + connectionsPerCall);
    await call('users.synced', { connection_ids }).catch((error: unknown) =>
      logger.warn('push.sync_note_failed', { code: codeOf(error) }),
    );
  }
}

function report({ logger }: Environment, job: Job, { key, index }: Entry, error: unknown): void {
  const name = error instanceof Error ? error.name : 'unknown';
  logger.error('push.item_broken', { delivery_id: job.id, key, index, name });
}

function logCounts({ logger }: Environment, job: Job, entries: readonly Entry[]): void {
  const counts = Object.fromEntries(
    [...Map.groupBy(entries, ({ status }) => status ?? 'open')].map(([status, all]) => [status, all.length]),
  );
  logger.info('push.worked', { delivery_id: job.id, ...counts });
}
