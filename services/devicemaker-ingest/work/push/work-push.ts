import { ServiceError } from '../../../../domain/errors.ts';
import type { Job, Outcome } from '../../../../mixins/inbox/inbox-job.ts';
import type { Environment } from '../../../../runtime/environment.ts';
import { isOpen, settleSpecials } from '../accounts.ts';
import { type Entry, entriesOf, UnknownItems } from '../entries.ts';
import { type OpenedPush, openOrRefuse } from '../reading/open-body.ts';
import { receivedByEntries, reportToBackfill } from '../report-received.ts';
import { noteSynced, storeEntries } from '../store-entries.ts';
import { beginRun, linkedUsersOf, reprocessed } from '../store-run.ts';
import { pushAnswer } from './answer.ts';

/**
 * Processes one push, for a waiting sender or in the background: finds the linked users, normalises and stores items,
 * and builds the answer. Repeating it changes nothing, because records are idempotent.
 */
export async function workPush(job: Job, environment: Environment): Promise<Outcome> {
  const opened = await openOrRefuse(job.body);
  if (opened instanceof ServiceError) return { kind: 'refused', error: opened, answer: undefined };
  try {
    return await workOpened(job, environment, opened);
  } finally {
    opened.close();
  }
}

async function workOpened(job: Job, environment: Environment, { push, items }: OpenedPush): Promise<Outcome> {
  const run = beginRun(job, environment, 'push.item_broken');
  const unknown = new UnknownItems(environment.config.WEBHOOK_UNKNOWN_ITEMS);
  const linkedUsers = await linkedUsersOf(run, push, job);
  const entries =
    linkedUsers === null ? [] : push.groups.flatMap((group) => entriesOf(group, linkedUsers, unknown));
  await storeEntries(run, entries, items);
  if (job.isReprocess) return reprocessed(run);
  await noteSynced(environment, entries);
  const specials = await settleSpecials(run, job, push);
  const isLeft = entries.some(({ status }) => status === null) || isOpen(push, specials);
  if (job.signal.aborted && isLeft) return { kind: 'stopped' };
  const backfillReport = await reportToBackfill(environment, job.id, receivedByEntries(entries));
  const errors = [...push.errors, ...unknown.sentences()];
  const answer = pushAnswer({
    push: { ...push, errors },
    entries,
    specials,
    backfillReport,
    pending: run.failed !== null,
  });
  logCounts(environment, job, entries);
  return run.failed === null ? { kind: 'done', answer } : { kind: 'later', reason: run.failed, answer };
}

function logCounts({ logger }: Environment, job: Job, entries: readonly Entry[]): void {
  const counts = Object.fromEntries(
    [...Map.groupBy(entries, ({ status }) => status ?? 'open')].map(([status, all]) => [status, all.length]),
  );
  logger.info('push.worked', { delivery_id: job.id, ...counts });
}
