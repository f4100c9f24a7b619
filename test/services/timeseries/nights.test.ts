import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { readNights } from '../../../services/timeseries/actions/nights.ts';
import { lockUser } from '../../../services/timeseries/tables/erasures.ts';
import { settleNights } from '../../../services/timeseries/work/night-means.ts';
import { countingRows } from '../../support/rows/rows-read.ts';
import { at, block, item, night, sleep } from './items.ts';
import { keptNights, nightsAnew, wrongNights } from './night-oracle.ts';
import { anotherUser, type Setting, setUp, unknownUser } from './setting.ts';

const { database, call } = await setUp(t);

const another = () => anotherUser({ database, call });

type Params = Partial<Actions['timeseries.nights']['params']>;

function read(of: { userId: string }, params: Params = {}) {
  const whole = { first_date: '2026-03-01', last_date: '2026-03-31', after: null, order: 'asc' as const };
  return call('timeseries.nights', { user_id: of.userId, ...whole, limit: 101, ...params });
}

const evening = at('22:30:00');

t.test('main sessions of a night are added up, naps separately', async (t) => {
  const person = await another();
  const stages = {
    deep_seconds: 3600,
    light_seconds: 3600,
    rem_seconds: null,
    awake_seconds: 300,
    interruptions: 2,
  };
  const date = '2026-03-02';
  await person.store([
    night([sleep(evening, 150, { ...stages, date, asleep_seconds: 8700, device: 'Band 2' })]),
    night([
      sleep(evening + 4 * 3_600_000, 200, {
        deep_seconds: 600,
        date,
        asleep_seconds: 11_000,
        device: 'Watch 7',
      }),
      sleep(at('13:00:00', date), 25, { is_nap: true, date }),
      sleep(at('16:00:00', date), 10, { is_nap: true, date }),
    ]),
  ]);
  const none = {
    heart_rate: null,
    heart_rate_variability_sdnn: null,
    respiratory_rate: null,
    oxygen_saturation: null,
  };
  t.same(await read(person), {
    total: 1,
    devices: ['Watch 7'],
    nights: [
      {
        date,
        sources: [
          {
            provider: 'devicemaker',
            device: 0,
            nap_count: 2,
            nap_seconds: 2100,
            main: {
              sessions: 2,
              start_ms: evening,
              end_ms: evening + (4 * 60 + 200) * 60_000,
              in_bed_seconds: 350 * 60,
              asleep_seconds: 19_700,
              deep_seconds: 4200,
              light_seconds: 3600,
              rem_seconds: null,
              awake_seconds: 300,
              interruptions: 2,
              is_staged: true,
              means: none,
            },
          },
        ],
      },
    ],
  });
});

t.test('a night is staged if each of its main sessions has a measured stage', async (t) => {
  const staged = { deep_seconds: 600, light_seconds: null };
  const cases: readonly (readonly [object[], boolean | undefined])[] = [
    [[staged, { awake_seconds: 60 }], true],
    [[staged, {}], false],
    [[{ deep_seconds: 0, light_seconds: 0, rem_seconds: 0, awake_seconds: 0 }], false],
    [[staged, { is_nap: true }], true],
    [[{ is_nap: true }], undefined],
  ];
  for (const [sessions, expected] of cases) {
    const person = await another();
    const date = '2026-03-02';
    const all = sessions.map((one, n) => sleep(evening + n * 3_600_000, 50, { date, ...one }));
    await person.store(all.map((one) => night([one])));
    const [found] = (await read(person)).nights;
    t.equal(found?.sources[0]?.main?.is_staged, expected, JSON.stringify(sessions));
  }
});

t.test('means are computed from samples within the main sleep, edges included', async (t) => {
  const person = await another();
  const wake = evening + 8 * 3_600_000;
  const inside = [
    [evening, 50],
    [evening + 1_800_000, 60],
    [evening + 5_400_000, 61],
    [wake - 1, 69],
  ] as const;
  const outside = [
    [evening - 1, 200],
    [wake, 200],
  ] as const;
  await person.store([
    night([sleep(evening, 480), sleep(at('13:00:00', '2026-03-02'), 30, { is_nap: true })]),
    item({
      samples: [
        block('heart_rate', [...inside, ...outside, [at('13:10:00', '2026-03-02'), 210]]),
        block(
          'heart_rate',
          inside.map(([ms], index) => [ms + index, 99] as const),
          { device: 'Band 2' },
        ), // prettier-ignore
        block('heart_rate', [[evening + 7, 99]], { device: 'Band 2' }),
        block('heart_rate_variability_rmssd', [[evening + 60_000, 77]]),
        block(
          'respiratory_rate',
          [
            [evening + 60_000, 14],
            [wake - 60_000, 15],
          ],
          { device: 'Band 2' },
        ), // prettier-ignore
      ],
    }),
  ]);
  await person.store(
    [item({ samples: [block('oxygen_saturation', [[evening + 60_000, 97]])] })],
    'activitynet',
  );
  const { nights } = await read(person);
  t.same(nights[0]?.sources[0]?.main?.means, {
    heart_rate: 60,
    heart_rate_variability_sdnn: null,
    respiratory_rate: 14.5,
    oxygen_saturation: null,
  });
});

t.test('a sleep that begins and ends within one hour has its samples once', async (t) => {
  const person = await another();
  const from = at('03:10:00', '2026-03-03');
  await person.store([
    night([sleep(from, 20, { zone_offset_minutes: 0 })]),
    item({
      samples: [
        block('heart_rate', [
          [from - 1, 99],
          [from, 50],
          [from + 600_000, 52],
          [from + 1_200_000, 99],
        ]),
      ],
    }), // prettier-ignore
  ]);
  const { nights } = await read(person);
  t.equal(nights[0]?.sources[0]?.main?.means.heart_rate, 51);
});

t.test('providers are separate; a day with naps only has no main sleep', async (t) => {
  const person = await another();
  const nap = { is_nap: true, date: '2026-03-05', device: 'Band 2' };
  await person.store([night([sleep(at('13:00:00', '2026-03-05'), 25, nap)])]);
  await person.store(
    [night([sleep(at('22:00:00', '2026-03-04'), 400, { date: '2026-03-05' })])],
    'activitynet',
  );
  const { nights, devices } = await read(person);
  t.same(
    nights[0]?.sources.map(({ provider, device, main, nap_count }) => {
      return [provider, devices[device], main === null, nap_count];
    }),
    [
      ['activitynet', 'Watch 7', false, 0],
      ['devicemaker', 'Band 2', true, 1],
    ],
  );
});

t.test('a page begins after a date in either order, and counts the days of the whole range', async (t) => {
  const person = await another();
  const dates = ['2026-02-28', '2026-03-01', '2026-03-04', '2026-03-05', '2026-04-01'];
  for (const date of dates) {
    const to = at('06:00:00', date);
    await person.store([
      night([sleep(to - 3_600_000, 60, { date })]),
      night([sleep(to + 7_200_000, 60, { date })]),
    ]);
  }
  const page = async (params: Params) => {
    const { nights, total } = await read(person, params);
    t.equal(total, 3);
    return nights.map(({ date, sources }) => `${date} ${sources[0]?.main?.sessions}`);
  };
  t.same(await page({}), ['2026-03-01 2', '2026-03-04 2', '2026-03-05 2']);
  t.same(await page({ limit: 1, after: '2026-03-01' }), ['2026-03-04 2']);
  t.same(await page({ limit: 1, order: 'desc' }), ['2026-03-05 2']);
  t.same(await page({ order: 'desc', after: '2026-03-05' }), ['2026-03-04 2', '2026-03-01 2']);
  t.same(await page({ after: '2026-03-05' }), []);
  t.same(await read({ userId: unknownUser }), { total: 0, devices: [], nights: [] });
});

const bedtime = (index: number) => at('22:20:00') + index * dayMs;
const values = {
  heart_rate: 50,
  heart_rate_variability_sdnn: 40,
  respiratory_rate: 14,
  oxygen_saturation: 96,
};
const measured = [
  'heart_rate',
  'heart_rate_variability_sdnn',
  'respiratory_rate',
  'oxygen_saturation',
] as const;

/** Stores nights with a sample of each type every quarter of an hour. */
async function sleepFor({ store }: Setting, nights: number): Promise<void> {
  for (let index = 0; index < nights; index += 1) {
    const rows = Array.from({ length: 32 }, (_, n) => bedtime(index) + n * 15 * minuteMs);
    const samples = measured.map((type) =>
      block(
        type,
        rows.map((ms, n) => [ms, values[type] + (n % 4) / 4] as const),
      ),
    );
    await store([night([sleep(bedtime(index), 450)]), item({ samples })]);
  }
}

async function settleAll(): Promise<void> {
  for (let after = await settleNights(database); after !== undefined; )
    after = await settleNights(database, after);
}

const range = { first_date: '2026-03-01', last_date: '2026-04-30', after: null, order: 'desc' as const };
const page = (on: Queryable, { userId }: Setting) => readNights(on, { user_id: userId, ...range, limit: 30 });

/** Runs statements and records their names. */
function recording(names: string[]): Queryable {
  return {
    query(statement, given) {
      names.push(typeof statement === 'string' ? statement : statement.name);
      return database.query(statement, given);
    },
  };
}

t.test('a page of 30 nights is one statement that reads no samples', async (t) => {
  const person = await another();
  await sleepFor(person, 31);
  const computed = await page(database, person);
  await settleAll();
  const names: string[] = [];
  t.same(await page(recording(names), person), computed, 'with the means that were computed from samples');
  t.same(computed.nights[0]?.sources[0]?.main?.means.heart_rate, 1510.75 / 30);
  t.same(names, ['timeseries-select-nights-desc']);
  const { on, read } = countingRows(database);
  t.equal((await page(on, person)).nights.length, 30);
  t.same([...read.keys()].sort(), ['night_mean', 'sleep_session']);

  await person.store([item({ samples: [block('heart_rate', [[bedtime(20) + hourMs + 1, 200]])] })]);
  const { on: after, read: ofOne } = countingRows(database);
  const { nights } = await page(after, person);
  t.ok(
    (ofOne.get('sample_hour') ?? 0) > 0 && (ofOne.get('sample_hour') ?? 0) <= 4 * 8,
    'of the changed night only',
  );
  t.equal(nights[10]?.sources[0]?.main?.means.heart_rate, 1710.75 / 31);
});

t.test('samples outside of the nights leave them as they are', async (t) => {
  const person = await another();
  await sleepFor(person, 3);
  await settleAll();
  const before = await keptNights(database);
  await person.store([
    item({
      samples: [
        block('heart_rate', [[bedtime(1) + 9 * hourMs, 99]]),
        block('heart_rate', [[bedtime(1) - hourMs, 99]]),
        block('steps', [[bedtime(1) + hourMs, 9]]),
      ],
    }),
    night([sleep(bedtime(1) + 15 * hourMs, 30, { is_nap: true })]),
  ]);
  await person.store([item({ samples: [block('heart_rate', [[bedtime(1) + hourMs, 99]])] })], 'activitynet');
  t.same(await keptNights(database), before);
});

t.test('a night whose samples a store is changing stays stale', async (t) => {
  const person = await another();
  await sleepFor(person, 1);
  await database.transaction(async (transaction) => {
    await lockUser(transaction, person.userId);
    await transaction.query(
      `insert into timeseries.sample select s.id, 0, $2, 120 from timeseries.series s
       join timeseries.series_type y on y.id = s.type_id where s.user_id = $1 and y.name = 'heart_rate'`,
      [person.userId, new Date(bedtime(0) + 1)],
    );
    await settleAll();
  });
  t.same(await wrongNights(database), []);
  t.same(
    (await keptNights(database)).filter(({ user_id }) => user_id === person.userId),
    [],
  );
  await settleAll();
  const [own] = (await nightsAnew(database)).filter(({ user_id }) => user_id === person.userId);
  t.same(
    (await keptNights(database)).filter(({ user_id }) => user_id === person.userId),
    [own],
  );
});

t.test('a user whose nights are settled is erased with them', async (t) => {
  const person = await another();
  await sleepFor(person, 2);
  await settleAll();
  await call('timeseries.erase', { user_id: person.userId });
  const left = 'select from timeseries.night_mean where user_id = $1';
  t.same(await database.query(left, [person.userId]), []);
});
