import { randomUUID } from 'node:crypto';
import pg from 'pg';
import t from 'tap';
import type { SampleBlock } from '../../../domain/records/records.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { dropEmptyChunks } from '../../../services/timeseries/tables/chunks.ts';
import { lockUser } from '../../../services/timeseries/tables/erasures.ts';
import { keptFrom } from '../../../services/timeseries/work/kept-days.ts';
import { retainOnePart } from '../../../services/timeseries/work/retention.ts';
import { storableBlocks } from '../../../services/timeseries/work/sample-blocks.ts';
import { phone, steps, watch } from './interval-items.ts';
import { activity, at, block, day, epoch, item, night, sleep, workout } from './items.ts';
import { modelTypes, seeded } from './model.ts';
import { setUp, withUser } from './setting.ts';
import { wrongStatistics } from './statistics.ts';

const border = '2026-03-01';
const order = { providers: ['devicemaker', 'activitynet'], deviceTypes: ['watch', 'phone'] };
const borderMs = Date.parse(border);

/** Samples every 17 minutes from 40 hours before the border to 40 hours after it. */
function across(type: SampleBlock['type'], zone_offset_minutes: number, fields: Partial<SampleBlock> = {}) {
  const random = seeded(zone_offset_minutes + 1000);
  const rows = Array.from(
    { length: Math.floor((80 * hourMs) / (17 * minuteMs)) },
    (_, index) => [borderMs - 40 * hourMs + index * 17 * minuteMs, 1 + Math.floor(random() * 99)] as const,
  );
  return block(type, rows, { zone_offset_minutes, ...fields });
}

const stored = 'select series_id, ts::text, value from timeseries.sample order by 1, 2';
const localDate = "((ts at time zone 'UTC') + make_interval(mins => zone_offset_minutes))::date";

async function sweep(database: Database, firstDay = border): Promise<number> {
  for (let parts = 1; ; parts += 1) {
    const part = await retainOnePart(database, firstDay, order, 50);
    if (part !== 'worked') return parts;
  }
}

t.test('keeps a day until its last hour is too old wherever it was lived', async (t) => {
  t.equal(keptFrom(at('12:00:00'), 0), null, 'nothing goes unless somebody wants it');
  t.equal(keptFrom(Date.parse('2026-03-31T17:59:59Z'), 30), '2026-02-28');
  t.equal(keptFrom(Date.parse('2026-03-31T18:00:00Z'), 30), '2026-03-01');
});

t.test('a store drops samples by the local day that each was lived on', async (t) => {
  const left = (zone_offset_minutes: number) => {
    const rows = [-15, -13, -11, 0, 11, 13].map((hours) => [borderMs + hours * hourMs, hours + 20] as const);
    const pending = { item: 0, block: block('steps', rows), zone_offset_minutes, placed_by: null };
    const kept = { samples: border, events: null };
    return storableBlocks([pending], { nowMs: borderMs + dayMs, kept }).flatMap(({ block }) =>
      block.values.map((value) => value - 20),
    );
  };
  t.same(left(0), [0, 11, 13]);
  t.same(left(840), [-13, -11, 0, 11, 13], '14 hours ahead the day begins the morning before');
  t.same(left(-720), [13], '12 hours behind it begins at noon');
});

t.test('takes whole local days, and leaves statistics exact after each part', async (t) => {
  const { database, call, store } = await setUp(t);
  const other = withUser(database, call, randomUUID());
  for (const [index, offset] of [0, 345, -480, 840, -720].entries()) {
    const device = `Watch ${offset}`;
    const samples = modelTypes.map((type) => across(type, offset, { device }));
    await (index % 2 === 0 ? store : other.store)([item({ samples })]);
  }
  const left = await database.query(stored.replace('order', `where ${localDate} >= '${border}' order`));
  const days = `select * from timeseries.sample_local_day where date >= '${border}' order by 1, 2`;
  const daysBefore = await database.query(days);
  t.strictSame(await wrongStatistics(database), []);
  let parts = 0;
  for (let part = 'worked'; part === 'worked'; parts += 1) {
    part = await retainOnePart(database, border, order, 50);
    t.strictSame(await wrongStatistics(database), [], `after part ${parts}`);
  }
  t.ok(parts > 40, 'in many parts');
  t.strictSame(await database.query(stored), left);
  t.strictSame(
    await database.query(days),
    daysBefore,
    'summaries of the days that are left are as they were',
  );
  const [partial] = await database.query(
    'select 1 from timeseries.sample_hour h join timeseries.series s on s.id = h.series_id where h.bucket = $1 and h.n < 4 and s.device = $2',
    ['2026-02-28T18:00:00Z', 'Watch 345'],
  );
  t.ok(partial, 'a clock a quarter off cuts an hour');
  for (const resolution of ['raw', '1hour'] as const) {
    const page = await call('timeseries.samples', {
      user_id: other.userId,
      start_time: '2026-02-20',
      end_time: '2026-03-10',
      resolution,
      limit: 1,
    });
    const width = resolution === 'raw' ? 'ts' : "date_bin('1 hour', ts, '2000-01-01')";
    const [{ n } = { n: -1 }] = await database.query<{ n: number }>(
      `select count(distinct (series_id, ${width}))::int as n from timeseries.sample
       where series_id in (select id from timeseries.series where user_id = $1)`,
      [other.userId],
    );
    t.equal(page.pagination.total_count, n, resolution);
  }
});

t.test('takes a series away with its last sample, and brings it back with the next', async (t) => {
  const { database, store } = await setUp(t);
  await store([item({ samples: [block('steps', [[borderMs - dayMs, 5]]), across('heart_rate', 0)] })]);
  await sweep(database);
  const series = 'select y.name from timeseries.series s join timeseries.series_type y on y.id = s.type_id';
  t.strictSame(await database.query(series), [{ name: 'heart_rate' }]);
  await store([item({ samples: [block('steps', [[borderMs, 6]])] })]);
  t.strictSame(await wrongStatistics(database), []);
  t.equal((await database.query(series)).length, 2);
});

t.test('is the work of one process at a time, beside stores of old and new data', async (t) => {
  const { database, call } = await setUp(t);
  const people = Array.from({ length: 4 }, () => withUser(database, call, randomUUID()));
  const bring = (device: string) =>
    people.map(({ store }) => store([item({ samples: [across('heart_rate', 60, { device })] })]));
  await Promise.all(bring('Watch 1'));
  const workers = [1, 2, 3].map(() => sweep(database));
  const stores = ['Watch 1', 'Watch 2', 'Watch 3'].flatMap(bring);
  await Promise.all([...workers, ...stores]);
  t.strictSame(await wrongStatistics(database), [], 'whatever came in between');
  await sweep(database, '2026-03-02');
  const tooOld = await database.query(`select from timeseries.sample where ${localDate} < '2026-03-02'`);
  t.equal(tooOld.length, 0, 'what came behind the pass goes with the next');
  t.ok((await database.query(stored)).length > 0);
  t.strictSame(await wrongStatistics(database), []);
});

t.test('waits for a store of the same user that is under way', async (t) => {
  const { database, store, userId } = await setUp(t);
  await store([item({ samples: [across('heart_rate', 0)] })]);
  const part = await database.transaction(async (transaction) => {
    await lockUser(transaction, userId);
    const working = retainOnePart(database, border, order);
    const waiting =
      "select from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";
    const waits = async (): Promise<string> =>
      (await database.query(waiting)).length > 0 ? 'waits' : waits();
    t.equal(await Promise.race([working, waits()]), 'waits');
    return { working };
  });
  t.equal(await part.working, 'worked');
  t.strictSame(await wrongStatistics(database), []);
});

t.test('goes on where a process died', async (t) => {
  const { database, store } = await setUp(t);
  const devices = ['A', 'B', 'C'];
  await store([item({ samples: devices.map((device) => across('heart_rate', 0, { device })) })]);
  const whole = await database.query<{ series_id: number }>(stored);
  for (let part = 0; part < 4; part += 1) await retainOnePart(database, border, order, 50);
  const [before] = await database.query('select series_id, finished_at from timeseries.retention');
  const dying = new pg.Client({ connectionString: database.url });
  dying.on('error', () => undefined);
  await dying.connect();
  await dying.query('begin');
  await dying.query('select from timeseries.retention for update');
  await dying.query('delete from timeseries.sample where series_id = $1', [whole.at(-1)?.series_id]);
  t.equal(await retainOnePart(database, border, order, 50), 'nothing', 'others stand back while it lives');
  const { rows } = await dying.query('select pg_backend_pid() as pid');
  await database.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
  for (let gone = false; !gone; )
    gone = (await database.query('select from pg_stat_activity where pid = $1', [rows[0]?.pid])).length === 0;
  t.match(before, { series_id: whole[0]?.series_id, finished_at: null }, 'the first series was done');
  t.ok((await sweep(database)) < 8, 'and is not walked again');
  const left = await database.query(`select from timeseries.sample where ${localDate} >= '${border}'`);
  t.equal((await database.query(stored)).length, left.length);
  t.equal(left.length, 3 * 140);
  t.strictSame(await wrongStatistics(database), []);
});

t.test('leaves workouts, nights, day totals and sedentary time, and the values of slots go', async (t) => {
  const { database, store } = await setUp(t);
  const startMs = borderMs - 3 * dayMs;
  await store([
    activity(workout(startMs, 30)),
    night([sleep(startMs, 400)]),
    item({ day: day('2026-02-26', { steps: 7000 }) }),
    item({ data_type: 'epochs', epoch: epoch(startMs, { activity_type: 'RUNNING' }) }),
    item({ data_type: 'epochs', epoch: epoch(startMs, { sedentary_seconds: 600 }) }),
    item({ data_type: 'epochs', epoch: epoch(borderMs + dayMs) }),
  ]);
  await sweep(database);
  for (const table of ['workout', 'sleep_session', 'provider_day'])
    t.equal((await database.query(`select from timeseries.${table}`)).length, 1, table);
  const parts = await database.query(
    'select sedentary_seconds, vals, superseded from timeseries.epoch_part order by start_time, activity_type',
  );
  t.strictSame(parts, [
    { sedentary_seconds: null, vals: {}, superseded: null },
    { sedentary_seconds: 600, vals: {}, superseded: null },
    { sedentary_seconds: 0, vals: { steps: 100, average_met: 3 }, superseded: null },
  ]);
  t.equal((await database.query(stored)).length, 1, 'the sample of the slot that is kept');
  t.equal((await database.query('select from timeseries.interval_value')).length, 1, 'and its sum');
});

t.test('the values of old slots go, however many newer slots were stored before them', async (t) => {
  const { database, store } = await setUp(t);
  await store([item({ data_type: 'epochs', epoch: epoch(borderMs + dayMs) })]);
  await database.query(`
    insert into timeseries.epoch_part
    select (jsonb_populate_record(p, jsonb_build_object('start_time', start_time + n * interval '15 minutes'))).*
    from timeseries.epoch_part p, generate_series(1, 5000) n`);
  await store([item({ data_type: 'epochs', epoch: epoch(borderMs - 3 * dayMs) })]);
  await sweep(database);
  const slots = await database.query(`
    select local_date < '${border}' as is_old, count(*)::int as n from timeseries.epoch_part
    where vals <> '{}' group by 1`);
  t.strictSame(slots, [{ is_old: false, n: 5001 }]);
});

t.test('what activities brought goes with its samples, once none of its UTC day is kept', async (t) => {
  const { database, store } = await setUp(t);
  const speed = (zone_offset_minutes: number) =>
    across('speed', zone_offset_minutes, { device: `${zone_offset_minutes}` });
  await store([
    activity(workout(borderMs, 30), { samples: [speed(0), speed(345), speed(-480)] }),
    item({ samples: [across('heart_rate', 0)] }),
  ]);
  await sweep(database);
  const blocks =
    'select zone_offset_minutes as zone, day::text from timeseries.activity_block order by 1 desc, 2';
  const days = (zone: number, ...of: string[]) => of.map((day) => ({ zone, day }));
  t.strictSame(await database.query(blocks), [
    ...days(345, '2026-02-28', '2026-03-01', '2026-03-02'),
    ...days(0, '2026-03-01', '2026-03-02'),
    ...days(-480, '2026-03-01', '2026-03-02'),
  ]);
  t.strictSame(
    await database.query('select day::text from timeseries.other_instants order by 1'),
    ['2026-02-28', '2026-03-01', '2026-03-02'].map((day) => ({ day })),
  );
});

t.test('a store keeps the records of old items and drops their samples', async (t) => {
  const { database, store } = await setUp(t, { SAMPLE_RETENTION_DAYS: '30' });
  const nowMs = Math.floor(Date.now() / minuteMs) * minuteMs;
  const samples = [
    block('steps', [[nowMs - 40 * dayMs, 1]]),
    block('heart_rate', [
      [nowMs - 40 * dayMs, 61],
      [nowMs - 29 * dayMs, 62],
    ]),
  ];
  const old = item({ day: day('2020-01-01', { steps: 9 }), samples });
  t.match(await store([old]), [{ status: 'saved', samples_written: 1 }]);
  t.strictSame(await database.query('select value from timeseries.sample'), [{ value: 62 }]);
  t.equal((await database.query('select from timeseries.series')).length, 1, 'no series of nothing');
  t.equal((await database.query('select from timeseries.provider_day')).length, 1);
  t.match(await store([old]), [{ status: 'duplicate' }], 'sent again it is no news');
});

t.test(
  'gives the disk space of empty chunks back, and leaves those that somebody reads or that are not',
  async (t) => {
    const { database, store } = await setUp(t);
    const times = [200, 150, 1].map((days) => borderMs - days * dayMs);
    await store([
      item({ samples: [...times, borderMs].map((ms, i) => block('steps', [[ms, 5]], { device: `${i}` })) }),
    ]);
    const chunks = async () => (await database.query("select from show_chunks('timeseries.sample')")).length;
    const all = await chunks();
    t.strictSame(await dropEmptyChunks(database, border), { dropped: 0, left: all - 1 }, 'none is empty yet');
    await sweep(database);
    const reader = new pg.Client({ connectionString: database.url });
    await reader.connect();
    await reader.query('begin');
    await reader.query('select from timeseries.sample where ts < $1', [new Date(times[0] ?? 0)]);
    t.match(await dropEmptyChunks(database, border), { left: 1 }, 'one is read');
    await reader.end();
    t.strictSame(await dropEmptyChunks(database, border), { dropped: 1, left: 0 });
    t.equal(await chunks(), 1);
    t.strictSame(await wrongStatistics(database), []);
  },
);

t.test('intervals go by the local day of their start, with what counts of them', async (t) => {
  const { database, call, storeIntervals, userId } = await setUp(t);
  const hours = Array.from({ length: 96 }, (_, index) => borderMs + (index - 48) * hourMs);
  const given = (source: number) =>
    hours.map((ms) => steps(ms, 60, 10 + source, { source, zone_offset_minutes: 120 }));
  await storeIntervals([watch, phone], [...given(0), ...given(1)]);
  await sweep(database);
  const left = hours.filter((ms) => ms + 2 * hourMs >= borderMs).length;
  const [rows] = await database.query<{ n: number }>(
    'select count(*)::int as n from timeseries.interval_value',
  );
  t.equal(rows?.n, 2 * left);
  const range = { user_id: userId, start_time: '2026-01-01', end_time: '2026-12-31' };
  const { pagination } = await call('timeseries.samples', range);
  t.equal(pagination.total_count, 2 * left, 'counts follow');
  const days = await database.query<{ date: string; sum: number }>(
    `select date::text, sum(sum) as sum from timeseries.sample_local_day group by date order by date`,
  );
  t.same(days, [
    { date: '2026-03-01', sum: 240 },
    { date: '2026-03-02', sum: 240 },
    { date: '2026-03-03', sum: 20 },
  ]);
  await sweep(database, '2026-04-01');
  const series = await database.query('select from timeseries.series');
  t.equal(series.length, 0, 'an empty series goes');
});
