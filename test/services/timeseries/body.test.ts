import t from 'tap';
import { at, block, item } from './items.ts';
import { anotherUser, setUp, unknownUser } from './setting.ts';

const { database, call } = await setUp(t);

const another = () => anotherUser({ database, call });

const now = at('12:00:00');
const hour = 3_600_000;

function read(of: { userId: string }, now_ms = now, period_days = 7, window_hours = 4) {
  return call('timeseries.bodyFacts', { user_id: of.userId, now_ms, period_days, window_hours });
}

t.test('without data: empty lists, and the period in UTC', async (t) => {
  t.same(await read({ userId: unknownUser }), {
    period_start_ms: at('00:00:00', '2026-02-23'),
    period_end_ms: at('00:00:00', '2026-03-02'),
    slow: [],
    means: [],
    readings: [],
    pressures: [],
  });
});

t.test('slow values are the newest of each provider, however old', async (t) => {
  const person = await another();
  const old = Date.UTC(2019, 4, 1);
  await person.store([
    item({
      samples: [
        block(
          'height',
          [
            [old, 177],
            [old + hour, 178],
          ],
          { device: 'Scale' },
        ),
      ],
    }), // prettier-ignore
    item({ samples: [block('weight', [[old, 80]], { device: 'Watch 7' })] }),
    item({
      samples: [
        block(
          'weight',
          [
            [old + 1, 79],
            [old - 1, 90],
          ],
          { device: 'Scale' },
        ),
      ],
    }), // prettier-ignore
    item({ samples: [block('vo2_max', [[old, 50]])] }),
  ]);
  await person.store([item({ samples: [block('weight', [[old + 2, 78]])] })], 'activitynet');
  const { slow } = await read(person);
  t.same(
    slow.toSorted((a, b) => a.at_ms - b.at_ms),
    [
      { type: 'weight', provider: 'devicemaker', device: 'Scale', value: 79, at_ms: old + 1 },
      { type: 'weight', provider: 'activitynet', device: 'Watch 7', value: 78, at_ms: old + 2 },
      { type: 'height', provider: 'devicemaker', device: 'Scale', value: 178, at_ms: old + hour },
    ],
  );
});

t.test('means are over the last local days, today included, by the latest clock', async (t) => {
  const person = await another();
  const resting = (date: string, value: number, device = 'Watch 7') =>
    item({
      samples: [
        block('resting_heart_rate', [[at('00:30:00', date) - 345 * 60_000, value]], {
          zone_offset_minutes: 345,
          device,
        }),
      ], // prettier-ignore
    });
  await person.store([
    resting('2026-02-26', 90),
    resting('2026-02-27', 50),
    resting('2026-02-28', 52),
    resting('2026-03-01', 57),
    resting('2026-02-28', 99, 'Band 2'),
  ]);
  const facts = await read(person, at('18:14:59'), 3);
  t.equal(facts.period_start_ms, at('18:15:00', '2026-02-26'));
  t.equal(facts.period_end_ms, at('18:15:00', '2026-03-01'));
  t.same(facts.means, [
    {
      type: 'resting_heart_rate',
      provider: 'devicemaker',
      device: 'Watch 7',
      mean: 53,
      at_ms: at('18:45:00', '2026-02-28'),
    },
  ]);
  const tomorrow = await read(person, at('18:15:00'), 3);
  t.equal(tomorrow.means[0]?.mean, 54.5, 'a minute later it is another day there');
});

t.test('readings are the newest within the window, both of its ends included', async (t) => {
  const person = await another();
  await person.store([
    item({ samples: [block('body_temperature', [[now - 4 * hour, 36.5]])] }),
    item({ samples: [block('skin_temperature', [[now - 4 * hour - 1, 33]])] }),
    item({ samples: [block('devicemaker_skin_temperature', [[now, -0.5]])] }),
  ]);
  t.same((await read(person)).readings, [
    {
      type: 'body_temperature',
      provider: 'devicemaker',
      device: 'Watch 7',
      value: 36.5,
      at_ms: now - 4 * hour,
    },
  ]);
  await person.store([
    item({
      samples: [
        block('body_temperature', [
          [now, 37],
          [now + 1, 40],
        ]),
      ],
    }),
  ]); // prettier-ignore
  t.match((await read(person)).readings, [{ value: 37, at_ms: now }]);
  t.same((await read(person, now + 24 * hour)).readings, []);
});

t.test('a blood pressure is two samples of one device at one instant', async (t) => {
  const person = await another();
  const pair = (ms: number, systolic: number, diastolic: number, device = 'Cuff') =>
    item({
      samples: [
        block('blood_pressure_systolic', [[ms, systolic]], { device }),
        block('blood_pressure_diastolic', [[ms, diastolic]], { device }),
      ],
    });
  await person.store([
    pair(now - 4 * hour - 1, 190, 120),
    pair(now - 2 * hour, 120, 80),
    pair(now - hour, 131, 70),
    pair(now - 2 * hour, 110, 60, 'Cuff at work'),
    item({ samples: [block('blood_pressure_systolic', [[now - 5, 200]], { device: 'Cuff' })] }),
    item({ samples: [block('blood_pressure_diastolic', [[now - 4, 20]], { device: 'Cuff' })] }),
    item({ samples: [block('blood_pressure_diastolic', [[now - 5, 20]], { device: 'Cuff at work' })] }),
  ]);
  const { pressures } = await read(person);
  t.same(pressures, [
    {
      provider: 'devicemaker',
      device: 'Cuff',
      at_ms: now - hour,
      reading_count: 3,
      avg_systolic: 361 / 3,
      avg_diastolic: 70,
      max_systolic: 131,
      max_diastolic: 80,
      min_systolic: 110,
      min_diastolic: 60,
    },
  ]);
});
