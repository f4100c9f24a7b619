import t from 'tap';
import { z } from 'zod';
import { types } from '../../providers/whoop/records.ts';
import { insightsService } from '../../services/insights/insights.service.ts';
import { createUser, joinApi } from '../support/api.ts';
import { freshDatabase } from '../support/servers/database.ts';
import { until } from '../support/until.ts';

const api = await joinApi(t, {
  database: await freshDatabase(t),
  settings: { CHANGE_JOIN_SECONDS: '0', CHANGE_JOIN_HISTORICAL_SECONDS: '0', RATE_LIMIT_API_KEY: '100000' },
  instead: [
    insightsService({
      ...{ followMs: 50, settleMs: 20, firstMs: 0, pollMs: 20 },
      now: () => Date.parse('2026-11-20T12:00:00Z'),
    }),
  ],
});

const minute = 60_000;
const scoreOf = (awakeMinutes: number) => ({
  stage_summary: {
    total_in_bed_time_milli: 480 * minute,
    total_awake_time_milli: awakeMinutes * minute,
    total_light_sleep_time_milli: (300 - awakeMinutes) * minute,
    total_slow_wave_sleep_time_milli: 90 * minute,
    total_rem_sleep_time_milli: 90 * minute,
  },
  respiratory_rate: 14.5,
});

/** A night of eight hours in bed that ends on a day of November. Without a score it is not scored. */
function night(day: number, fields: object) {
  return {
    ...{ id: `night-${day}`, user_id: 1, timezone_offset: '+00:00', nap: false },
    start: new Date(Date.UTC(2026, 10, day - 1, 23)).toISOString(),
    end: new Date(Date.UTC(2026, 10, day, 7)).toISOString(),
    ...fields,
  };
}

async function store(user_id: string, ...list: object[]) {
  const made = types.sleep?.normalise({ records: { list }, span: null, nowMs: Date.UTC(2026, 10, 20) });
  await api.call('timeseries.store', { user_id, provider: 'whoop', items: [...(made?.items ?? [])] });
}

const Data = z.object({ data: z.array(z.looseObject({})) });
const read = async (path: string) => Data.parse(await api.expect(200, path)).data;

t.test('of a night that is not scored the time in bed is known and the time asleep is not', async (t) => {
  const userId = await createUser(api);
  const unscored = [
    night(17, { score_state: 'UNSCORABLE' }),
    night(18, { score_state: 'PENDING_SCORE', score: scoreOf(60) }),
    night(18, {
      id: 'nap',
      score_state: 'UNSCORABLE',
      nap: true,
      start: '2026-11-18T14:00:00Z',
      end: '2026-11-18T15:00:00Z',
    }),
  ];
  await store(userId, night(16, { score_state: 'SCORED', score: scoreOf(30) }), ...unscored);
  const range = 'start_date=2026-11-16&end_date=2026-11-18';
  t.match(await read(`/users/${userId}/summaries/sleep?${range}`), [
    { duration_minutes: 450, time_in_bed_minutes: 480, nap_count: 0, nap_duration_minutes: 0 },
    { duration_minutes: null, time_in_bed_minutes: 480, efficiency_percent: null },
    {
      ...{
        duration_minutes: null,
        time_in_bed_minutes: 480,
        stages: { awake_minutes: null, deep_minutes: null },
      },
      ...{ nap_count: 1, nap_duration_minutes: null },
    },
  ]);
  const events = await read(`/users/${userId}/events/sleep?start_date=2026-11-15&end_date=2026-11-19`);
  t.same(
    events.map(({ duration_seconds, efficiency_percent }) => [duration_seconds, efficiency_percent]),
    [
      [null, null],
      [null, null],
      [null, null],
      [27_000, 93.75],
    ],
  );
  const { text } = await api.ask(`/api/v1/users/${userId}/export?format=omh`, { key: api.apiKey });
  const asleep = text.split('\n').filter((line) => line.includes('total_sleep_time'));
  t.equal(asleep.length, 1, 'an exported sleep has no time asleep of 0');
  await store(userId, night(17, { score_state: 'SCORED', score: scoreOf(60) }));
  t.match(await read(`/users/${userId}/summaries/sleep?start_date=2026-11-17&end_date=2026-11-17`), [
    { duration_minutes: 420 },
  ]);
});

t.test(
  'a night of which one part is not scored has no time asleep, and another provider goes before it',
  async (t) => {
    const userId = await createUser(api);
    await store(
      userId,
      night(17, { score_state: 'SCORED', score: scoreOf(30) }),
      night(17, {
        id: 'b',
        score_state: 'UNSCORABLE',
        start: '2026-11-17T08:00:00Z',
        end: '2026-11-17T09:00:00Z',
      }),
    );
    const path = `/users/${userId}/summaries/sleep?start_date=2026-11-17&end_date=2026-11-17`;
    t.match(await read(path), [
      { duration_minutes: null, time_in_bed_minutes: 540, efficiency_percent: null },
    ]);
  },
);

t.test('no baseline counts a night that is not scored', async (t) => {
  const userId = await createUser(api);
  for (let day = 1; day <= 16; day += 1)
    await store(userId, night(day, { score_state: 'SCORED', score: scoreOf(30 + (day % 3) * 5) }));
  await store(userId, night(17, { score_state: 'UNSCORABLE' }), night(18, { score_state: 'UNSCORABLE' }));
  const path = `/users/${userId}/baselines?start_date=2026-11-18&end_date=2026-11-18`;
  const measureOf = async (name: string) => {
    const [day] = await read(path);
    const measures = z.array(z.looseObject({ measure: z.string() })).parse(day?.measures ?? []);
    return measures.find(({ measure }) => measure === name);
  };
  await until(async () => (await measureOf('sleep_middle'))?.days === 17);
  t.match(await measureOf('sleep_middle'), { value: Number });
  t.match(await measureOf('sleep_duration'), { value: null, days: 16, z: null });
});
