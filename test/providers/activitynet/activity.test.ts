import t from 'tap';
import { normaliseActivity } from '../../../providers/activitynet/normalise/activity.ts';
import { run, runStart } from '../../fixtures/activitynet/activities.ts';

const nowMs = Date.parse('2026-04-19T00:00:00Z');

function workoutOf(details: unknown) {
  const normalised = normaliseActivity(details, nowMs);
  if (normalised === null) throw new Error('it was not read');
  return normalised.workout;
}

t.test('a bad field counts as not sent; an activity without a start or a length is none', (t) => {
  const odd = workoutOf(
    run('1', {
      average_heartrate: 'fast',
      max_heartrate: -1,
      distance: null,
      total_elevation_gain: Number.MAX_VALUE,
      calories: undefined,
      name: '   ',
      device_name: '',
      moving_time: '3010',
    }),
  );
  t.match(odd, {
    avg_heart_rate_bpm: null,
    max_heart_rate_bpm: null,
    distance_meters: null,
    elevation_gain_meters: null,
    calories_kcal: null,
    avg_pace_sec_per_km: null,
    moving_seconds: null,
    device: 'unknown',
    name: 'Run',
    plain_name: true,
  });
  t.equal(workoutOf(run('1', { name: null, sport_type: 'EMountainBikeRide' })).name, 'Emountain bike ride');
  for (const changes of [
    { start_date: undefined },
    { start_date: 'yesterday' },
    { start_date: '1970-01-01T00:00:00Z' },
    { start_date: '2026-04-20T00:00:01Z' },
    { elapsed_time: undefined, moving_time: null },
    { elapsed_time: -1, moving_time: null },
  ])
    t.equal(normaliseActivity(run('1', changes), nowMs), null, JSON.stringify(changes));
  for (const details of [null, 'x', [], 7]) t.equal(normaliseActivity(details, nowMs), null);
  t.end();
});

t.test('the clock follows from the zone where its offset was not sent', (t) => {
  const offset = (timezone: unknown, start_date = runStart) =>
    workoutOf(run('1', { utc_offset: undefined, timezone, start_date })).zone_offset_minutes;
  t.equal(offset('(GMT-08:00) America/Los_Angeles'), -420, 'summer');
  t.equal(offset('(GMT-08:00) America/Los_Angeles', '2026-01-05T10:00:00Z'), -480, 'winter');
  t.equal(offset('(GMT+05:45) Asia/Kathmandu'), 345);
  t.equal(offset('(GMT+00:00) Europe/London', '2026-01-05T10:00:00Z'), 0);
  for (const unknown of [undefined, '', '(GMT+01:00) Europe/Nowhere', 'CET']) t.equal(offset(unknown), null);
  t.end();
});

t.test('the hash is of what is kept, and knows nothing of kudos; the recording nothing of the name', (t) => {
  const read = (changes: Record<string, unknown>) => normaliseActivity(run('1', changes), nowMs);
  const first = read({});
  t.equal(read({ kudos_count: 99 })?.hash, first?.hash);
  t.not(read({ name: 'Renamed' })?.hash, first?.hash);
  t.equal(read({ name: 'Renamed', private: true })?.recording, first?.recording);
  t.not(read({ elapsed_time: 3000 })?.recording, first?.recording, 'cropped');
  t.end();
});
