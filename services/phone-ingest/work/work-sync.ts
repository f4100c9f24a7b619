import { isError, ServiceError } from '../../../domain/errors.ts';
import { isTimeZone } from '../../../domain/time/zone.ts';
import type { Job, Outcome } from '../../../mixins/inbox/inbox-job.ts';
import type { WorkEnvironment } from '../../../mixins/inbox/inbox-worker.ts';
import { zoneOfUser } from '../../../mixins/user-zone.ts';
import { timeZoneHeader } from '../../../providers/phone/provider.ts';
import type { UploadItem } from '../../../providers/phone/upload.ts';
import type { Call } from '../../../runtime/environment.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { threadReader } from '../../../runtime/reading-thread.ts';
import { metricsOf } from '../../../runtime/telemetry/metrics.ts';
import { threadHeapMb } from '../../../runtime/thread-heap.ts';
import { Tally } from '../rules/batch.ts';
import { batchKey } from '../rules/sample-blocks.ts';
import { readUpload, type UploadHead, type UploadRefusal } from '../rules/upload-body.ts';
import { countMalformed, countUnmapped } from '../tables/receipts.ts';
import { type ConnectedUser, connectedUser } from './fence.ts';
import { storeBatch } from './store-batch.ts';

/** Stores an upload, for the waiting app or in the background. Repeating it changes nothing, because items have keys. */
export async function workSync(job: Job, deps: WorkEnvironment): Promise<Outcome> {
  const user = await connectedUser(job, deps);
  if (user === null) return { kind: 'done', answer: new Tally().answer('', 0, 'The user is not connected.') };
  const timeZone = await zoneOfUpload(deps.call, user.user_id, job.headers);
  const upload = await openUpload(job.body, Date.now(), timeZone);
  try {
    if (upload.head.refusal !== null && job.isReprocess) return { kind: 'done', answer: null };
    if (upload.head.refusal !== null) return await refuse(job, deps, user.user_id, upload.head.refusal);
    return await workOpened(job, deps, user, upload);
  } finally {
    upload.close();
  }
}

/** An upload whose items are read in batches. */
interface OpenedUpload {
  readonly head: UploadHead;
  readonly batches: Iterable<readonly UploadItem[]> | AsyncIterable<readonly UploadItem[]>;
  readonly close: () => void;
}

/** What the reading thread opens. */
export interface UploadInput {
  readonly bytes: ArrayBuffer;
  readonly nowMs: number;
  readonly timeZone: string | null;
}

/** Reading this size takes less than 20 ms. */
const mostBytesHere = 1024 * 1024;

/** The memory that work on a body takes: two large ones in parallel. */
export function weightOf(bodyBytes: number): number {
  return bodyBytes > mostBytesHere ? bodyBytes + 24 * 1024 * 1024 : bodyBytes;
}

/** Bodies lie outside of the heap, which has the values of a batch of each. */
const readInThread = threadReader<UploadInput, UploadHead, null, readonly UploadItem[]>({
  module: new URL('./upload.worker.ts', import.meta.url),
  resourceLimits: { maxOldGenerationSizeMb: threadHeapMb(512), maxYoungGenerationSizeMb: 32 },
  longestMs: 60_000,
});

/** Opens an upload. A large one is read in a thread, because it would block the event loop for a second. */
async function openUpload(body: Buffer, nowMs: number, timeZone: string | null): Promise<OpenedUpload> {
  if (body.length <= mostBytesHere) return { ...readUpload(body, nowMs, timeZone), close: () => undefined };
  const bytes = new Uint8Array(body).buffer;
  const { head, pieces, close } = await readInThread({ bytes, nowMs, timeZone }, bytes.byteLength, [bytes]);
  return { head, batches: pieces(null), close };
}

async function workOpened(
  job: Job,
  deps: WorkEnvironment,
  { user_id, connection_id, write }: ConnectedUser,
  { head, batches }: OpenedUpload,
): Promise<Outcome> {
  const tally = new Tally();
  const answer = () => tally.answer(user_id, head.received, 'Stored.');
  try {
    let [number, read] = [0, 0];
    for await (const batch of batches) {
      if (job.signal.aborted) return { kind: 'stopped' };
      const origin = {
        userId: user_id,
        key: batchKey(head.hash, number),
        receivedMs: job.received_ms,
        isReprocess: job.isReprocess,
      };
      await storeBatch({ ...deps, write }, origin, batch, tally);
      number += 1;
      read += batch.length;
    }
    if (job.isReprocess) return { kind: 'done', answer: null };
    tally.addUnread(head.received - read);
    await write((transaction) => countUnmapped(transaction, job.id, user_id, tally.unmapped()));
  } catch (error) {
    if (isError(error, 'USER_ERASED')) return { kind: 'done', answer: answer() };
    return { kind: 'later', reason: codeOf(error), answer: answer() };
  }
  await deps.call('users.synced', { connection_ids: [connection_id] }).catch(() => null);
  const { stored, setAside } = tally;
  deps.logger.info('upload.worked', {
    delivery_id: job.id,
    source: head.source,
    received: head.received,
    stored,
    set_aside: setAside,
  });
  for (const [field, items] of tally.setAsideFor)
    metricsOf(deps.broker).count('pulsebus_upload_items_set_aside_total', { field: field || 'item' }, items);
  // A unit that is not known is a fault of ours, unlike an invalid value.
  const warning = tally.setAsideFor.has('unit') ? 'UNIT_UNKNOWN' : null;
  return { kind: 'done', answer: answer(), warning };
}

/** SDKs repeat what is 503, with the same content if it is theirs. */
const mostRepeats = 5;

/**
 * A body that is no JSON was probably cut on its way: the app is told to repeat it, and does so a few times only, because a body that
 * the app itself writes wrongly would come for ever. A body that no repetition changes is done. Each is kept.
 */
async function refuse(
  job: Job,
  { database, logger }: WorkEnvironment,
  userId: string,
  { type, detail }: UploadRefusal,
): Promise<Outcome> {
  logger.info('upload.refused', { delivery_id: job.id, reason: type });
  const answer = new Tally().answer(userId, 0, detail);
  const isRepeated = type === 'MALFORMED_BODY' && (await countMalformed(database, userId)) < mostRepeats;
  if (isRepeated) return { kind: 'refused', error: new ServiceError(type, detail), answer };
  return { kind: 'done', answer, warning: type };
}

/** The zone of items that name neither an offset nor a zone: that of the upload's header, otherwise the user's. */
async function zoneOfUpload(
  call: Call,
  userId: string,
  headers: Readonly<Record<string, string>>,
): Promise<string | null> {
  const sent = headers[timeZoneHeader];
  return sent !== undefined && isTimeZone(sent) ? sent : zoneOfUser(call, userId);
}
