import t from 'tap';
import { seriesTypes } from '../../../domain/records/series.ts';
import { hike, manual, run, streams } from '../../fixtures/activitynet/activities.ts';
import { until } from '../../support/until.ts';
import { activity, workout } from '../timeseries/items.ts';
import { setUp } from './setting.ts';

const s = await setUp(t, { settings: { ACTIVITYNET_READS_PER_15_MIN: '1000' } });
s.provider.limits = { quarter: 1000, day: 10_000 };
const all = { start_date: '2026-01-01', end_date: '2027-01-01' };
let ids = 18_000_000_000;

/** Sends a create for an activity of another user, and reads what is listed of it. */
async function fetched(made: (id: string) => Record<string, unknown>, given?: unknown) {
  ids += 1;
  const id = String(ids);
  const { id: userId, account } = await s.person();
  s.provider.activities.set(id, { details: made(id), ...(given === undefined ? {} : { streams: given }) });
  await s.send({ owner_id: Number(account), object_id: ids });
  await s.settled();
  const { data } = await s.call('timeseries.workouts', { user_id: userId, ...all });
  return {
    userId,
    account,
    id,
    workout: data[0],
    reads: s.provider.asked.filter(({ path }) => path.includes(id)),
  };
}

const start_time = '2026-04-18T13:30:00Z';
const source = (device: string) => ({ provider: 'activitynet', device });

t.test('a workout is listed as the provider has it; what was typed in has no streams', async (t) => {
  const { workout: stored, reads } = await fetched(run);
  const { id: _, zone_offset: __, ...fields } = stored ?? { id: '', zone_offset: null };
  t.same(fields, {
    type: 'running',
    name: 'Morning Run',
    start_time,
    end_time: '2026-04-18T14:22:07Z',
    duration_seconds: 3127,
    source: source('Garmin Forerunner 965'),
    calories_kcal: 722.4,
    distance_meters: 10_028.4,
    avg_heart_rate_bpm: 153,
    max_heart_rate_bpm: 171,
    avg_pace_sec_per_km: 3010 / 10.0284,
    elevation_gain_meters: 96.2,
  });
  t.equal(reads.length, 2);
  const typed = await fetched(manual);
  t.match(typed.workout, { calories_kcal: null, source: source('unknown') });
  t.equal(typed.reads.length, 1);
});

t.test('streams become samples of the activity, large ones too', async (t) => {
  const seconds = 9000;
  const given = streams(seconds, {
    heartrate: (n) => 100 + (n % 60),
    cadence: (n) => (n % 10 === 0 ? null : 85),
    watts: (n) => n % 400,
    velocity_smooth: () => 3.25,
    temp: () => 12,
  });
  const { userId } = await fetched(run, given);
  const read = async (types: readonly string[]) => {
    const chosen = seriesTypes.filter((type) => types.includes(type));
    const range = { start_time: '2026-04-18T00:00:00Z', end_time: '2026-04-19T00:00:00Z' };
    return s.call('timeseries.samples', { user_id: userId, ...range, types: chosen, limit: 1 });
  };
  for (const [type, n] of [
    ['heart_rate', seconds],
    ['cadence', seconds - 900],
    ['power', seconds],
    ['speed', seconds],
    ['weather_temperature', seconds],
  ] as const)
    t.equal((await read([type])).pagination.total_count, n, type);
  t.match((await read(['heart_rate'])).data, [
    { timestamp: start_time, value: 100, unit: 'bpm', source: source('Garmin Forerunner 965') },
  ]);
  const [clock] = await s.database.query(
    `select distinct x.zone_offset_minutes from timeseries.sample x join timeseries.series s on s.id = x.series_id
     where s.user_id = $1`,
    [userId],
  );
  t.same(clock, { zone_offset_minutes: -420 });
});

t.test('a heart rate that the details lack comes from the samples', async (t) => {
  const { workout: stored } = await fetched(hike, streams(100, { heartrate: (n) => 90 + (n % 2) * 20 }));
  t.match(stored, { avg_heart_rate_bpm: 100, max_heart_rate_bpm: 110 });
});

t.test(
  'of a workout that the device maker forwarded one is listed, and the other again when it goes',
  async (t) => {
    const startMs = Date.parse(start_time) + 65_000;
    const poorer = activity(
      workout(startMs, 51, { type: 'running', avg_heart_rate_bpm: 152, distance_meters: 10_000 }),
    );
    const { userId, account, id } = await fetched(run);
    await s.call('timeseries.store', { user_id: userId, provider: 'devicemaker', items: [poorer] });
    const listed = async () => {
      const { data, pagination } = await s.call('timeseries.workouts', { user_id: userId, ...all });
      return [pagination.total_count, ...data.map((one) => one.source.provider)];
    };
    t.same(await listed(), [1, 'activitynet'], 'the fuller one');
    const now = Math.floor(Date.now() / 1000);
    const about = { owner_id: Number(account), object_id: Number(id) };
    await s.send({ ...about, aspect_type: 'delete', event_time: now });
    await s.settled();
    t.same(await listed(), [1, 'devicemaker']);
    await s.send({ ...about, event_time: now + 1 });
    await s.settled();
    t.same(await listed(), [1, 'activitynet']);
  },
);

t.test('notes when the connection received data', async (t) => {
  const { userId } = await fetched(manual);
  // The service notes it after the workout is stored.
  const syncedAt = async () => (await s.call('users.connections', { user_id: userId }))[0]?.last_synced_at;
  await until(async () => typeof (await syncedAt()) === 'string', 'the time of the data');
  t.match(await syncedAt(), /^20/);
});
