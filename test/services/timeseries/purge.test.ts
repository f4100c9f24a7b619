import { randomUUID } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import t from 'tap';
import type { Database } from '../../../mixins/database/database.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import { markPurged } from '../../../services/timeseries/work/erasure.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { until } from '../../support/until.ts';
import { callDuringStore } from './call-during-store.ts';
import { steps, watch } from './interval-items.ts';
import { activity, at, block, day, dayValues, item, night, score, sleep, workout } from './items.ts';
import { setUp, withUser } from './setting.ts';
import { wrongStatistics } from './statistics.ts';

/** Rows of a user by table and provider, of every table with a provider. */
async function rowsOf(database: Database, userId: string): Promise<Record<string, number>> {
  const tables = await database.query<{ name: string }>(`
    select table_name as name from information_schema.columns
    where table_schema = 'timeseries' and column_name in ('user_id', 'provider') and table_name <> 'purge'
    group by table_name having count(*) = 2`);
  const counts: Record<string, number> = {};
  for (const { name } of tables)
    for (const provider of ['devicemaker', 'activitynet']) {
      const [row] = await database.query<{ n: number }>(
        `select count(*)::int as n from timeseries.${name} where user_id = $1 and provider = $2`,
        [userId, provider],
      );
      counts[`${name} ${provider}`] = row?.n ?? 0;
    }
  return counts;
}

async function untilFinished(database: Database): Promise<void> {
  for (let tries = 0; tries < 4800; tries += 1) {
    const left = await database.query(
      'select from timeseries.purge where not items_done or cardinality(series_ids) > 0',
    );
    if (left.length === 0) return;
    await setTimeout(50);
  }
  throw new Error('the purge did not come to its end');
}

/** What counts of the intervals of a user, once it is settled. */
async function untilCounted(database: Database, userId: string) {
  await until(async () => {
    const rows = await database.query("select from jobs.job where kind = 'timeseries.interval_settlement'");
    return rows.length === 0;
  });
  return database.query(
    `select s.provider, d.sum from timeseries.series s join timeseries.sample_local_day d on d.series_id = s.id
     where s.user_id = $1 and s.is_interval`,
    [userId],
  );
}

const run = (minutes: number, fields = {}) => workout(at('07:00:00'), minutes, { name: 'run', ...fields });
const everything = () => [
  item({
    key: 'a day',
    hash: 'its content',
    day: day('2026-03-01'),
    samples: [
      block('heart_rate', [
        [at('10:00:00'), 60],
        [at('11:00:00'), 61],
      ]),
      block('steps', [[at('10:00:00'), 10]]),
    ],
  }),
  night([sleep(at('22:00:00'), 400)]),
  activity(run(30, { calories_kcal: 300, distance_meters: 5000 }), {
    key: 'the run',
    samples: [block('speed', [[at('07:10:00'), 3]])],
  }),
  item({
    data_type: 'epochs',
    day_values: dayValues('2026-03-01'),
    scores: [score('2026-03-01')],
    epoch: {
      start_ms: at('12:00:00'),
      slot_seconds: null,
      zone_offset_minutes: 0,
      device: 'Watch 7',
      activity_type: 'WALKING',
      active_seconds: 300,
      sedentary_seconds: null,
      values: { steps: 50 },
    },
  }),
  item({
    data_type: 'moveiq',
    other: {
      type: 'moveiq',
      start_ms: at('13:00:00'),
      end_ms: at('13:30:00'),
      zone_offset_minutes: 0,
      date: '2026-03-01',
      device: 'Watch 7',
      data: {},
    },
  }),
];

t.test("erases one provider's data of one user only", async (t) => {
  const { database, call, store, storeIntervals, userId } = await setUp(t);
  const other = withUser(database, call, randomUUID());
  await other.store(everything());
  await other.storeIntervals([watch], [steps(at('10:00:00'), 10, 300)]);
  const [, ...untouched] = [0, await rowsOf(database, other.userId)];
  await store([activity(run(31, { name: 'the same run' }))], 'activitynet');
  await store([item({ samples: [block('heart_rate', [[at('07:10:00'), 140]])] })], 'activitynet');
  await store(everything());
  await store([
    item({ samples: [block('heart_rate', [[at('14:00:00'), 70]], { zone_offset_minutes: null })] }),
  ]);
  await storeIntervals([watch], [steps(at('10:00:00'), 10, 300)]);
  await storeIntervals([watch], [steps(at('10:00:00'), 10, 300)], 'activitynet');
  const before = await rowsOf(database, userId);
  for (const [place, count] of Object.entries(before))
    if (place.endsWith('devicemaker')) t.ok(count > 0, `there is something in ${place}`);
  const range = { user_id: userId, start_date: '2026-03-01', end_date: '2026-03-02' };
  const names = async () => (await call('timeseries.workouts', range)).data.map(({ name }) => name);
  t.strictSame(await names(), ['run'], 'the fuller of the two is listed');

  const purge = { user_id: userId, provider: 'devicemaker', version: 3 } as const;
  t.strictSame(await call('timeseries.purge', purge), { purging: true });
  t.strictSame(await names(), ['the same run'], 'its twin is listed again');
  const samples = await call('timeseries.samples', {
    user_id: userId,
    start_time: '2026-03-01',
    end_time: '2026-03-02',
  });
  t.strictSame(
    samples.data.map(({ source }) => source.provider),
    ['activitynet', 'activitynet'],
  );
  t.equal(samples.pagination.total_count, 2, 'hidden when the call answers');
  await untilFinished(database);
  for (const [place, count] of Object.entries(await rowsOf(database, userId)))
    t.equal(count, place.endsWith('devicemaker') ? 0 : before[place], place);
  t.strictSame([await rowsOf(database, other.userId)], untouched);
  const [orphans] = await database.query<{ n: number }>(
    'select count(*)::int as n from timeseries.sample where series_id not in (select id from timeseries.series)',
  );
  t.equal(orphans?.n, 0, 'no sample is left behind');
  const [values] = await database.query<{ n: number }>(
    'select count(*)::int as n from timeseries.interval_value',
  );
  t.equal(values?.n, 3, 'nor an interval');
  const counted = await untilCounted(database, userId);
  t.strictSame(counted, [{ provider: 'activitynet', sum: 300 }], 'the interval of the other provider counts');
  t.strictSame(await wrongStatistics(database), []);
});

t.test('refuses later data until ingestion is allowed again; then all items are new', async (t) => {
  const { database, call, store, userId } = await setUp(t);
  await store(everything());
  const key = { user_id: userId, provider: 'devicemaker' } as const;
  await call('timeseries.purge', { ...key, version: 3 });
  await t.rejects(store(everything()), refusal('USER_ERASED'));
  t.equal((await store([item()], 'activitynet'))[0]?.status, 'saved', 'the other provider goes on');
  t.strictSame(await call('timeseries.purge', { ...key, version: 3 }), { purging: false }, 'once more');
  await call('timeseries.reopen', { ...key, version: 2 });
  await t.rejects(store(everything()), refusal('USER_ERASED'), 'not by who does not know of this purge');

  await call('timeseries.reopen', { ...key, version: 3 });
  t.strictSame(
    (await store(everything())).map(({ status }) => status),
    ['saved', 'saved', 'saved', 'saved', 'saved'],
  );
  t.strictSame(await call('timeseries.purge', { ...key, version: 3 }), { purging: false });
  t.equal((await rowsOf(database, userId))['workout devicemaker'], 1, 'a late repetition harms nothing');
  await untilFinished(database);
  t.equal((await rowsOf(database, userId))['series devicemaker'], 4);

  t.strictSame(
    await call('timeseries.purge', { ...key, version: 7 }),
    { purging: true },
    'a new wish counts',
  );
  await untilFinished(database);
  t.equal((await rowsOf(database, userId))['series devicemaker'], 0);
  const nobody = { ...key, user_id: randomUUID(), version: 1 };
  t.strictSame(await call('timeseries.reopen', nobody), { open: true }, 'who never had anything purged');
});

t.test('erases the data of a store call that was in progress', async (t) => {
  const { database, call, store, userId } = await setUp(t);
  const samples = [block('steps', [[at('10:00:00'), 1]])];
  const purge = () => call('timeseries.purge', { user_id: userId, provider: 'devicemaker', version: 1 });
  const stored = await callDuringStore(database, userId, () => store([item({ samples })]), purge);
  t.match(stored, [{ status: 'saved', samples_written: 1 }], 'it was stored before the purge');
  await untilFinished(database);
  t.ok(Object.values(await rowsOf(database, userId)).every((count) => count === 0));
  t.strictSame(await wrongStatistics(database), []);
});

t.test('continues after a crash; a new connection starts without stored versions', async (t) => {
  const database = await freshDatabase(t);
  const choice = { databaseUrl: database.url, services: [timeseries] };
  const first = await startBroker(t, choice);
  const userId = randomUUID();
  const { store } = withUser(database, first.call, userId);
  const rows = Array.from({ length: 9000 }, (_, n) => [at('00:00:00') + n * 1000, 1] as const);
  for (const offset of [0, 9000, 18_000])
    await store([
      item({
        samples: [
          block(
            'energy',
            rows.map(([ms, value]) => [ms + offset * 1000, value]),
          ),
        ],
      }),
    ]);
  await store(everything());
  await database.query(
    `insert into timeseries.item (user_id, provider, data_type, key, duration_seconds, hash, is_first, record_ids)
     select $1, 'devicemaker', 'epochs', n::text, 0, 'x', true, '{}' from generate_series(1, 25000) n`,
    [userId],
  );
  await first.broker.stop();
  // The trigger enqueues for processes of the previous version.
  await database.query('alter table timeseries.purge disable trigger enqueue_purge');
  // A process that dies right after it answered leaves just this.
  await markPurged(
    database,
    { user_id: userId, provider: 'devicemaker', version: 5 },
    { providers: ['devicemaker'], deviceTypes: [] },
  );
  t.equal((await rowsOf(database, userId))['item devicemaker'], 25_008);

  const [one, two] = await Promise.all([startBroker(t, choice), startBroker(t, choice)]);
  await two.call('timeseries.reopen', { user_id: userId, provider: 'devicemaker', version: 5 });
  const again = withUser(database, one.call, userId);
  t.strictSame(
    (await again.store(everything())).map(({ status }) => status),
    ['saved', 'saved', 'saved', 'saved', 'saved'],
  );
  await untilFinished(database);
  const [samples] = await database.query<{ n: number }>('select count(*)::int as n from timeseries.sample');
  t.equal(samples?.n, 4, 'of the new ones only');
  t.equal((await rowsOf(database, userId))['item devicemaker'], 5);
  t.strictSame(await wrongStatistics(database), []);
});
