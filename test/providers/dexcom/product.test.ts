import t from 'tap';
import { z } from 'zod';
import { dayMs, isoTime, localTime, minuteMs } from '../../../domain/time/time.ts';
import { types } from '../../../providers/dexcom/records.ts';
import { bodies } from '../../fixtures/dexcom/bodies.ts';
import { at, block, item } from '../../services/timeseries/items.ts';
import { createUser, joinApi } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const api = await joinApi(t, { database: await freshDatabase(t), settings: {} });
const [days, valuesADay] = [14, 288];
const firstMs = at('00:00:00', '2026-03-01');
const nowMs = firstMs + (days + 1) * dayMs;
const utcMinutes = 0;
const Served = z.object({
  data: z.array(z.object({ value: z.number() })),
  pagination: z.object({ total_count: z.int() }),
});

/** The records of a day, five minutes apart. */
const readingsOf = (day: number, value: (index: number) => number) =>
  Array.from({ length: valuesADay }, (_, index) => {
    const ms = firstMs + day * dayMs + index * 5 * minuteMs;
    return {
      ...bodies.egvs[0],
      recordId: String(ms),
      systemTime: isoTime(ms),
      displayTime: localTime(ms, utcMinutes),
      value: value(index),
    };
  });

let reads = 0;
/** Stores what a read of a day lists. */
async function readDay(user_id: string, day: number, list: readonly object[]): Promise<void> {
  const span = { startMs: firstMs + day * dayMs, endMs: firstMs + (day + 1) * dayMs };
  reads += 1;
  const { egvs } = types;
  if (egvs === undefined) throw new Error('there are no readings');
  const { items } = egvs.normalise({ records: { list }, span, nowMs });
  const { series = [], devices = null } = egvs.replaces;
  const replaces = { data_type: 'egvs', series: [...series], together: [], records: [], is_local: false };
  await api.call('timeseries.replace', {
    user_id,
    provider: 'dexcom',
    items: items.map((one) => ({ ...one, hash: String(reads) })),
    replaces: {
      ...replaces,
      start_ms: span.startMs,
      end_ms: span.endMs,
      devices: devices === null ? null : [...devices],
    },
  });
}

/** The number of values of a day, and those of its first hours. */
async function servedOf(userId: string, day: number) {
  const [from, to] = [firstMs + day * dayMs, firstMs + (day + 1) * dayMs];
  const range = `start_time=${isoTime(from)}&end_time=${isoTime(to)}&limit=100`;
  const page = await api.expect(200, `/users/${userId}/timeseries?types=blood_glucose&${range}`);
  const { data, pagination } = Served.parse(page);
  return { count: pagination.total_count, values: new Set(data.map(({ value }) => value)) };
}

t.test('values that were smoothed since replace those that were read before', async (t) => {
  const userId = await createUser(api);
  const raw = readingsOf(0, (index) => 100 + (index % 3));
  await readDay(userId, 0, raw);
  t.same(await servedOf(userId, 0), { count: valuesADay, values: new Set([100, 101, 102]) });
  await readDay(
    userId,
    0,
    readingsOf(0, () => 101),
  );
  t.same(await servedOf(userId, 0), { count: valuesADay, values: new Set([101]) });
  await readDay(userId, 0, raw.slice(1));
  t.equal((await servedOf(userId, 0)).count, valuesADay - 1, 'one that is not listed any more is gone');
});

t.test('the same sensor through a phone does not double the values of a day', async (t) => {
  const userId = await createUser(api);
  for (let day = 0; day < days; day += 1)
    await readDay(
      userId,
      day,
      readingsOf(day, () => 120),
    );
  // The phone was off for an hour of each day.
  const points = Array.from({ length: days * valuesADay }, (_, index): [number, number] => [
    firstMs + index * 5 * minuteMs,
    120,
  ]).filter((_, index) => index % valuesADay >= 12);
  const ofPhone = item({ key: 'phone', samples: [block('blood_glucose', points)] });
  await api.call('timeseries.store', { user_id: userId, provider: 'phone', items: [ofPhone] });
  t.match(await api.expect(200, `/users/${userId}/glucose?end_date=2026-03-14`), {
    values: days * valuesADay,
    mean_mg_per_dl: 120,
    confidence: 1,
    source: { provider: 'dexcom', device: 'Dexcom G7' },
  });
});
