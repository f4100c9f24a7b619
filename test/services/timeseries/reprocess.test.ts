import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { z } from 'zod';
import type { StoreItem } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { refusal } from '../../support/refusal.ts';
import { activity, at, block, day, dayValues, item, night, sleep, workout } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';
import { storedOf } from './stored-of-user.ts';

type Item = z.input<typeof StoreItem>;

const setting = await setUp(t);
const { database, call } = setting;
const start = at('08:00');

const wearer = () => anotherUser({ database, call });

/** Stores what arrived at a minute, as a normaliser of a version made it. */
const deliver = ({ userId }: Setting, items: Item[], { minute = 1, version = 1 } = {}) =>
  call('timeseries.store', {
    ...{ user_id: userId, provider: 'devicemaker', items },
    ...{ normaliser_version: version, received_ms: start + minute * minuteMs },
  });

/** Stores what the normaliser makes now of what arrived at a minute. */
const again = ({ userId }: Setting, items: Item[], { minute = 1 } = {}) =>
  call('timeseries.store', {
    ...{ user_id: userId, provider: 'devicemaker', items, normaliser_version: 2 },
    ...{ received_ms: start + minute * minuteMs, reprocess: true },
  });

const hearts = (values: readonly (readonly [number, number])[]) =>
  block(
    'heart_rate',
    values.map(([minute, value]) => [start + minute * minuteMs, value] as const),
  );

const daily = (fields: Partial<Item>) => item({ data_type: 'dailies', key: 'day', ...fields });

t.test('values of a faulty mapping are replaced, as a fresh store has them', async (t) => {
  const [faulty, fresh] = [await wearer(), await wearer()];
  const hash = randomUUID();
  const made = (steps: number, beat: number) =>
    daily({
      ...{ hash, day: day('2026-03-01', { steps }) },
      samples: [
        hearts([
          [0, 60],
          [1, beat],
        ]),
      ],
    });
  const other = item({
    data_type: 'stressDetails',
    samples: [block('devicemaker_stress_level', [[start + minuteMs, 9]])],
  });
  await deliver(faulty, [made(5, 61), other]);
  await deliver(fresh, [made(500, 161), other], { version: 2 });
  t.match(await again(faulty, [made(500, 161), other]), [{ status: 'replaced' }, { status: 'replaced' }]);
  t.same(await storedOf(database, faulty.userId), await storedOf(database, fresh.userId));
});

t.test('a delivery before the stored one changes nothing, nor one of a deleted activity', async (t) => {
  const user = await wearer();
  const old = daily({ samples: [hearts([[0, 60]])], supersede: 'latest' });
  const ride = activity(workout(start, 60), { key: 'ride' });
  await deliver(user, [old, ride]);
  await deliver(user, [daily({ samples: [hearts([[0, 70]])], supersede: 'latest' })], { minute: 2 });
  await call('timeseries.deleteWorkout', { user_id: user.userId, provider: 'devicemaker', key: 'ride' });
  const before = await storedOf(database, user.userId);
  t.match(await again(user, [old, ride]), [{ status: 'stale' }, { status: 'stale' }]);
  t.same(await storedOf(database, user.userId), before);
});

t.test('what the normaliser makes the same of changes nothing but its version', async (t) => {
  const user = await wearer();
  const items = [
    daily({ day: day('2026-03-01'), samples: [hearts([[0, 60]])] }),
    item({ data_type: 'stressDetails', key: 'stress', day_values: dayValues('2026-03-01') }),
    night([sleep(start, 60)]),
    activity(workout(start, 60), { samples: [block('speed', [[start, 3]])] }),
  ];
  await deliver(user, items);
  const changed = await changesOf(user);
  await again(user, items);
  t.same(await changesOf(user), changed);
  for (const table of ['item', 'workout', 'sleep_session', 'provider_day', 'day_value'])
    t.same(
      await database.query(
        `select distinct normaliser_version as v from timeseries.${table} where user_id = $1`,
        [user.userId],
      ),
      [{ v: 2 }],
      table,
    );
});

const changesOf = ({ userId }: Setting) =>
  database.query('select kind, object, historical, n from changes.pending where user_id = $1 order by 1, 2', [
    userId,
  ]);

t.test(
  'records, and samples of an activity, that are no longer made are removed; changes are historical',
  async (t) => {
    const [faulty, fresh] = [await wearer(), await wearer()];
    const run = activity(workout(start, 60), {
      samples: [
        block('speed', [
          [start, 3],
          [start + 1000, 4],
        ]),
      ],
    });
    const nap = night([sleep(start, 60)]);
    await deliver(faulty, [run, nap]);
    await database.query('delete from changes.pending');
    const mended = [
      { ...run, samples: [block('speed', [[start, 30]])] },
      { ...nap, sleeps: [] },
    ];
    await deliver(fresh, mended, { version: 2 });
    await again(faulty, mended);
    t.same(await storedOf(database, faulty.userId), await storedOf(database, fresh.userId));
    t.ok((await changesOf(faulty)).every(({ historical }) => historical === true));
    t.not((await changesOf(faulty)).length, 0);
  },
);

t.test('an item that was rejected before is stored; one of an erased user is refused', async (t) => {
  const user = await wearer();
  t.match(await again(user, [daily({ samples: [hearts([[0, 60]])] })]), [{ status: 'saved' }]);
  await call('timeseries.erase', { user_id: user.userId });
  await t.rejects(again(user, [daily({ samples: [hearts([[0, 61]])] })]), refusal('USER_ERASED'));
});
