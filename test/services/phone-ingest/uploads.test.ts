import { randomUUID } from 'node:crypto';
import { channel } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import t from 'tap';
import { ServiceError } from '../../../domain/errors.ts';
import { readRecord } from '../../../providers/phone/normalise/record.ts';
import { blocksOf } from '../../../providers/phone/store/calls.ts';
import { readItem } from '../../../providers/phone/upload.ts';
import { phaseRow, Tally } from '../../../services/phone-ingest/rules/batch.ts';
import { idsOf } from '../../../services/phone-ingest/rules/sample-blocks.ts';
import { insertDeleted } from '../../../services/phone-ingest/tables/deleted.ts';
import { deleteUploads, deleteUser } from '../../../services/phone-ingest/tables/expired.ts';
import { beginSync, finishSync, selectSync } from '../../../services/phone-ingest/tables/first-syncs.ts';
import { deletePhases, firstOpenMs, upsertPhases } from '../../../services/phone-ingest/tables/phases.ts';
import { countUnmapped } from '../../../services/phone-ingest/tables/receipts.ts';
import { insertBlocks } from '../../../services/phone-ingest/tables/sample-blocks.ts';
import type { FencedWrite } from '../../../services/phone-ingest/work/fence.ts';
import { settleNights } from '../../../services/phone-ingest/work/settle-nights.ts';
import { applyDeletions, storeBatch } from '../../../services/phone-ingest/work/store-batch.ts';
import { workSync } from '../../../services/phone-ingest/work/work-sync.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { phase, record, uploadOf, watch } from './app.ts';

const database = await freshDatabase(t);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const startMs = Date.UTC(2026, 2, 1);
const heartRate = 'HKQuantityTypeIdentifierHeartRate';

/** The other services: each call is kept, and answered or refused. */
function services(answers: Readonly<Record<string, () => unknown>> = {}) {
  const calls: { name: string; params: Record<string, unknown> }[] = [];
  const call = async (name: string, params: Record<string, unknown>) => {
    calls.push({ name, params });
    return answers[name]?.() ?? [];
  };
  return { calls, call: call as never };
}

function phaseFrom(id: string, fromMs: number, toMs: number) {
  const source = { device_type: 'watch', device: 'Watch', device_id: 'w', app: null } as const;
  const span = { id, start_ms: fromMs, end_ms: toMs, zone_offset_minutes: null };
  return phaseRow({ ...span, stage: 'light', source, score: null });
}

t.test('phases are deleted, and their nights opened, of one user only', async (t) => {
  const [user, other] = [randomUUID(), randomUUID()];
  for (const one of [user, other])
    await upsertPhases(database, one, [phaseFrom('same id', startMs, startMs + hourMs)]);
  await database.query('update phone.phase set settled_at = now()');
  t.equal(await deletePhases(database, user, ['same id']), 1);
  t.equal(await deletePhases(database, other, ['unknown']), 0);
  t.equal(await firstOpenMs(database, user), startMs);
  t.equal(await firstOpenMs(database, other), null);
  t.equal(await deletePhases(database, other, ['same id']), 1, 'it was there still');
});

t.test('a night that crosses the border of a round is one', async (t) => {
  const user_id = randomUUID();
  const borderMs = startMs + 14 * dayMs;
  await upsertPhases(database, user_id, [
    phaseFrom('first', startMs, startMs + hourMs),
    phaseFrom('before', borderMs - hourMs, borderMs),
    phaseFrom('after', borderMs, borderMs + hourMs),
  ]);
  const { call } = services();
  const held = { signal: new AbortController().signal, holds: async () => true };
  await settleNights({ database, call }, { payload: { user_id } } as never, held);
  const nights = 'select asleep_seconds from phone.night where user_id = $1 order by start_time';
  t.same(await database.query(nights, [user_id]), [{ asleep_seconds: 3600 }, { asleep_seconds: 7200 }]);
});

const write: FencedWrite = (work) => database.transaction(work);

function sampleAt(minute: number, device = 'Watch') {
  const at = new Date(startMs + minute * 60_000).toISOString();
  const source = { ...watch, deviceName: device };
  const read = readRecord(record(heartRate, at, 60 + minute, { source }), Date.now());
  if (!('series' in read)) throw new Error('no sample');
  return read;
}

t.test('samples of two devices are two blocks', async (t) => {
  const blocks = blocksOf([sampleAt(0, 'One'), sampleAt(0, 'Two'), sampleAt(1, 'One')]);
  t.same(
    blocks.map(({ block }) => block.values),
    [[60, 61], [60]],
  );
});

t.test('a deletion reaches the samples of all uploads', async (t) => {
  const user = randomUUID();
  const samples = [sampleAt(0), sampleAt(1)];
  for (const sample of samples) await insertBlocks(database, user, blocksOf([sample]).map(idsOf));
  const { calls, call } = services();
  const deleted = samples.map(({ id }) => ({ id, mayBeWorkout: false }));
  await applyDeletions({ database, call, write }, user, deleted);
  const given = calls.find(({ name }) => name === 'timeseries.deleteItems')?.params.samples;
  t.same(
    [given]
      .flat()
      .flatMap((one) => (one as { at_ms: number[] }).at_ms)
      .toSorted(),
    [startMs, startMs + 60_000],
  );
  t.equal((await database.query('select from phone.deleted where user_id = $1', [user])).length, 2);
});

t.test('what was deleted on the phone does not return with a late upload', async (t) => {
  const [at, until] = [startMs, startMs + hourMs].map((ms) => new Date(ms).toISOString());
  const night = phase('deep', at ?? '', until ?? '');
  const run = { ...record('running', at ?? '', 0), values: [] };
  const batch = [readItem('sleep', night, Date.now()), readItem('workouts', run, Date.now())];
  const stored = async (user: string) => {
    const { calls, call } = services();
    const origin = { userId: user, key: 'key', receivedMs: Date.now(), isReprocess: false };
    await storeBatch({ database, call, write }, origin, batch, new Tally());
    const phases = await database.query('select from phone.phase where user_id = $1', [user]);
    return [calls.length, phases.length];
  };
  const [user, other] = [randomUUID(), randomUUID()];
  await insertDeleted(database, user, [night.id, run.id]);
  t.same(await stored(user), [0, 0]);
  t.same(await stored(other), [1, 1], 'of another user they are stored');
});

t.test('a delivery counts its items without a series once', async (t) => {
  const [user, delivery] = [randomUUID(), randomUUID()];
  for (const _ of ['first', 'again']) await countUnmapped(database, delivery, user, { STRESS: 3 });
  const counted = 'select items::int from phone.unmapped where user_id = $1';
  t.same(await database.query(counted, [user]), [{ items: 3 }]);
});

t.test('a start of a first upload that is repeated does not begin it again', async (t) => {
  const user_id = randomUUID();
  const start = (ms: number) =>
    beginSync(database, {
      ...{ user_id, connection_id: randomUUID(), start: new Date(0), end: new Date(ms), at: new Date(ms) },
      types: [],
    });
  await start(startMs);
  await finishSync(database, user_id);
  for (const ms of [startMs, startMs - hourMs]) await start(ms);
  t.match(await selectSync(database, user_id), { sync: { state: 'done' } });
  await start(startMs + hourMs);
  t.match(await selectSync(database, user_id), { sync: { state: 'running' } });
});

t.test('a purge and a deletion concern every table with data of a user', async (t) => {
  const rows = await database.query<{ name: string }>(
    `select table_name as name from information_schema.columns
     where table_schema = 'phone' and column_name = 'user_id'`,
  );
  const all = rows.map(({ name }) => name).toSorted();
  const tablesOf = async (remove: typeof deleteUser) => {
    const statements: string[] = [];
    const query = async (statement: string) => void statements.push(statement);
    const transaction = async (work: (on: object) => Promise<unknown>) => work({ query });
    await remove({ transaction } as never, randomUUID());
    return statements.map((statement) => /phone\.(\w+)/.exec(statement)?.[1] ?? '').toSorted();
  };
  t.same(await tablesOf(deleteUser), all);
  t.same(
    await tablesOf(deleteUploads),
    all.filter((name) => name !== 'invitation_code'),
  );
});

/** Works on an upload of a connected user. */
function upload(store: () => unknown, records: readonly unknown[]) {
  const user_id = randomUUID();
  const linked = {
    provider_user_id: user_id,
    user_id,
    connection_id: randomUUID(),
    connected_at: '2026-01-01',
  };
  const { call } = services({ 'users.resolve': () => [linked], 'timeseries.store': store });
  const metrics = { increment: () => {}, register: () => {} };
  const deps = { database, call, broker: { metrics }, logger: { info: () => {} } };
  const body = Buffer.from(JSON.stringify(uploadOf({ records })));
  const job = { id: randomUUID(), headers: { 'pulsebus-user-id': user_id }, body, received_ms: Date.now() };
  return workSync({ ...job, signal: new AbortController().signal } as never, deps as never);
}

t.test('an upload that cannot be stored now is tried again', async (t) => {
  const unavailable = () => {
    throw new ServiceError('SERVICE_UNAVAILABLE');
  };
  const records = [record(heartRate, new Date(startMs).toISOString(), 60)];
  t.match(await upload(unavailable, records), { kind: 'later', reason: 'SERVICE_UNAVAILABLE' });
  t.match(await upload(() => [], records), { kind: 'done' });
});

t.test('large uploads are read in one thread', async (t) => {
  const workers: Worker[] = [];
  const note = (message: unknown) => void workers.push((message as { worker: Worker }).worker);
  channel('worker_threads').subscribe(note);
  t.teardown(() => channel('worker_threads').unsubscribe(note));
  const more = { note: 'x'.repeat(1_200_000) };
  const records = [record(heartRate, new Date(startMs).toISOString(), 60, more)];
  const works = await Promise.all([upload(() => [], records), upload(() => [], records)]);
  t.match(works, [{ kind: 'done' }, { kind: 'done' }]);
  t.ok(workers.length <= 1, 'none if it waits for another one');
});
