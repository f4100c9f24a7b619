import t from 'tap';
import { createUser, startApi } from '../../support/api.ts';
import { FitWriter, fitTime } from '../../support/fit-writer.ts';
import { answersOf } from './fit-files.ts';
import { importFile } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });

/** 23:00 UTC is midnight of 10 November in Berlin. */
const midnight = fitTime('2026-11-09T23:00:00Z');
const hour = 3600;
const [running, walking] = [1, 6];
const at = (seconds: number) => new Date((seconds + 631_065_600) * 1000).toISOString().replace('.000', '');
const left = (type: string, reason: string, items: number) => ({ type, reason, items });

const dayFile = (): FitWriter =>
  new FitWriter().message(0, [
    [0, 'enum', 32],
    [1, 'uint16', 1],
    [2, 'uint16', 1000],
  ]);

async function imported(file: FitWriter) {
  const userId = await createUser(api, { time_zone: 'Europe/Berlin' });
  const done = await importFile(api, userId, file.bytes());
  return { done, ...answersOf(api, userId) };
}

t.test('steps before the first message of a day count from midnight of the watch', async (t) => {
  const file = dayFile().message(103, [
    [253, 'uint32', midnight + 8 * hour],
    [0, 'uint32', midnight + 9 * hour],
  ]);
  file.define(1, 55, [
    [26, 'uint16'],
    [9, 'uint16'],
    [24, 'byte'],
  ]);
  // Walking with intensities 1 and 3, and a run. The low 16 bits of the time turn after 18 hours.
  file.data(1, [(midnight + 9 * hour) & 0xffff, 1000, 32 + walking]);
  file.data(1, [(midnight + 10 * hour) & 0xffff, 300, 32 + running]);
  file.data(1, [(midnight + 20 * hour) & 0xffff, 4000, 96 + walking]);
  const { done, steps } = await imported(file);
  t.match(done, { state: 'done', counts: { steps: 3 }, skipped: [] });
  t.same(await steps(), [4300]);
});

t.test('without a clock of the watch, steps count from the first message on', async (t) => {
  const file = dayFile();
  file.define(1, 55, [
    [253, 'uint32'],
    [3, 'uint32'],
    [5, 'enum'],
  ]);
  file.data(1, [midnight + hour, 1000, walking]).data(1, [midnight + 2 * hour, 1500, walking]);
  const { done, steps } = await imported(file);
  t.match(done.counts, { steps: 1 });
  t.same(await steps(), [500]);
});

t.test('a count that begins again at midnight is of the new day', async (t) => {
  const file = dayFile().message(103, [
    [253, 'uint32', midnight],
    [0, 'uint32', midnight + hour],
  ]);
  file.define(1, 55, [
    [253, 'uint32'],
    [3, 'uint32'],
    [2, 'uint32'],
    [5, 'enum'],
  ]);
  file.data(1, [midnight + 22 * hour, 8000, 600_000, walking]);
  file.data(1, [midnight + 24 * hour, 8100, 607_000, walking]);
  file.data(1, [midnight + 26 * hour, 50, 4000, walking]);
  const { steps, done } = await imported(file);
  t.same(await steps(), [8100, 50]);
  t.match(done.counts, { steps: 3, distance_walking_running: 3 });
});

t.test('counts of kinds without a series are named', async (t) => {
  const file = dayFile();
  file.define(1, 55, [
    [253, 'uint32'],
    [3, 'uint32'],
    [5, 'enum'],
  ]);
  file
    .data(1, [midnight + hour, 90, 2])
    .data(1, [midnight + 2 * hour, 0, 8])
    .data(1, [midnight + 2 * hour, 7, 4]);
  const { done } = await imported(file);
  t.match(done, {
    state: 'done',
    counts: {},
    skipped: [left('monitoring', 'Counts of other kinds of activity have no series.', 2)],
  });
});

t.test('samples of a night and a day, and what could not be measured', async (t) => {
  const file = dayFile();
  file.define(1, 227, [
    [0, 'sint16'],
    [1, 'uint32'],
  ]);
  file
    .data(1, [30, midnight])
    .data(1, [-2, midnight + 180])
    .data(1, [-1, midnight + 360]);
  file.define(2, 297, [
    [253, 'uint32'],
    [0, 'sint16'],
  ]);
  file.data(2, [midnight, 1450]).data(2, [midnight + 60, -300]);
  file
    .define(3, 269, [
      [253, 'uint32'],
      [0, 'uint8'],
      [1, 'uint8'],
    ])
    .data(3, [midnight, 96, 2]);
  file.define(4, 78, [[0, 'uint16', 10]]).data(4, [[800, 810, 0xffff, 0xffff, 0xffff]]);
  file
    .define(5, 55, [
      [253, 'uint32'],
      [27, 'uint8'],
    ])
    .data(5, [midnight, 0])
    .data(5, [midnight + 60, 58]);
  file
    .define(6, 30, [
      [253, 'uint32'],
      [0, 'uint16'],
      [13, 'uint16'],
    ])
    .data(6, [midnight, 0xfffe, 230]);
  file
    .define(7, 211, [
      [253, 'uint32'],
      [0, 'uint8'],
      [1, 'uint8'],
    ])
    .data(7, [midnight, 50, 48]);
  const { done, samples } = await imported(file);
  const types = ['heart_rate', 'resting_heart_rate', 'oxygen_saturation', 'respiratory_rate'];
  t.same(await samples(...types, 'body_mass_index', 'devicemaker_stress_level'), [
    ['body_mass_index', at(midnight), 23],
    ['devicemaker_stress_level', at(midnight), 30],
    ['oxygen_saturation', at(midnight), 96],
    ['respiratory_rate', at(midnight), 14.5],
    ['resting_heart_rate', at(midnight), 48],
    ['heart_rate', at(midnight + 60), 58],
  ]);
  t.match(done.skipped, [
    left('spo2_data', 'Not kept: confidence and kind of the measurement.', 1),
    left('hrv', 'Not kept: times between beats.', 1),
    left('monitoring_hr_data', 'Not kept: mean of the resting heart rate over seven days.', 1),
    left('weight', 'The scale was computing the weight.', 1),
    left('devicemaker_stress_level', 'Stress was not measured at this time.', 2),
    left('respiratory_rate', 'The respiratory rate was not measured at this time.', 1),
  ]);
});

t.test('levels of sleep end at their times if the watch stated when sleep began', async (t) => {
  const file = dayFile();
  file
    .define(1, 21, [
      [253, 'uint32'],
      [0, 'enum'],
      [1, 'enum'],
    ])
    .data(1, [midnight, 74, 0]);
  file.define(2, 275, [
    [253, 'uint32'],
    [0, 'enum'],
  ]);
  const levels = [
    [1, 2],
    [2, 3],
    [3, 4],
    [6, 2],
    [6.5, 1],
  ] as const;
  for (const [hours, level] of levels) file.data(2, [midnight + hours * hour, level]);
  file.data(1, [midnight + 6.5 * hour, 74, 1]);
  const { done, nights } = await imported(file);
  t.match(done, { state: 'done', counts: { sleep: 1 }, skipped: [] });
  t.match(await nights(), [
    {
      ...{ start_time: at(midnight), end_time: at(midnight + 6.5 * hour), is_nap: false },
      stages: { light_minutes: 240, deep_minutes: 60, rem_minutes: 60, awake_minutes: 30 },
    },
  ]);
});

t.test('levels of sleep without events hold until the next one', async (t) => {
  const file = dayFile();
  file.define(2, 275, [
    [253, 'uint32'],
    [0, 'enum'],
  ]);
  const levels = [
    [0, 2],
    [1, 3],
    [2, 0],
    [2.25, 4],
    [4, 1],
  ] as const;
  for (const [hours, level] of levels) file.data(2, [midnight + hours * hour, level]);
  const { done, nights } = await imported(file);
  t.match(await nights(), [
    {
      ...{ start_time: at(midnight), end_time: at(midnight + 4 * hour) },
      stages: { light_minutes: 60, deep_minutes: 60, rem_minutes: 105 },
    },
  ]);
  t.match(done.skipped, [
    left('sleep_level', 'Sleep was not measured at this time.', 1),
    left('sleep_level', 'The level has no beginning or no end.', 1),
  ]);
});

t.test('times since power-on are no dates of samples, counts and levels', async (t) => {
  const file = dayFile();
  file
    .define(1, 55, [
      [253, 'uint32'],
      [27, 'uint8'],
    ])
    .data(1, [5000, 60]);
  file
    .define(2, 55, [
      [253, 'uint32'],
      [3, 'uint32'],
      [5, 'enum'],
    ])
    .data(2, [5000, 100, walking]);
  file
    .define(3, 275, [
      [253, 'uint32'],
      [0, 'enum'],
    ])
    .data(3, [5000, 2])
    .data(3, [6000, 3]);
  const { done } = await imported(file);
  const reason = 'The time counts from power-on, and is no date.';
  t.match(done, { state: 'done', counts: {} });
  t.match(done.skipped, [
    left('monitoring', reason, 2),
    left('sleep_level', reason, 1),
    left('sleep_level', 'The level has no beginning or no end.', 1),
  ]);
});
