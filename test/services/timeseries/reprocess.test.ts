import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { z } from 'zod';
import type { StoreItem } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { refusal } from '../../support/refusal.ts';
import { activity, at, block, day, dayValues, item, night, sleep, workout } from './items.ts';
import { type Setting, setUp, withUser } from './setting.ts';
import { storedOf } from './stored-of-user.ts';

type Item = z.input<typeof StoreItem>;

const setting = await setUp(t);
const { database, call } = setting;
const start = at('08:00');

async function wearer(): Promise<Setting> {
  const { id } = await call('users.create', {});
  return withUser(database, call, id);
}

/** Stores what arrived at a minute, as a normaliser of a version made it. */
const deliver = ({ userId }: Setting, items: Item[], { minute = 1, version = 1 } = {}) =>
  call('timeseries.store', {
    ...{ user_id: userId, provider: 'devicemaker', items },
    ...{ normaliser_version: version, received_ms: start + minute * minuteMs },
  });

const again = ({ userId }: Setting, items: Item[], { minute = 1, dry = false } = {}) =>
  call('timeseries.reprocess', {
    ...{ user_id: userId, provider: 'devicemaker', items, normaliser_version: 2 },
    ...{ received_ms: start + minute * minuteMs, dry_run: dry },
  });

const hearts = (values: readonly (readonly [number, number])[]) =>
  block(
    'heart_rate',
    values.map(([minute, value]) => [start + minute * minuteMs, value] as const),
  );

const daily = (fields: Partial<Item>) => item({ data_type: 'dailies', key: 'day', ...fields });

t.test('values of a faulty mapping are replaced, moved and removed, as a fresh store has them', async (t) => {
  const [faulty, fresh] = [await wearer(), await wearer()];
  const hash = randomUUID();
  const wrong = daily({
    ...{ hash, day: day('2026-03-01', { steps: 5 }) },
    samples: [
      hearts([
        [0, 60],
        [1, 61],
        [2, 62],
      ]),
      block('devicemaker_stress_level', [[start, 5]]),
    ],
  });
  const right = daily({
    ...{ hash, day: day('2026-03-01', { steps: 500 }) },
    samples: [
      hearts([
        [0, 60],
        [1, 161],
        [3, 62],
      ]),
    ],
  });
  const other = item({
    data_type: 'stressDetails',
    samples: [block('devicemaker_stress_level', [[start + minuteMs, 9]])],
  });
  await deliver(faulty, [wrong, other]);
  await deliver(fresh, [right, other], { version: 2 });
  const { changes, items } = await again(faulty, [right, other]);
  t.same(changes.samples, { added: 1, changed: 1, removed: 2, identical: 2 });
  t.same(changes.days, { added: 0, changed: 1, removed: 0, identical: 0 });
  t.same(items, { processed: 2, superseded: 0, rejected: 0, unlinked: 0 });
  t.same(await storedOf(database, faulty.userId), await storedOf(database, fresh.userId));
});

t.test('a dry run counts the same and changes nothing', async (t) => {
  const user = await wearer();
  const hash = randomUUID();
  await deliver(user, [
    daily({
      hash,
      samples: [
        hearts([
          [0, 60],
          [1, 61],
        ]),
      ],
    }),
  ]);
  const before = await storedOf(database, user.userId);
  const mended = [daily({ hash, samples: [hearts([[0, 6]])] })];
  const dry = await again(user, mended, { dry: true });
  t.same(dry.changes.samples, { added: 0, changed: 1, removed: 1, identical: 0 });
  t.same(await storedOf(database, user.userId), before);
  t.same(await again(user, mended), dry);
});

t.test('a delivery before the stored one changes nothing', async (t) => {
  const user = await wearer();
  const old = daily({ samples: [hearts([[0, 60]])], supersede: 'latest' });
  await deliver(user, [old]);
  await deliver(user, [daily({ samples: [hearts([[0, 70]])], supersede: 'latest' })], { minute: 2 });
  const before = await storedOf(database, user.userId);
  t.match(await again(user, [old]), { items: { processed: 0, superseded: 1 } });
  t.same(await storedOf(database, user.userId), before);
});

t.test('of two items with a sample at one instant, that of the later delivery stays', async (t) => {
  const user = await wearer();
  const first = item({
    data_type: 'dailies',
    samples: [
      hearts([
        [0, 60],
        [1, 61],
      ]),
    ],
  });
  const second = item({ data_type: 'healthSnapshot', samples: [hearts([[1, 99]])] });
  await deliver(user, [first]);
  await deliver(user, [second], { minute: 2 });
  await again(user, [
    {
      ...first,
      samples: [
        hearts([
          [0, 160],
          [1, 161],
        ]),
      ],
    },
  ]);
  const values = () =>
    database.query(
      `select value from timeseries.sample x join timeseries.series s on s.id = x.series_id
       where user_id = $1 order by ts`,
      [user.userId],
    );
  t.same(await values(), [{ value: 160 }, { value: 99 }]);
  await again(user, [{ ...second, samples: [] }], { minute: 2 });
  await again(user, [
    {
      ...first,
      samples: [
        hearts([
          [0, 160],
          [1, 161],
        ]),
      ],
    },
  ]);
  t.same(await values(), [{ value: 160 }, { value: 161 }], 'newest first: the earlier item brings its own');
});

t.test('what the normaliser makes the same of is not written, and names its version', async (t) => {
  const user = await wearer();
  const items = [
    daily({ day: day('2026-03-01'), samples: [hearts([[0, 60]])] }),
    item({ data_type: 'stressDetails', key: 'stress', day_values: dayValues('2026-03-01') }),
    night([sleep(start, 60)]),
    activity(workout(start, 60), { samples: [block('speed', [[start, 3]])] }),
  ];
  await deliver(user, items);
  const rows = () =>
    database.query(
      'select xmin, * from timeseries.sample where series_id in (select id from timeseries.series where user_id = $1)',
      [user.userId],
    );
  const [before, changed] = [await rows(), await changesOf(user)];
  const { changes } = await again(user, items);
  t.match(changes, {
    samples: { identical: 2 },
    days: { identical: 2 },
    sleeps: { identical: 1 },
    workouts: { identical: 1 },
  });
  t.same(await rows(), before);
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
  'records and samples of an activity that are no longer made are removed; changes are historical',
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
    const { changes } = await again(faulty, mended);
    t.same(changes.samples, { added: 0, changed: 1, removed: 1, identical: 0 });
    t.same(changes.sleeps, { added: 0, changed: 0, removed: 1, identical: 0 });
    t.same(await storedOf(database, faulty.userId), await storedOf(database, fresh.userId));
    t.ok((await changesOf(faulty)).every(({ historical }) => historical === true));
    t.not((await changesOf(faulty)).length, 0);
  },
);

t.test('an item that was rejected before is stored; one of an erased user is refused', async (t) => {
  const user = await wearer();
  const made = await again(user, [daily({ samples: [hearts([[0, 60]])] })]);
  t.match(made.changes.samples, { added: 1 });
  await call('timeseries.erase', { user_id: user.userId });
  await t.rejects(again(user, [daily({ samples: [hearts([[0, 61]])] })]), refusal('USER_ERASED'));
});
