import { recordKinds } from '../../../../../domain/destinations/columns.ts';
import { TargetError } from '../../../../../domain/destinations/target-errors.ts';
import { databaseUrl } from '../../../../../mixins/database/database.ts';
import { readChanges } from '../../../tables/changes.ts';
import type { ReadRecord } from '../../../tables/records.ts';
import { type Snapshot, withSnapshot } from '../../../tables/snapshot.ts';
import {
  afterPage,
  generationOf,
  keyColumn,
  type Plan,
  planChanges,
  type ReplacedSpan,
  readKeys,
  readRecordsOf,
  readSamplesOf,
  readSpans,
  selectUsersPage,
  shownSource,
  storeAdvance,
  storeBegun,
  type UsersPage,
  withoutDeleted,
} from '../../copy.ts';
import type { ErasureProof, Run, Target } from '../target.ts';
import { hostsOf, JetstreamSettings, withStream } from './client.ts';
import {
  type Publisher,
  publisherOf,
  sendCopied,
  sendReplaced,
  sourcesSender,
  spanSender,
  subjectOf,
} from './send.ts';

/** Messages with rows in a stream of NATS JetStream. */
export const jetstream: Target<JetstreamSettings> = {
  settings: JetstreamSettings,
  secrets: ['password', 'token', 'creds'],
  place: ['servers', 'stream', 'subject_prefix'],
  hostsOf,
  idleMs: (_, { idleMs }) => idleMs,
  part,
  erase,
};

async function part(run: Run, settings: JetstreamSettings): Promise<boolean> {
  const { destination, database, pace } = run;
  const { position, snapshot, project_id, types } = destination;
  if (generationOf(destination) === null) {
    await withStream(run, settings, async () => undefined);
    await storeBegun(run);
    return true;
  }
  if (snapshot !== null) {
    const page = await selectUsersPage(database, run, snapshot);
    const rows = await sending(
      run,
      settings,
      (publisher, reader) => sendPage(run, publisher, reader, page),
      page.last === null,
    );
    await storeAdvance(run, { position, snapshot: afterPage(page), rows });
    return true;
  }
  const read = await readChanges(database, project_id, types, { after: position, limit: pace.changes });
  if (!read.isExpired && read.position === position) return false;
  const plan = planChanges(read.changes);
  const rows =
    plan.spans.length + plan.keys.length === 0
      ? 0
      : await sending(run, settings, (publisher, reader) => sendPlan(run, publisher, reader, plan));
  // Changes that are not kept any more may concern any row: a copy begins, which has a number of its own.
  if (read.isExpired)
    await storeBegun({ ...run, destination: { ...destination, position: read.position, snapshot: {} } });
  else await storeAdvance(run, { position: read.position, snapshot: null, rows });
  return read.hasMore || read.isExpired;
}

// Sends messages, and waits for all acknowledgements. Returns the number of rows. The message that completes a copy follows them: rows
// of earlier copies that this one has not sent are not there any more.
function sending(
  run: Run,
  settings: JetstreamSettings,
  send: (publisher: Publisher, reader: Snapshot) => Promise<void>,
  isComplete = false,
): Promise<number> {
  const { config, held } = run;
  return withStream(run, settings, async (client) => {
    const publisher = publisherOf(run, settings, client);
    let rows = 0;
    const counted: Publisher = {
      ...publisher,
      async send(about, texts) {
        held.signal.throwIfAborted();
        await publisher.send(about, texts);
        rows += texts?.length ?? 0;
      },
    };
    await withSnapshot(databaseUrl({ config }), held.signal, (reader) => send(counted, reader));
    await client.settled();
    if (isComplete) {
      await publisher.send({ action: 'complete', type: 'complete', sequence: run.destination.position });
      await client.settled();
    }
    return rows;
  });
}

async function sendPage(run: Run, publisher: Publisher, reader: Snapshot, page: UsersPage): Promise<void> {
  const { position: sequence } = run.destination;
  for (const kind of recordKinds)
    await readRecordsOf(run, reader, kind, page.users, (records) =>
      sendCopied(publisher, kind, sequence, records),
    );
  const samples = sourcesSender(publisher);
  // Each message replaces all of its source.
  await readSamplesOf(run, reader, page.users, (batch, type) =>
    samples.add(batch, () => ({ type, sequence, first: null, last: null })),
  );
  await samples.end();
}

async function sendPlan(run: Run, publisher: Publisher, reader: Snapshot, plan: Plan): Promise<void> {
  const { spans, keys } = await withoutDeleted(reader, run, plan);
  await sendSpans(run, publisher, reader, spans);
  for (const kind of recordKinds) {
    const own = keys.filter((one) => one.kind === kind);
    const records: ReadRecord[] = [];
    await readKeys(run, reader, kind, own, async (read) => void records.push(...read));
    if (own.length > 0) await sendReplaced(publisher, kind, keyColumn(kind), own, records);
  }
}

// Spans without samples are deleted.
async function sendSpans(
  run: Run,
  publisher: Publisher,
  reader: Snapshot,
  spans: readonly ReplacedSpan[],
): Promise<void> {
  const empty = new Set(spans);
  const samples = sourcesSender(publisher);
  await readSpans(run, reader, spans, (batch, _type, own) =>
    samples.add(batch, (index) => {
      const span = own[index];
      if (span === undefined) throw new Error('samples of a span that was not read');
      empty.delete(span);
      return span;
    }),
  );
  await samples.end();
  for (const span of empty) {
    const source = { user_id: span.user_id, ...shownSource(span, run.shownAs) };
    await spanSender(publisher, { ...span, source }).end();
  }
}

/** Purges the subjects of users, and counts what is left of them. A message without rows names each. */
async function erase(
  run: Run,
  settings: JetstreamSettings,
  userIds: readonly string[],
): Promise<ErasureProof> {
  const { project_id, position: sequence } = run.destination;
  let [deleted, left] = [0, 0];
  await withStream(run, settings, async (client) => {
    for (const user of userIds) {
      const found = await client.purge(subjectOf(settings, project_id, '*', user));
      deleted += found.purged;
      left += found.left;
    }
    if (left > 0) throw new TargetError('failed');
    const publisher = publisherOf(run, settings, client);
    for (const user_id of userIds)
      await publisher.send({ action: 'erase', type: 'erased', sequence, user_id });
    await client.settled();
  });
  return { messages_deleted: deleted, messages_left: left };
}
