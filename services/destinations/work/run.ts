import { TargetError } from '../../../domain/destinations/target-errors.ts';
import { fieldOf } from '../../../domain/error-code.ts';
import { recordAudit } from '../../../mixins/database/audit.ts';
import type { JobOutcome } from '../../../mixins/jobs/job-queue.ts';
import { workInParts } from '../../../mixins/jobs/jobs.ts';
import type { Cipher } from '../../../mixins/provider-api/cipher.ts';
import { failureOf } from '../../../runtime/failure.ts';
import {
  type DestinationRow,
  deleteErased,
  noteFailure,
  noteSuccess,
  selectDestination,
  selectErasures,
} from '../tables/destinations.ts';
import { opened } from '../tables/secrets.ts';
import { runKind } from './pace.ts';
import { targets } from './targets/all.ts';
import type { Run } from './targets/target.ts';

/** What all runs of a process have in common. */
type Running = Omit<Run, 'destination' | 'held'> & {
  readonly cipher: Cipher;
  /** The destinations in work, by project. */
  readonly turns: Map<string, number>;
};

/**
 * Works on a destination, part by part: deleted users first, also while it is paused. After a failure it rests, and nothing is lost:
 * each part begins where the last commit ended. A project has a share of what is in work at once: its other destinations wait.
 */
export async function runDestination(running: Running, id: string, held: Run['held']): Promise<JobOutcome> {
  const { database, pace, turns } = running;
  const project = (await selectDestination(database, id))?.project_id;
  if (project === undefined) return { kind: 'done' };
  const inWork = turns.get(project) ?? 0;
  if (inWork >= pace.parallelOfProject) return { kind: 'again', delayMs: pace.idleMs };
  turns.set(project, inWork + 1);
  try {
    return await runParts(running, id, held);
  } finally {
    const others = (turns.get(project) ?? 1) - 1;
    if (others > 0) turns.set(project, others);
    else turns.delete(project);
  }
}

async function runParts(running: Running, id: string, held: Run['held']): Promise<JobOutcome> {
  let idleMs: number | null = null;
  const part = async () => {
    const destination = await selectDestination(running.database, id);
    if (destination === undefined) return false;
    const { hasMore, ...rest } = await workOnPart({ ...running, destination, held }, running.cipher);
    idleMs = rest.idleMs;
    if (destination.failing_since !== null) await noteSuccess(running.database, id);
    return hasMore;
  };
  try {
    const outcome = await workInParts(part, held, running.pace.runMs);
    return outcome.kind === 'done' && idleMs !== null ? { kind: 'again', delayMs: idleMs } : outcome;
  } catch (error) {
    return failed(running, id, held, error);
  }
}

interface Worked {
  readonly hasMore: boolean;
  /** Delay of the next run; null if there is none. */
  readonly idleMs: number | null;
}

async function workOnPart(run: Run, cipher: Cipher): Promise<Worked> {
  const { destination, database, pace } = run;
  const target = targets[destination.kind];
  const users = await selectErasures(database, destination.id);
  if (destination.paused && users.length === 0) return { hasMore: false, idleMs: null };
  const settings = opened(cipher, destination);
  if (users.length > 0) {
    const proof = await target.erase(run, settings, users);
    await proveErasure(run, destination, users, proof);
    return { hasMore: true, idleMs: null };
  }
  return { hasMore: await target.part(run, settings), idleMs: target.idleMs(settings, pace) };
}

async function proveErasure(
  { database }: Pick<Run, 'database'>,
  { id, project_id: projectId }: DestinationRow,
  userIds: readonly string[],
  proof: Readonly<Record<string, number>>,
): Promise<void> {
  const origin = { actor: 'system:destinations', requestId: null, projectId };
  await database.transaction(async (transaction) => {
    await deleteErased(transaction, id, userIds);
    for (const userId of userIds) {
      const entry = { action: 'destination.user_erased', userId, subjectId: id, details: proof } as const;
      await recordAudit(transaction, origin, entry);
    }
  });
}

async function failed(
  { database, logger, pace }: Running,
  id: string,
  { signal }: Run['held'],
  error: unknown,
): Promise<JobOutcome> {
  const reason = error instanceof TargetError ? error.reason : 'internal';
  if (reason === 'stopped' || signal.aborted) return { kind: 'again', delayMs: 0 };
  const failures = await noteFailure(database, id, reason);
  // It was deleted while it was worked on.
  if (failures === null) return { kind: 'done' };
  if (reason === 'internal') failureOf(error, logger, runKind.name);
  else
    logger.warn('destination.failed', {
      destination_id: id,
      reason,
      frames: fieldOf(fieldOf(error, 'cause'), 'frames'),
    });
  const delayMs = pace.retryMs[Math.min(failures, pace.retryMs.length) - 1] ?? pace.pollMs;
  return { kind: 'later', reason, delayMs: Math.round(delayMs * (0.9 + pace.random() / 5)) };
}
