import { randomUUID } from 'node:crypto';
import t from 'tap';
import { minuteMs } from '../../../domain/time/time.ts';
import { gatherReceived } from '../../../mixins/inbox/received-counts.ts';
import { readReceived } from '../../../services/deliveries/actions/received.ts';
import deliveries from '../../../services/deliveries/deliveries.service.ts';
import { deleteOldReceived } from '../../../services/deliveries/tables/minutes.ts';
import { countingRows } from '../../support/rows/rows-read.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const { broker, call } = await startBroker(t, { databaseUrl: database.url, services: [deliveries] });
const nowMs = Date.UTC(2026, 2, 1, 12, 34, 56);
const minute = (back: number) => Math.floor(nowMs / minuteMs) * minuteMs - back * minuteMs;
const counts = (back: number, deliveries: number, provider = 'devicemaker' as const) => ({
  ...{ provider, minute_ms: minute(back), deliveries, records: deliveries * 2, samples: deliveries * 100 },
});
const total = (column: readonly number[]) => column.reduce((sum, n) => sum + n, 0);

t.test('adds up processes by minute, and by ten minutes', async (t) => {
  const [first, second] = [randomUUID(), randomUUID()];
  await call('deliveries.noteReceived', {
    process: first,
    counts: [counts(0, 1), counts(59, 2), counts(60, 4)],
  });
  await call('deliveries.noteReceived', { process: second, counts: [counts(0, 8), counts(1439, 16)] });
  const hour = await readReceived(database, 'hour', nowMs);
  t.match(hour, { period: 'hour', start_time: '2026-03-01T11:35:00Z', bucket_seconds: 60 });
  const { devicemaker, activitynet } = hour.providers;
  t.strictSame(
    [devicemaker.deliveries.length, devicemaker.deliveries[0], devicemaker.deliveries.at(-1)],
    [60, 2, 9],
  );
  t.strictSame([total(devicemaker.records), total(devicemaker.samples)], [22, 1100]);
  t.equal(total(activitynet.deliveries), 0);
  const day = (await readReceived(database, 'day', nowMs)).providers.devicemaker.deliveries;
  t.strictSame([day.length, total(day), day.at(-1)], [144, 15, 9], 'a day ago is outside');
});

t.test('a repeated or late report changes nothing', async (t) => {
  const process = randomUUID();
  const read = async () =>
    total((await readReceived(database, 'hour', nowMs)).providers.devicemaker.deliveries);
  const before = await read();
  for (const n of [3, 5, 5, 4]) await call('deliveries.noteReceived', { process, counts: [counts(5, n)] });
  t.equal(await read(), before + 5);
});

t.test('a process reports its counts when it ends, also after reports that failed', async (t) => {
  const sent: unknown[] = [];
  const failing = { call: async () => Promise.reject(new Error('away')), logger: broker.logger };
  const lost = gatherReceived(failing);
  lost.note('devicemaker', { deliveries: 1 });
  await t.resolves(lost.close());
  const received = gatherReceived({
    logger: broker.logger,
    call: (name, params, options) => {
      sent.push([name, params]);
      return call(name, params, options);
    },
  });
  received.note('activitynet', { deliveries: 1 });
  received.note('activitynet', { samples: 10, records: 1 });
  await received.close();
  t.equal(sent.length, 1);
  const { activitynet } = (await call('deliveries.received', {})).providers;
  t.strictSame([activitynet.deliveries, activitynet.records, activitynet.samples].map(total), [1, 1, 10]);
});

t.test('reads a row for each minute, provider and process, whatever they count', async (t) => {
  const read = async () => {
    const { on, read } = countingRows(database);
    await readReceived(on, 'day', nowMs);
    return read.get('received_minute');
  };
  const before = await read();
  await database.query('update deliveries.received_minute set deliveries = deliveries * 1000');
  t.equal(await read(), before);
});

t.test('counts are deleted after two days', async (t) => {
  await database.query(
    "update deliveries.received_minute set minute = now() - interval '49 hours', process = gen_random_uuid()",
  );
  await call('deliveries.noteReceived', {
    process: randomUUID(),
    counts: [{ ...counts(0, 1), minute_ms: Date.now() }],
  });
  await deleteOldReceived(database);
  t.strictSame(await database.query('select deliveries from deliveries.received_minute'), [
    { deliveries: 1 },
  ]);
});
