import { randomUUID } from 'node:crypto';
import t from 'tap';
import { seriesCatalogue } from '../../../domain/records/series.ts';
import { dayMs, hourMs } from '../../../domain/time/time.ts';
import type { Call } from '../../../runtime/environment.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';
import { at, block, item } from './items.ts';
import { modelTypes, seeded } from './model.ts';
import { setUp, withUser } from './setting.ts';
import { wrongStatistics } from './statistics.ts';

t.test('a start updates the catalogue that the triggers read', async (t) => {
  const database = await freshDatabase(t);
  await database.query(`insert into timeseries.series_type values
    (1, 'heart_rate', 'sum'), (63, 'an old name', 'avg')`);
  await startBroker(t, { databaseUrl: database.url, services: [timeseries] });
  const rows = await database.query<{ id: number; name: string; bucket: string }>(
    'select id, name, bucket from timeseries.series_type order by id',
  );
  t.strictSame(
    rows.map(({ id, name }) => [id, name]),
    seriesCatalogue.map(({ id, type }) => [id, type]),
  );
  // Computed here, because the triggers sum energies only of levels in dB.
  t.strictSame(
    rows.filter(({ bucket }) => bucket === 'leq').map(({ id, name }) => [id, name]),
    [
      [63, 'environmental_audio_exposure'],
      [64, 'headphone_audio_exposure'],
      [65, 'environmental_sound_reduction'],
    ],
  );
  t.match(rows[0], { id: 1, name: 'heart_rate', bucket: 'mean' });
});

t.test('keeps the day of a clock 14 hours ahead, or 12 behind, when samples of it change', async (t) => {
  const { database, store } = await setUp(t);
  for (const [zone_offset_minutes, device, at] of [
    [840, 'ahead', '2026-03-01T10:30:00Z'],
    [-720, 'behind', '2026-03-03T11:30:00Z'],
  ] as const) {
    const ms = Date.parse(at);
    // The first and the last half hour of 2 March there, and noon.
    const [first, last] = zone_offset_minutes > 0 ? [ms, ms + 23 * hourMs] : [ms - 23 * hourMs, ms];
    const rows = [
      [first, 1],
      [first + 12 * hourMs, 10],
      [last, 100],
    ] as const;
    await store([item({ key: device, samples: [block('steps', rows, { zone_offset_minutes, device })] })]);
  }
  await database.query('delete from timeseries.sample where value = 10');
  const day = 'select date::text, n, sum from timeseries.sample_local_day order by series_id';
  const whole = { date: '2026-03-02', n: 2, sum: 101 };
  t.strictSame(await database.query(day), [whole, whole]);
  t.strictSame(await wrongStatistics(database), []);
});

t.test('keeps statistics through inserts, updates, moved offsets and deletes of any order', async (t) => {
  const { database, store } = await setUp(t);
  const random = seeded(7);
  const offsets = [0, 345, -480, 840, -720];
  for (let round = 0; round < 25; round += 1) {
    const samples = modelTypes.map((type) => {
      const rows = Array.from(
        { length: 40 },
        () =>
          [at('00:00:00') + Math.floor(random() * 400) * 180_000, 1 + Math.floor(random() * 100)] as const,
      );
      return block(type, rows, { zone_offset_minutes: offsets[Math.floor(random() * 5)] ?? 0 });
    });
    await store([item({ samples })]);
  }
  t.strictSame(await wrongStatistics(database), [], 'after stores that insert and update in one statement');
  const [before] = await database.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
  await database.query(
    'delete from timeseries.sample where extract(minute from ts)::int % 2 = 0 and value > 20',
  );
  await database.query('update timeseries.sample set value = value + 0.5 where value < 10');
  await database.query("delete from timeseries.sample where ts < '2026-03-01 05:00:00+00'");
  const [after] = await database.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
  t.ok((after?.n ?? 0) > 0 && (after?.n ?? 0) < (before?.n ?? 0) / 2, 'much was deleted, something is left');
  t.strictSame(await wrongStatistics(database), [], 'after deletes and plain updates');
});

t.test('recomputes minimum and energy mean when their sample is deleted', async (t) => {
  const { database, store } = await setUp(t);
  const loud = [
    [at('10:00:00'), 180.5],
    [at('10:01:00'), 20.25],
    [at('10:02:00'), 3.5],
  ] as const;
  await store([item({ key: 'a', samples: [block('environmental_audio_exposure', loud)] })]);
  await store([item({ key: 'b', samples: [block('environmental_audio_exposure', [[at('10:00:00'), 10]])] })]);
  await database.query('delete from timeseries.sample where value = 3.5');
  const rows = await database.query('select n, min, max, last, energy from timeseries.sample_hour');
  t.strictSame(rows, [{ n: 2, min: 10, max: 20.25, last: 20.25, energy: 10 + 10 ** 2.025 }]);
});

t.test('a changed offset moves a sample to another local day', async (t) => {
  const { database, store } = await setUp(t);
  const late = (zone_offset_minutes: number, value: number) =>
    item({ samples: [block('steps', [[at('23:30:00'), value]], { zone_offset_minutes })] });
  await store([late(0, 10)]);
  await store([late(60, 10)]);
  t.strictSame(await database.query('select date::text, n, sum from timeseries.sample_local_day'), [
    { date: '2026-03-02', n: 1, sum: 10 },
  ]);
  await store([late(-720, 12)]);
  t.strictSame(await database.query('select date::text, n, sum from timeseries.sample_local_day'), [
    { date: '2026-03-01', n: 1, sum: 12 },
  ]);
});

// A call that ends on a busy machine is sent again, and answered as a duplicate.
const patient =
  (call: Call): Call =>
  (name, params, options) =>
    call(name, params, { timeout: 120_000, ...options });

t.test('stays exact under two nodes that store overlapping data of one user at once', async (t) => {
  const database = await freshDatabase(t);
  const namespace = randomUUID();
  const choice = { databaseUrl: database.url, services: [timeseries], natsUrl: natsUrl(), namespace };
  const nodes = [await startBroker(t, choice), await startBroker(t, choice)];
  const userId = randomUUID();
  const random = seeded(11);
  // Each call has an hour of its own and a part of the next one's rows: rows, hours and days meet, also where no
  // row of one call is one of another's.
  const calls = Array.from({ length: 96 }, (_, index) => {
    const node = nodes[index % 2];
    if (node === undefined) throw new Error('two nodes');
    const start = at('00:00:00') + (index % 24) * hourMs;
    const width = index < 48 ? hourMs : 2 * hourMs;
    const rows = Array.from(
      { length: 30 },
      () =>
        [start + Math.floor(random() * (width / 20_000)) * 20_000, 1 + Math.floor(random() * 100)] as const,
    );
    const items = [item({ samples: modelTypes.map((type) => block(type, rows)) })];
    return withUser(database, patient(node.call), userId).store(items);
  });
  const outcomes = await Promise.all(calls);
  t.equal(outcomes.flat().filter(({ status }) => status === 'saved').length, 96);
  t.strictSame(await wrongStatistics(database), []);
  const [{ n } = { n: 0 }] = await database.query<{ n: number }>(
    'select count(*)::int as n from timeseries.series',
  );
  t.equal(n, modelTypes.length, 'one series a type, however many made it at once');
});

t.test('stores concurrent calls of different users without a deadlock', async (t) => {
  const { database, call } = await setUp(t);
  const rows = Array.from(
    { length: 50 },
    (_, index) => [at('00:00:00') + index * 60_000, index + 1] as const,
  );
  const users = Array.from({ length: 20 }, () => withUser(database, call, randomUUID()));
  await Promise.all(
    users.flatMap(({ store }) => [1, 2].map(() => store([item({ samples: [block('steps', rows)] })]))),
  );
  t.strictSame(await wrongStatistics(database), []);
  const counts = await database.query(
    'select sum(n)::int as n from timeseries.sample_day group by series_id',
  );
  t.strictSame(
    counts,
    users.map(() => ({ n: 50 })),
  );
});

t.test('does not write unchanged rows', async (t) => {
  const { database, store } = await setUp(t);
  const rows = Array.from(
    { length: 500 },
    (_, index) => [at('00:00:00') + index * 60_000, 60 + (index % 50)] as const,
  );
  const given = (key: string) => item({ key, samples: [block('heart_rate', rows)] });
  await store([given('one')]);
  const versions = () =>
    database.query(`
      select 'sample' as t, ts::text as at, xmin::text from timeseries.sample
      union all select 'hour', bucket::text, xmin::text from timeseries.sample_hour
      union all select 'day', bucket::text, xmin::text from timeseries.sample_day
      union all select 'local', date::text, xmin::text from timeseries.sample_local_day order by 1, 2`);
  const before = await versions();
  const [again] = await store([given('two')]);
  t.strictSame(again, { status: 'saved', record_ids: [], samples_written: 0 });
  t.strictSame(await versions(), before, 'no row was written again');
  const changed = rows.map(([ms, value], index) => [ms, index < 7 ? value + 1 : value] as const);
  const [third] = await store([item({ key: 'three', samples: [block('heart_rate', changed)] })]);
  t.equal(third?.samples_written, 7);
});

t.test('stores the last of several values of one instant', async (t) => {
  const { database, store } = await setUp(t);
  const [first, second] = await store([
    item({
      samples: [
        block('steps', [
          [at('10:00:00'), 1],
          [at('09:00:00'), 2],
          [at('10:00:00'), 3],
        ]),
      ],
    }),
    item({ samples: [block('steps', [[at('09:00:00'), 4]])] }),
  ]);
  t.strictSame([first?.samples_written, second?.samples_written], [1, 1]);
  t.strictSame(await database.query('select value from timeseries.sample order by ts'), [
    { value: 4 },
    { value: 3 },
  ]);
  t.strictSame(await wrongStatistics(database), []);
});

t.test('drops values outside of the accepted ranges, and keeps those on the bounds', async (t) => {
  const { database, store } = await setUp(t);
  const rows = [
    [at('10:00:00'), 0.9],
    [at('10:00:01'), 1],
    [at('10:00:02'), 300],
    [at('10:00:03'), 300.1],
    [Date.UTC(1989, 11, 31, 23, 59, 59), 70],
    [Date.UTC(1990, 0, 1), 71],
    [Date.now() + dayMs + 60_000, 72],
  ] as const;
  const [outcome] = await store([item({ samples: [block('heart_rate', rows)] })]);
  t.equal(outcome?.samples_written, 3);
  t.strictSame(
    await database.query('select value from timeseries.sample order by ts'),
    [71, 1, 300].map((value) => ({ value })),
  );
});

t.test('stores more samples than one statement takes', async (t) => {
  const { database, store } = await setUp(t);
  const rows = Array.from(
    { length: 12_345 },
    (_, index) => [at('00:00:00') + index * 1000, index % 100] as const,
  );
  const [outcome] = await store([item({ samples: [block('steps', rows)] })]);
  t.equal(outcome?.samples_written, 12_345);
  t.strictSame(await wrongStatistics(database), []);
});

t.test('refuses columns of different length', async (t) => {
  const { store } = await setUp(t);
  const uneven = { ...block('steps', [[at('10:00:00'), 1]]), at: [0, 1000] };
  await t.rejects(store([item({ samples: [uneven] })]), refusal('VALIDATION_FAILED'));
});
