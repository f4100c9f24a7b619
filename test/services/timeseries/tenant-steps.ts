import { partsOf } from '../../../domain/records/item-parts.ts';
import { type EpochRecord, StoreItem } from '../../../domain/records/records.ts';
import { dayMs, minuteMs } from '../../../domain/time/time.ts';
import { cutChunks } from '../../../domain/workouts/cut-chunks.ts';
import type { StreamType, Track } from '../../../domain/workouts/track.ts';
import { phone, steps, watch } from './interval-items.ts';
import {
  activity,
  at,
  block,
  day,
  dayValues,
  epoch,
  item,
  night,
  other,
  score,
  sleep,
  workout,
} from './items.ts';
import type { Setting } from './setting.ts';

/*
 * Data of a user in all tables of timeseries, and what happens to it later. Two users who do the same have the same keys,
 * devices and times at their providers. `factor` multiplies the values.
 */

const date = '2026-03-01';
const start = at('08:00:00');

/** A value a minute. */
const everyMinute = (from: number, minutes: number, value: number) =>
  Array.from({ length: minutes }, (_, n) => [from + n * minuteMs, value + (n % 5)] as const);

/** A track of a point each ten seconds that leads north. */
function track(points: number): Track {
  const times = Array.from({ length: points }, (_, n) => start + n * 10_000);
  const columns = new Map<StreamType, Float64Array>([
    ['latitude', Float64Array.from(times, (_, n) => 50 + n / 1000)],
    ['longitude', Float64Array.from(times, () => 8)],
  ]);
  return { times, columns };
}

const extras = { details: { max_speed_meters_per_second: 4.5 }, laps: null, splits: null, extra: null };

/** The details of an activity, with samples and a track. */
const run = (minutes: number, factor: number, hash: string) =>
  StoreItem.parse(
    activity(workout(start, minutes), {
      ...{ key: 'run', hash, data_type: 'activityDetails', extras },
      ...cutChunks(track(minutes * 6), { stores: true, zones: [], version: 0 }),
      samples: [
        block('speed', everyMinute(start, minutes, 2 * factor)),
        block('heart_rate', everyMinute(start, minutes, 60 * factor)),
      ],
    }),
  );

const summary = (minutes: number) =>
  activity(workout(start, minutes), { key: 'run', hash: `summary of ${minutes}` });

const daily = (hours: number, factor: number) =>
  item({
    ...{ data_type: 'dailies', key: 'day', hash: `${hours} hours`, duration_seconds: hours * 3600 },
    day: day(date, { steps: 1000 * factor, duration_seconds: hours * 3600, zone_offset_minutes: 60 }),
    samples: [
      block('resting_heart_rate', [[at('10:00:00'), 50 * factor]], { zone_offset_minutes: 60 }),
      block('steps', [[at('10:00:00'), 70 * factor]], { zone_offset_minutes: 60 }),
    ],
  });

const measured = (factor: number, hash = 'measured') =>
  item({
    ...{ data_type: 'bodyComps', key: 'body', hash },
    samples: [
      block('weight', [[at('09:00:00'), 40 * factor]]),
      block('body_temperature', [[at('09:00:00'), 20 + 10 * factor]]),
      block('blood_pressure_systolic', [[at('09:00:00'), 60 * factor]]),
      block('blood_pressure_diastolic', [[at('09:00:00'), 40 * factor]]),
    ],
  });

export const bedtime = at('22:20:00');
const slept = (minutes: number, rank: number, factor: number) =>
  night([sleep(bedtime, minutes, { rank, deep_seconds: 600 * factor })], {
    ...{ data_type: 'sleep', key: 'night', hash: `${minutes} ${rank}` },
    samples: [block('heart_rate', everyMinute(bedtime, minutes, 50 * factor))],
  });

const slot = (values: EpochRecord['values'], hash: string, device = 'Watch 7') =>
  item({
    ...{ data_type: 'epochs', key: 'slot', hash },
    epoch: epoch(at('12:00:00'), { device, sedentary_seconds: 60, values }),
  });

const stress = (level: number, hash: string) =>
  item({
    ...{ data_type: 'stressDetails', key: 'stress', hash },
    day_values: dayValues(date, { values: { average_stress_level: level } }),
    scores: [score(date, { value: level, start_ms: bedtime, end_ms: bedtime })],
  });

/** A day that begins and ends four hours before that of UTC. */
const nextDay = () => {
  const clock = {
    start_ms: at('20:00:00', '2026-03-02'),
    duration_seconds: 86_400,
    zone_offset_minutes: 240,
  };
  return item({ data_type: 'dailies', key: 'next day', hash: 'next', day: day('2026-03-03', clock) });
};

const moved = (hash = 'moved') =>
  item({ data_type: 'moveiq', key: 'moved', hash, other: other(at('13:00:00')) });

const parent = () => [
  activity(workout(at('15:00:00'), 60, { is_parent: true }), { key: 'all', hash: 'all' }),
  activity(workout(at('15:00:01'), 20, { parent_id: 'all' }), { key: 'part', hash: 'part' }),
];

const ride = (factor: number) =>
  activity(
    workout(start + minuteMs, 30, { distance_meters: 1000 * factor, calories_kcal: factor > 1 ? 9 : null }),
    {
      ...{ key: 'ride', hash: 'ride' },
      samples: [block('power', everyMinute(start + minuteMs, 30, 100 * factor))],
    },
  );

const walked = (ids: readonly string[], factor: number) =>
  ids.map((id, n) => steps(at('17:00:00') + n * 10 * minuteMs, 10, 10 * factor, { id, source: n % 2 }));

type Items = Parameters<Setting['store']>[0];

const deliver = ({ call, userId }: Setting, items: Items, minute: number) =>
  call('timeseries.store', {
    ...{ user_id: userId, provider: 'devicemaker', items, normaliser_version: 1 },
    received_ms: start + minute * minuteMs,
  });

/** Stores a little of everything. */
export async function fill(setting: Setting, factor = 1): Promise<void> {
  const { store, storeIntervals } = setting;
  await deliver(setting, [daily(9, factor), measured(factor), slept(420, 1, factor)], 1);
  const first = slot({ steps: 50 * factor, average_met: 3 }, 'slot');
  await deliver(setting, [first, stress(20 * factor, 'stress'), moved(), ...parent()], 2);
  await deliver(setting, [summary(30), ...partsOf(run(30, factor, 'first'))], 3);
  await store([ride(factor)], 'activitynet');
  await storeIntervals([watch, phone], walked(['a', 'b', 'c'], factor), 'phone');
}

/** What only the bystander has: other days, settings, and totals that keep intervals from counting. */
export async function fillMore(setting: Setting): Promise<void> {
  const { call, userId: user_id, store, storeIntervals } = setting;
  const before = '2026-02-27';
  const at10 = at('10:00:00', before);
  await store([
    item({
      key: 'earlier',
      day: day(before, { steps: 9 }),
      day_values: dayValues(before),
      scores: [score(before)],
    }),
    item({ samples: [block('heart_rate', [[at10, 99]], { device: 'Band 2' }), block('steps', [[at10, 9]])] }),
    night([sleep(at('01:00:00', before), 300)], { key: 'earlier night' }),
    item({ data_type: 'moveiq', key: 'earlier', other: other(at10) }),
    item({ samples: [block('heart_rate', [[at('15:05:00'), 120]], { device: 'Band 2' })] }),
    item({ samples: [block('steps', [[at('09:00:00'), 7]], { device: 'Watch 8' })] }),
    item({
      epoch: epoch(at('12:00:00'), { activity_type: 'RUNNING', values: { steps: 500, average_met: 9 } }),
    }),
    night([sleep(start, 20, { date: '2026-03-02' })], { key: 'a nap that counts' }),
    summary(25),
  ]);
  const late = at('21:00:00', '2026-03-02');
  await store([
    item({ samples: [block('heart_rate', [[late, 55]])] }),
    item({ epoch: epoch(late) }),
    activity(workout(late, 10, { zone_offset_minutes: 0 }), { key: 'late' }),
    item({
      key: 'undated',
      samples: [block('oxygen_saturation', [[late, 97]], { zone_offset_minutes: null })],
    }),
  ]);
  await storeIntervals([watch], [steps(late, 10, 20, { id: 'late' })]);
  const own = item({ key: 'own', day: day(date, { steps: 5, duration_seconds: 86_400 }) });
  await call('timeseries.store', { user_id, provider: 'phone', items: [own] });
  await call('timeseries.changeSourcePriority', { user_id, device_types: ['phone', 'watch'] });
  const zone = { latitude: 50, longitude: 8, radius_meters: 100 };
  await call('timeseries.changeRoutePrivacy', { user_id, privacy_zones: [zone] });
}

/** What happens to the data of a user, in order. */
export const changes: Readonly<Record<string, (setting: Setting) => Promise<unknown>>> = {
  'a longer day': ({ store }) => store([daily(20, 1)]),
  'a final night': ({ store }) => store([slept(430, 2, 1)]),
  'a day of another clock': ({ store }) => store([nextDay()]),
  'a shorter activity': (setting) => deliver(setting, partsOf(run(20, 1, 'second')), 4),
  'a cropped activity': ({ store }) => store([summary(15)]),
  'the whole activity': ({ store }) => store([summary(30)]),
  'its details come again': (setting) => deliver(setting, partsOf(run(20, 1, 'second')), 4),
  'another slot': (setting) => deliver(setting, [slot({ steps: 60 }, 'another slot', 'Watch 8')], 5),
  'no day values': ({ store }) => store([item({ data_type: 'stressDetails', key: 'stress', hash: 'none' })]),
  'other day values': (setting) => deliver(setting, [stress(30, 'more stress')], 2),
  'a slot is made anew': (setting) => reprocess(setting, [slot({ steps: 70 }, 'another slot', 'Watch 8')], 5),
  'samples are made anew': (setting) => reprocess(setting, [measured(1.5)], 1),
  'a day is made anew': (setting) => reprocess(setting, [stress(30, 'more stress'), moved()], 2),
  'an activity is made anew': (setting) => reprocess(setting, partsOf(run(20, 1.5, 'second')), 4),
  'intervals are replaced': ({ call, userId: user_id }) =>
    call('timeseries.replaceIntervals', {
      ...{ user_id, provider: 'phone', sources: [watch, phone], intervals: walked(['a', 'b'], 2) },
      spans: [{ type: 'steps', start_ms: at('16:00:00'), end_ms: at('19:00:00') }],
    }),
  'an interval is deleted': ({ call, userId: user_id }) =>
    call('timeseries.deleteIntervals', { user_id, provider: 'phone', ids: ['b'] }),
  'an order of sources': ({ call, userId: user_id }) =>
    call('timeseries.changeSourcePriority', { user_id, device_types: ['phone', 'watch'] }),
  'no order of sources': ({ call, userId: user_id }) =>
    call('timeseries.changeSourcePriority', { user_id, device_types: null }),
  'a privacy zone': ({ call, userId: user_id }) =>
    call('timeseries.changeRoutePrivacy', {
      user_id,
      privacy_zones: [{ latitude: 50.05, longitude: 8, radius_meters: 500 }],
    }),
  'some items are deleted': ({ call, userId: user_id }) =>
    call('timeseries.deleteItems', {
      ...{ user_id, provider: 'devicemaker', sleeps: ['night'] },
      samples: [{ type: 'weight', device: 'Watch 7', at_ms: [at('09:00:00')] }],
    }),
  'the night comes again': ({ store }) => store([slept(430, 2, 1)]),
  'a span is empty at its second reading': async (setting) => {
    for (const data_type of ['dailies', 'sleep', 'activities', 'moveiq', 'stressDetails'])
      await readAgain(setting, data_type);
  },
  'it comes again': async (setting) => {
    const { store } = setting;
    return store([daily(20, 1), slept(430, 2, 1), moved(), stress(30, 'more stress'), ...parent()]);
  },
  'an activity is deleted': ({ call, userId: user_id }) =>
    call('timeseries.deleteWorkout', { user_id, provider: 'activitynet', key: 'ride' }),
  'it is sent again': ({ store }) => store([ride(1)], 'activitynet'),
  'a connection is purged': ({ call, userId: user_id }) =>
    call('timeseries.purge', { user_id, provider: 'activitynet', version: 1 }),
  'the account is connected again': async ({ call, userId: user_id, store }) => {
    await call('timeseries.reopen', { user_id, provider: 'activitynet', version: 1 });
    return store([ride(1)], 'activitynet');
  },
  'the phone is purged': ({ call, userId: user_id }) =>
    call('timeseries.purge', { user_id, provider: 'phone', version: 1 }),
  'the user is erased': ({ call, userId: user_id }) => call('timeseries.erase', { user_id }),
};

function reprocess({ call, userId }: Setting, items: Items, minute: number) {
  return call('timeseries.store', {
    ...{ user_id: userId, provider: 'devicemaker', items, normaliser_version: 2, reprocess: true },
    received_ms: start + minute * minuteMs,
  });
}

function readAgain({ call, userId }: Setting, data_type: string) {
  const records = { activities: 'workouts', sleep: 'sleeps', moveiq: 'others' } as const;
  return call('timeseries.replace', {
    ...{ user_id: userId, provider: 'devicemaker', items: [], normaliser_version: 1 },
    replaces: {
      ...{ data_type, series: data_type === 'dailies' ? ['resting_heart_rate', 'steps'] : [] },
      records: [data_type in records ? records[data_type as keyof typeof records] : 'days'],
      ...{ start_ms: at('00:00:00'), end_ms: at('00:00:00') + dayMs },
    },
  });
}
