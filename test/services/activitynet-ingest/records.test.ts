import t from 'tap';
import { seriesTypes } from '../../../domain/records/series.ts';
import {
  eBikeRide,
  hike,
  manual,
  ride,
  run,
  streams,
  swim,
  virtualRide,
  weights,
} from '../../fixtures/activitynet/activities.ts';
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
const withoutHeartRate = (id: string) => run(id, { average_heartrate: null, max_heartrate: undefined });
const source = (device: string) => ({ provider: 'activitynet', device });

t.test('every field of a workout is what the provider told, or null', async (t) => {
  const cases = [
    [
      run,
      {
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
      },
    ],
    [
      ride,
      {
        type: 'cycling',
        name: 'Lunch Ride',
        start_time,
        end_time: '2026-04-18T15:16:40Z',
        duration_seconds: 6400,
        source: source('Wahoo ELEMNT BOLT'),
        calories_kcal: null,
        distance_meters: 41_200,
        avg_heart_rate_bpm: 139,
        max_heart_rate_bpm: 168,
        avg_pace_sec_per_km: 5900 / 41.2,
        elevation_gain_meters: 512,
      },
    ],
    [
      swim,
      {
        type: 'swimming',
        name: 'Afternoon Swim',
        start_time,
        end_time: '2026-04-18T14:15:00Z',
        duration_seconds: 2700,
        source: source('Garmin Forerunner 965'),
        calories_kcal: 480,
        distance_meters: 2000,
        avg_heart_rate_bpm: 132,
        max_heart_rate_bpm: 149,
        avg_pace_sec_per_km: 1200,
        elevation_gain_meters: 0,
      },
    ],
    [
      hike,
      {
        type: 'hiking',
        name: 'Kammweg',
        start_time,
        end_time: '2026-04-18T18:30:00Z',
        duration_seconds: 18_000,
        source: source('unknown'),
        calories_kcal: 1510,
        distance_meters: 12_345.6,
        avg_heart_rate_bpm: null,
        max_heart_rate_bpm: null,
        avg_pace_sec_per_km: 14_000 / (12_345.6 / 1000),
        elevation_gain_meters: 840.5,
      },
    ],
    [
      weights,
      {
        type: 'strength_training',
        name: 'Legs',
        start_time,
        end_time: '2026-04-18T14:15:00Z',
        duration_seconds: 2700,
        source: source('Garmin Forerunner 965'),
        calories_kcal: 233,
        distance_meters: 0,
        avg_heart_rate_bpm: 104,
        max_heart_rate_bpm: 141,
        avg_pace_sec_per_km: null,
        elevation_gain_meters: 0,
      },
    ],
    [
      manual,
      {
        type: 'running',
        name: 'Treadmill',
        start_time,
        end_time: '2026-04-18T13:55:00Z',
        duration_seconds: 1500,
        source: source('unknown'),
        calories_kcal: null,
        distance_meters: 5000,
        avg_heart_rate_bpm: null,
        max_heart_rate_bpm: null,
        avg_pace_sec_per_km: 300,
        elevation_gain_meters: 0,
      },
    ],
    [
      virtualRide,
      {
        type: 'cycling',
        name: 'Zwift - Watopia',
        start_time,
        end_time: '2026-04-18T15:16:40Z',
        duration_seconds: 6400,
        source: source('Wahoo ELEMNT BOLT'),
        calories_kcal: 612,
        distance_meters: 41_200,
        avg_heart_rate_bpm: 139,
        max_heart_rate_bpm: 168,
        avg_pace_sec_per_km: 5900 / 41.2,
        elevation_gain_meters: 512,
      },
    ],
    [
      eBikeRide,
      {
        type: 'cycling',
        name: 'To work',
        start_time,
        end_time: '2026-04-18T13:55:00Z',
        duration_seconds: 1500,
        source: source('Strava iPhone App'),
        calories_kcal: 160,
        distance_meters: 9100,
        avg_heart_rate_bpm: 139,
        max_heart_rate_bpm: 168,
        avg_pace_sec_per_km: 1400 / 9.1,
        elevation_gain_meters: 61,
      },
    ],
    [
      withoutHeartRate,
      {
        type: 'running',
        name: 'Morning Run',
        start_time,
        end_time: '2026-04-18T14:22:07Z',
        duration_seconds: 3127,
        source: source('Garmin Forerunner 965'),
        calories_kcal: 722.4,
        distance_meters: 10_028.4,
        avg_heart_rate_bpm: null,
        max_heart_rate_bpm: null,
        avg_pace_sec_per_km: 3010 / 10.0284,
        elevation_gain_meters: 96.2,
      },
    ],
  ] as const;
  for (const [made, expected] of cases) {
    const { workout: stored, reads } = await fetched(made);
    const { id: _, zone_offset: __, ...fields } = stored ?? { id: '', zone_offset: null };
    t.same(fields, expected, expected.name);
    t.equal(reads.length, made === manual ? 1 : 2, 'what was typed in has no streams');
  }
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
  t.match(await s.call('users.connections', { user_id: userId }), [{ last_synced_at: /^20/ }]);
});
