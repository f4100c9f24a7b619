import { randomUUID } from 'node:crypto';
import t from 'tap';
import { partsOf } from '../../../domain/records/item-parts.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { cutChunks, type VersionedRules } from '../../../domain/workouts/cut-chunks.ts';
import { metersBetween } from '../../../domain/workouts/route-privacy.ts';
import { type StreamType, streamTypes, type Track } from '../../../domain/workouts/track.ts';
import { decodeChunk } from '../../../domain/workouts/track-codec.ts';
import { upsertRoutePrivacy } from '../../../services/timeseries/tables/tracks.ts';
import { readRouteRules } from '../../../services/timeseries/work/route-privacy.ts';
import { refusal } from '../../support/refusal.ts';
import { until } from '../../support/until.ts';
import { activity, at, workout } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';

const shared = await setUp(t);
const start = at('08:00:00');
const all: VersionedRules = { stores: true, zones: [], version: 0 };

const another = () => anotherUser(shared);

/** A track of one point a second that leads north. */
function track(seconds: number, beats = 100): Track {
  const times = Array.from({ length: seconds }, (_, second) => start + second * 1000);
  const column = (read: (second: number) => number) => Float64Array.from(times, (_, second) => read(second));
  const columns = new Map<StreamType, Float64Array>([
    ['latitude', column((second) => 50 + second / 10_000)],
    ['longitude', column(() => 8)],
    ['heart_rate', column(() => beats)],
  ]);
  return { times, columns };
}

interface Given {
  readonly key?: string;
  readonly hash?: string;
  readonly rules?: VersionedRules;
  readonly minutes?: number;
}

const extras = { details: { max_speed_meters_per_second: 4.5 }, laps: null, splits: null, extra: null };

/** Activity details with a track. */
function item(of: Track, { key = 'a', hash = randomUUID(), rules = all, minutes = 60 }: Given = {}) {
  const own = { key, hash, data_type: 'activityDetails', extras, ...cutChunks(of, rules) };
  return StoreItem.parse(activity(workout(start, minutes), own));
}

async function workoutId({ call, userId }: Setting): Promise<string> {
  const range = { user_id: userId, start_date: '2026-03-01', end_date: '2026-03-01' };
  return (await call('timeseries.workouts', range)).data[0]?.id ?? '';
}

/** The points of the shown track, by stream; null if none is shown. */
async function shown(setting: Setting, event_id?: string): Promise<Map<StreamType, number[]> | null> {
  const { call, userId: user_id } = setting;
  const one = { user_id, event_id: event_id ?? (await workoutId(setting)) };
  const { track } = await call('timeseries.workoutTrack', one);
  if (track === null) return null;
  const { track_of, track_hash, chunks } = track;
  const wanted = { ...one, track_of, track_hash, types: [...streamTypes], from: 0, limit: 50 };
  const found = await call('timeseries.trackChunks', wanted);
  if (found.length !== chunks) throw new Error('a chunk is missing');
  const values = new Map<StreamType, number[]>();
  for (const { columns } of found.map(decodeChunk))
    for (const [type, column] of columns) values.set(type, [...(values.get(type) ?? []), ...column]);
  return values;
}

const rowsOf = async ({ database, userId }: Setting) => {
  const [row] = await database.query<{ n: number }>(
    `select (select count(*) from timeseries.workout_track where user_id = $1)::int
       + (select count(*) from timeseries.workout_detail where user_id = $1)::int as n`,
    [userId],
  );
  return row?.n;
};

t.test('a workout has the details of all its data types, those of the activity first', async (t) => {
  const user = await another();
  const none = { laps: null, splits: null, extra: null };
  const summary = {
    ...none,
    details: { max_speed_meters_per_second: 5, indoor: true },
    extra: { a: 1, b: 2 },
  };
  const other = { ...none, details: { max_speed_meters_per_second: 4, pushes: 3 }, extra: { b: 3, c: [4] } };
  const record = workout(start, 60, { steps: 500, moving_seconds: 3000 });
  await user.store([
    activity(record, { key: 'a', data_type: 'activityDetails', extras: other }),
    activity(record, { key: 'a', extras: summary }),
  ]);
  const one = { user_id: user.userId, event_id: await workoutId(user) };
  const { details, laps, splits, segments, extra } = await user.call('timeseries.workout', one);
  t.same(extra, { a: 1, b: 2, c: [4] });
  t.match(details, {
    max_speed_meters_per_second: 5,
    indoor: true,
    pushes: 3,
    steps: 500,
    moving_seconds: 3000,
  });
  t.same([details.description, laps, splits, segments, details.activity_id], [null, null, null, null, 'a']);
  await user.store([activity(record, { key: 'a', extras: { ...summary, details: { commute: true } } })]);
  const next = await user.call('timeseries.workout', one);
  t.match(next.details, { max_speed_meters_per_second: 4, indoor: null, commute: true, pushes: 3 });
  await user.store([activity(record, { key: 'a', extras: { ...none, details: {}, laps: [] } })]);
  const last = await user.call('timeseries.workout', one);
  t.match(
    last,
    { details: { commute: null, pushes: 3 }, extra: { b: 3, c: [4] } },
    'what is no longer sent is gone',
  );
  t.notOk(Object.hasOwn(last.extra ?? {}, 'a'));
  const [row] = await user.database.query<{ parts: unknown }>(
    'select parts from timeseries.workout_detail where user_id = $1',
    [user.userId],
  );
  t.notMatch(JSON.stringify(row?.parts), /"extra":null/, 'rows of the previous version have no extra');
});

t.test('a multisport activity has its parts as segments', async (t) => {
  const user = await another();
  await user.store([
    activity(workout(start, 60, { is_parent: true }), { key: 'whole' }),
    activity(workout(start, 20, { parent_id: 'whole', name: 'Swim' }), { key: 'one' }),
    activity(workout(start + 1_800_000, 30, { parent_id: 'whole', name: 'Ride' }), { key: 'two' }),
  ]);
  const part = await user.call('timeseries.workout', {
    user_id: user.userId,
    event_id: await workoutId(user),
  });
  t.same(
    part.segments?.map(({ name }) => name),
    ['Swim', 'Ride'],
  );
});

t.test('a track is shown when its last part is stored, and replaces that of the older version', async (t) => {
  const user = await another();
  const parts = partsOf(item(track(3700)));
  t.ok(parts.length > 1);
  const [first, ...rest] = parts;
  await user.store(first === undefined ? [] : [first]);
  t.equal(await shown(user), null);
  await user.store(rest);
  t.equal((await shown(user))?.get('heart_rate')?.length, 3700);
  t.same((await shown(user))?.get('latitude')?.slice(0, 2), [50, 50.0001]);
  const [started, ...others] = partsOf(item(track(1900, 120)));
  await user.store(started === undefined ? [] : [started]);
  t.equal((await shown(user))?.get('heart_rate')?.length, 3700, 'the older version is shown until then');
  await user.store(others);
  t.same([...new Set((await shown(user))?.get('heart_rate'))], [120]);
  await user.store([activity(workout(start, 60), { key: 'a' })]);
  t.equal((await shown(user))?.get('heart_rate')?.length, 1900, 'another data type keeps it');
  await user.store([activity(workout(start, 60), { key: 'a', data_type: 'activityDetails' })]);
  t.equal(await shown(user), null, 'a version without a track has none');
});

t.test('positions that were cut by other rules than those in force are not stored', async (t) => {
  const user = await another();
  const { version } = await user.call('timeseries.routeRules', { user_id: user.userId });
  const zone = { latitude: 50, longitude: 8, radius_meters: 200 };
  await user.call('timeseries.changeRoutePrivacy', { user_id: user.userId, privacy_zones: [zone] });
  await user.store(partsOf(item(track(600), { rules: { ...all, version } })));
  t.same([...((await shown(user))?.keys() ?? [])], ['heart_rate']);
  const rules = await user.call('timeseries.routeRules', { user_id: user.userId });
  await user.store(partsOf(item(track(600), { rules })));
  const latitudes = (await shown(user))?.get('latitude')?.filter((one) => !Number.isNaN(one)) ?? [];
  t.ok(latitudes.length > 500 && latitudes.every((one) => metersBetween(one, 8, zone) > 200));
});

t.test('a new zone cuts stored routes, and a user may refuse to have them stored', async (t) => {
  const user = await another();
  await user.store(partsOf(item(track(3700))));
  const end = { latitude: 50.3699, longitude: 8, radius_meters: 500 };
  await user.call('timeseries.changeRoutePrivacy', { user_id: user.userId, privacy_zones: [end] });
  const located = async () => (await shown(user))?.get('latitude')?.filter((one) => !Number.isNaN(one)) ?? [];
  const isCut = async () => (await located()).every((one) => metersBetween(one, 8, end) > 500);
  await until(isCut);
  t.equal((await shown(user))?.get('heart_rate')?.length, 3700);
  const refused = await user.call('timeseries.changeRoutePrivacy', {
    user_id: user.userId,
    store_routes: false,
  });
  t.match(refused, { store_routes: false, configured: { store_routes: true } });
  t.equal(refused.privacy_zones.length, 1);
  await until(async () => (await located()).length === 0);
  t.match(await user.call('timeseries.routeRules', { user_id: user.userId }), { stores: false });
  const [entry] = await user.database.query<{ details: unknown }>(
    `select details from auth.audit_entry where user_id = $1 and action = 'user.route_privacy_changed'
     order by id desc limit 1`,
    [user.userId],
  );
  t.same(entry?.details, { store_routes: false, privacy_zones: 1 });
});

t.test('a cropped activity keeps no point outside of its span', async (t) => {
  const user = await another();
  const whole = workout(start, 60);
  await user.store([activity(whole, { key: 'a' }), ...partsOf(item(track(3600)))]);
  await user.store([activity(workout(start, 20), { key: 'a' })]);
  t.equal((await shown(user))?.get('latitude')?.length, 1201);
});

t.test('details and track go with their workout: deleted, purged, erased', async (t) => {
  for (const end of ['mark', 'purge', 'erase'] as const) {
    const user = await another();
    const { call, userId: user_id } = user;
    await user.store(partsOf(item(track(100))));
    t.equal(await rowsOf(user), 2);
    const key = { user_id, provider: 'devicemaker' as const, key: 'a' };
    if (end === 'mark') await call('timeseries.deleteWorkout', key);
    if (end === 'purge') await call('timeseries.purge', { ...key, version: 1 });
    if (end === 'erase') await call('timeseries.erase', { user_id });
    t.equal(await rowsOf(user), 0, end);
  }
});

t.test('the track of another user is not found', async (t) => {
  const [owner, stranger] = [await another(), await another()];
  await owner.store(partsOf(item(track(10))));
  const event_id = await workoutId(owner);
  await t.rejects(shown(stranger, event_id), refusal('RECORD_NOT_FOUND'));
  const { track: found } = await owner.call('timeseries.workoutTrack', { user_id: owner.userId, event_id });
  const { track_of = '', track_hash = '' } = found ?? {};
  const wanted = { event_id, track_of, track_hash, types: [...streamTypes], from: 0, limit: 50 };
  t.same(await owner.call('timeseries.trackChunks', { ...wanted, user_id: stranger.userId }), []);
});

/** STORE_ROUTES, the choice of the user, and whether routes are stored. */
const rows = [
  [true, null, true],
  [true, false, false],
  [true, true, true],
  [false, null, false],
  [false, true, false],
] as const;

t.test('a user may refuse that routes are stored, and cannot overrule the operator', async (t) => {
  for (const [configured, stores, isStored] of rows) {
    const user = randomUUID();
    await upsertRoutePrivacy(shared.database, user, { stores, zones: [] });
    t.match(
      await readRouteRules(shared.database, configured, user),
      { stores: isStored },
      `${configured} ${stores}`,
    );
  }
});
