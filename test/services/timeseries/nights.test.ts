import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { at, block, item, night, sleep } from './items.ts';
import { anotherUser, setUp, unknownUser } from './setting.ts';

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
