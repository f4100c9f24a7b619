import t from 'tap';
import { createUser, startApi } from '../../support/api.ts';
import { FitWriter, fitTime, semicircles } from '../../support/fit-writer.ts';
import {
  activityFile,
  answersOf,
  begin,
  bikeSport,
  runSport,
  swimSport,
  transitionSport,
  writeActivity,
  writeLap,
  writeRecords,
  writeSession,
} from './fit-files.ts';
import { importFile } from './importing.ts';

const api = await startApi(t, { SANDBOX: 'off' });

async function imported(file: FitWriter | Buffer) {
  const userId = await createUser(api, { time_zone: 'Europe/Berlin' });
  const done = await importFile(api, userId, file instanceof FitWriter ? file.bytes() : file);
  const answers = answersOf(api, userId);
  const all = await answers.workouts();
  return {
    done,
    all,
    answers,
    workout: () => answers.workout(all[0]?.id ?? ''),
    streams: (index = 0) => answers.streams(all[index]?.id ?? ''),
  };
}

const iso = (seconds: number) => new Date((seconds + 631_065_600) * 1000).toISOString().replace('.000', '');
const left = (type: string, reason: string, items: number) => ({ type, reason, items });

t.test('values of one instant are merged, whatever the order and the size of their messages', async (t) => {
  const file = activityFile();
  // Big-endian positions of all instants stand before the others, whose messages say nothing of a position.
  file.define(
    2,
    20,
    [
      [253, 'uint32'],
      [0, 'sint32'],
      [1, 'sint32'],
    ],
    { isBig: true },
  );
  for (let second = 0; second < 60; second += 1)
    file.data(2, [begin + second, semicircles(50), semicircles(14)]);
  writeRecords(file, begin, 60);
  // Invalid values replace nothing.
  file
    .define(3, 20, [
      [253, 'uint32'],
      [3, 'uint8'],
      [5, 'uint32'],
    ])
    .data(3, [begin + 10, 0xff, 0xffffffff]);
  const { done, streams } = await imported(writeSession(file, begin, 60));
  t.match(done, { state: 'done', counts: { workouts: 1 }, skipped: [] });
  const { latitude = [], heart_rate = [], distance = [] } = await streams();
  t.same([latitude.length, heart_rate.length, distance.length], [60, 60, 60]);
  t.same([heart_rate[10], distance[10]], [110, 30]);
});

t.test('compressed distances roll over, also after a whole one and with compressed times', async (t) => {
  const file = activityFile();
  file
    .define(1, 20, [
      [253, 'uint32'],
      [5, 'uint32'],
    ])
    .data(1, [begin, 25_000]);
  file.define(2, 20, [[8, 'byte', 3]]);
  // 200 m later the 12 bits of sixteenths have turned. A speed of 0xfff is none.
  for (let step = 1; step <= 10; step += 1) {
    const sixteenths = ((250 + 20 * step) * 16) & 0xfff;
    const speed = step === 10 ? 0xfff : 200;
    const bytes = [speed & 0xff, (speed >> 8) | ((sixteenths & 15) << 4), sixteenths >> 4];
    file.compressed(2, begin + 10 * step, [bytes]);
  }
  const { streams } = await imported(writeSession(file, begin, 100));
  const { distance, speed } = await streams();
  t.same(distance, [250, 270, 290, 310, 330, 350, 370, 390, 410, 430, 450]);
  t.same(speed, [2, 2, 2, 2, 2, 2, 2, 2, 2]);
});

/** A description of a developer's field. */
const describe = (
  file: FitWriter,
  number: number,
  base: number,
  name: string,
  native: readonly number[],
  units = '',
) =>
  file.message(206, [
    [0, 'uint8', 0],
    [1, 'uint8', number],
    [2, 'uint8', base],
    [3, 'string', name, 16],
    [8, 'string', units, 8],
    [14, 'uint16', native[0] ?? 0xffff],
    [15, 'uint8', native[1] ?? 0xff],
  ]);

t.test('developers fields replace the field that they declare, and no other', async (t) => {
  const file = activityFile();
  const [uint8, uint16, float32] = [0x02, 0x84, 0x88];
  describe(file, 0, uint16, 'Watts', [20, 7]);
  describe(file, 1, uint8, 'heart_rate', []);
  describe(file, 2, float32, 'v', [20, 6], 'km/h');
  describe(file, 3, uint8, 'of a session', [18, 16]);
  const developers = [
    [0, 2, 0],
    [1, 1, 0],
    [2, 4, 0],
    [3, 1, 0],
    [9, 1, 0],
  ] as const;
  file.define(
    1,
    20,
    [
      [253, 'uint32'],
      [3, 'uint8'],
      [7, 'uint16'],
      [73, 'uint32'],
    ],
    { developers },
  );
  const kmh = Buffer.alloc(4);
  kmh.writeFloatLE(36);
  for (let second = 0; second < 10; second += 1) {
    // The last power is invalid, so that the one of the profile stays.
    const power = second === 9 ? [0xff, 0xff] : [250, 0];
    file.data(1, [begin + second, 140, 100, 3000], [...power, 66, ...kmh, 77, 1]);
  }
  const { done, streams } = await imported(writeSession(file, begin, 10));
  const { power = [], heart_rate = [], speed = [] } = await streams();
  t.same([power[0], power[8], power[9]], [250, 250, 100]);
  t.same(new Set(heart_rate), new Set([140]));
  t.equal(speed[0], 10);
  t.match(done.skipped, [
    left(
      'record',
      'Fields of developers that declare no field of the profile that is kept are not kept.',
      10,
    ),
  ]);
});

t.test('heart rates of a strap that was under water are joined by its clock', async (t) => {
  const file = activityFile();
  // A point each ten seconds without heart rate.
  file.define(1, 20, [
    [253, 'uint32'],
    [5, 'uint32'],
  ]);
  for (let second = 0; second <= 60; second += 10) file.data(1, [begin + second, second * 100]);
  const event = 5000;
  file.define(2, 132, [
    [253, 'uint32'],
    [0, 'uint16'],
    [6, 'uint8'],
    [9, 'uint32'],
  ]);
  file.data(2, [begin, 16_384, 100, event]);
  // Beats each three quarters of a second: 12 bits roll over after four seconds.
  file.define(3, 132, [
    [6, 'uint8', 8],
    [10, 'byte', 12],
  ]);
  for (let group = 0; group < 10; group += 1) {
    const times = Array.from({ length: 8 }, (_, index) => (event + 768 * (group * 8 + index + 1)) & 0xfff);
    const packed = [0, 2, 4, 6].flatMap((at) => {
      const [a = 0, b = 0] = times.slice(at, at + 2);
      return [a & 0xff, (a >> 8) | ((b & 15) << 4), b >> 4];
    });
    file.data(3, [Array.from({ length: 8 }, (_, index) => (index === 7 ? 0 : 110 + group)), packed]);
  }
  const { done, streams } = await imported(writeSession(file, begin, 60, { sport: swimSport }));
  t.match(done, { state: 'done', counts: { workouts: 1 } });
  t.same(done.skipped, []);
  const { heart_rate = [], distance } = await streams();
  t.equal(distance?.length, 7);
  t.same([heart_rate[0], heart_rate.at(-1)], [100, 119]);
  t.ok(heart_rate.length > 50, 'each second with a beat has one');
});

t.test('a strap whose clock turned during the activity', async (t) => {
  const file = writeRecords(activityFile(), begin, 20);
  file.define(2, 132, [
    [253, 'uint32'],
    [1, 'uint8'],
    [6, 'uint8'],
    [9, 'uint32'],
  ]);
  file.data(2, [begin, 0, 90, 2 ** 32 - 1024]);
  file.define(3, 132, [
    [6, 'uint8', 2],
    [9, 'uint32', 8],
  ]);
  file
    .data(3, [
      [91, 92],
      [0, 1024],
    ])
    .data(3, [
      [93, 94],
      [2048, 1_000_000],
    ]);
  const { done, streams } = await imported(writeSession(file, begin, 20));
  const { heart_rate = [] } = await streams();
  t.same(heart_rate.slice(0, 4), [100, 101, 102, 103], 'a point keeps its own');
  t.match(done.skipped, [left('points', 'Points outside of the time of an activity are not kept.', 1)]);
});

t.test('lengths of a pool: a rest has no distance, and strokes are added up', async (t) => {
  const file = activityFile();
  file.define(1, 101, [
    [253, 'uint32'],
    [2, 'uint32'],
    [3, 'uint32'],
    [5, 'uint16'],
    [12, 'enum'],
  ]);
  for (const [index, type] of [1, 1, 0, 1].entries()) {
    const start = begin + 30 * index;
    file.data(1, [start + 30, start, 30_000, type === 0 ? 0xffff : 10 + index, type]);
  }
  file.message(18, [
    [253, 'uint32', begin + 120],
    [2, 'uint32', begin],
    [7, 'uint32', 120_000],
    [5, 'enum', swimSport],
    [6, 'enum', 17],
    [44, 'uint16', 5000],
  ]);
  const { done, workout, streams } = await imported(file);
  t.same(done.skipped, []);
  t.match(await workout(), { details: { swim_lengths: 3, swim_strokes: 34, pool_length_meters: 50 } });
  t.same((await streams()).distance, [0, 50, 100, 100, 150]);
});

t.test('lengths of a pool whose length is not stated are parts of the distance', async (t) => {
  const file = activityFile();
  file.define(1, 101, [
    [253, 'uint32'],
    [2, 'uint32'],
    [3, 'uint32'],
  ]);
  for (const index of [0, 1]) file.data(1, [begin + 30 + 30 * index, begin + 30 * index, 30_000]);
  const { streams } = await imported(writeSession(file, begin, 60, { sport: swimSport, meters: 66 }));
  t.same((await streams()).distance, [0, 33, 66]);
});

t.test('points with a distance keep it, and lengths outside of the swim are counted', async (t) => {
  const file = writeRecords(activityFile(), begin, 60);
  file.define(2, 101, [
    [253, 'uint32'],
    [2, 'uint32'],
    [3, 'uint32'],
    [5, 'uint16'],
  ]);
  file.data(2, [begin + 30, begin, 30_000, 12]).data(2, [begin + 630, begin + 600, 30_000, 12]);
  file.message(18, [
    [253, 'uint32', begin + 60],
    [2, 'uint32', begin],
    [7, 'uint32', 60_000],
    [5, 'enum', swimSport],
    [44, 'uint16', 2500],
    [33, 'uint16', 2],
  ]);
  const { done, workout, streams } = await imported(file);
  t.match(done.skipped, [left('lengths', 'Lengths outside of an activity are not kept.', 1)]);
  t.match(await workout(), { details: { swim_lengths: 1, swim_strokes: 12 } });
  t.same((await streams()).distance?.at(-1), 177);
});

t.test('the clock is set back during a recording', async (t) => {
  const file = activityFile();
  writeRecords(file, begin + 7200, 100);
  writeRecords(file, begin + 100, 200, 300);
  writeLap(file, begin + 7200, 100, { end: begin + 100 });
  writeLap(file, begin + 100, 200);
  writeSession(file, begin + 7200, 300, { end: begin + 300 });
  const { done, all, workout, streams } = await imported(writeActivity(file, begin + 300));
  t.same(done.skipped, []);
  t.match(all, [{ start_time: iso(begin), end_time: iso(begin + 300) }]);
  t.match(await workout(), { laps: [{ start_time: iso(begin) }, { start_time: iso(begin + 100) }] });
  const { distance = [] } = await streams();
  t.same([distance.length, distance.at(-1)], [300, 897]);
});

t.test('a session whose elapsed time was taken from the clock that was set', async (t) => {
  const days = 20 * 86_400;
  const file = writeRecords(activityFile(), begin - days, 60);
  writeRecords(file, begin + 60, 60, 180);
  file.message(18, [
    [253, 'uint32', begin + 120],
    [2, 'uint32', begin - days],
    [7, 'uint32', (days + 120) * 1000],
    [8, 'uint32', 120_000],
    [5, 'enum', runSport],
  ]);
  const { done, all, streams } = await imported(file);
  t.same(done.skipped, []);
  t.match(all, [{ start_time: iso(begin), end_time: iso(begin + 120) }]);
  t.equal((await streams()).distance?.length, 120);
});

t.test('the clock counts from power-on until it is set', async (t) => {
  const file = writeRecords(activityFile(), 5000, 60);
  writeRecords(file, begin + 60, 60, 180);
  const { done, all, streams } = await imported(writeSession(file, 5000, 120, { end: begin + 120 }));
  t.same(done.skipped, []);
  t.match(all, [{ start_time: iso(begin), end_time: iso(begin + 120) }]);
  t.equal((await streams()).distance?.length, 120);
});

t.test('a pause of hours is no step of the clock', async (t) => {
  const file = writeRecords(activityFile(), begin, 60);
  file.message(21, [
    [253, 'uint32', begin + 59],
    [0, 'enum', 0],
    [1, 'enum', 4],
  ]);
  writeRecords(file, begin + 7200, 60, 180);
  // This device states the time without pauses as the elapsed one.
  const { done, all, streams } = await imported(writeSession(file, begin, 120, { end: begin + 7260 }));
  t.match(done.skipped, [left('event', 'Messages of this kind are not kept.', 1)]);
  t.match(all, [{ start_time: iso(begin), end_time: iso(begin + 7259) }]);
  t.equal((await streams()).distance?.length, 120);
});

t.test('times since power-on without any date are no dates', async (t) => {
  const file = writeRecords(activityFile(), 5000, 60);
  writeSession(file, 5000, 60);
  const { done, all } = await imported(writeActivity(file, 5060, 5060));
  t.same(all, []);
  t.match(done, {
    state: 'done',
    skipped: [
      left('workouts', 'The times count from power-on, and the file states no date.', 1),
      left('points', 'Points without a date are not kept.', 60),
    ],
  });
});

t.test('laps by the clock of the user move with their activity', async (t) => {
  const file = writeRecords(activityFile(), 5000, 60);
  writeLap(file, 5000, 60);
  writeSession(file, 5000, 60);
  const { all, workout } = await imported(writeActivity(file, 5060, begin + 3600 + 60));
  t.match(all, [{ start_time: iso(begin) }]);
  t.match(await workout(), { laps: [{ start_time: iso(begin), end_time: iso(begin + 60) }] });
});

t.test('a triathlon: legs count from their own start, and transitions are no workouts', async (t) => {
  const file = writeRecords(activityFile(), begin, 360);
  const legs = [
    [swimSport, 0, 100],
    [transitionSport, 100, 20],
    [bikeSport, 120, 140],
    [runSport, 270, 90],
  ] as const;
  for (const [sport, at, seconds] of legs) {
    writeLap(file, begin + at - 2, seconds);
    writeSession(file, begin + at, seconds, { sport });
  }
  // The second transition is stated by its kind, the whole as a session of its own.
  writeSession(file, begin + 260, 10, { sport: runSport, subSport: 32 });
  writeSession(file, begin, 360, { sport: 18, subSport: 78 });
  const { done, all, answers, streams } = await imported(writeActivity(file, begin + 360));
  t.match(all, [{ type: 'swimming' }, { type: 'cycling' }, { type: 'running' }]);
  t.equal(all.length, 3);
  const ends = await Promise.all(all.map(async (_, index) => (await streams(index)).distance?.at(-1)));
  t.same(ends, [297, 420, 270]);
  for (const { id } of all) t.match(await answers.workout(id), { laps: { length: 1 } });
  t.match(done.skipped, [
    left('workouts', 'A multisport activity is kept as its parts.', 1),
    left('workouts', 'A transition of a multisport activity is no workout.', 2),
    left('points', 'Points of a transition are not kept.', 30),
    left('laps', 'Laps of a transition are not kept.', 1),
  ]);
});

t.test('what lies outside of the activity is counted', async (t) => {
  const file = writeRecords(activityFile(), begin, 60);
  writeRecords(file, begin + 3600, 30);
  writeLap(file, begin, 60);
  writeLap(file, begin + 3600, 30);
  file.define(2, 20, [[3, 'uint8']]).data(2, [120]);
  file
    .define(3, 20, [
      [253, 'uint32'],
      [3, 'uint8'],
    ])
    .data(3, [0xfffffffe, 120]);
  file.message(23, [
    [253, 'uint32', begin],
    [2, 'uint16', 1],
  ]);
  file.message(65_280, [[0, 'uint8', 1]]);
  file.message(21, [
    [253, 'uint32', begin + 60],
    [0, 'enum', 0],
    [1, 'enum', 4],
  ]);
  // The timer was stopped, so that it is no step of the clock.
  const { done } = await imported(writeSession(file, begin, 60));
  t.match(done, {
    state: 'done',
    counts: { workouts: 1 },
    skipped: [
      left('device_info', 'Messages of this kind are not kept.', 1),
      left('message 65280', 'Messages of this kind are not kept.', 1),
      left('points', 'Points without a time are not kept.', 1),
      left('points', 'The time is more than a day ahead.', 1),
      left('points', 'Points outside of the time of an activity are not kept.', 30),
      left('laps', 'Laps outside of an activity are not kept.', 1),
      left('event', 'Messages of this kind are not kept.', 1),
    ],
  });
});

t.test('groups of fields that are not kept are counted by message', async (t) => {
  const file = activityFile();
  file.define(1, 20, [
    [253, 'uint32'],
    [3, 'uint8'],
    [39, 'uint16'],
    [41, 'uint16'],
    [200, 'uint8'],
    [42, 'enum'],
  ]);
  for (let second = 0; second < 10; second += 1) {
    const dynamics = second < 4 ? [900, 2500] : [0xffff, 0xffff];
    file.data(1, [begin + second, 140, ...dynamics, second === 0 ? 1 : 0xff, 1]);
  }
  const { done } = await imported(writeSession(file, begin, 10));
  t.match(done.skipped, [
    left('record', 'Not kept: running dynamics.', 4),
    left('record', 'Fields that the profile does not name are not kept.', 1),
  ]);
});

t.test('what a session states beside its figures', async (t) => {
  const file = writeRecords(activityFile(), begin, 60);
  file.message(18, [
    [253, 'uint32', begin + 60],
    [2, 'uint32', begin],
    [7, 'uint32', 60_000],
    [9, 'uint32', 18_000],
    [5, 'enum', runSport],
    [10, 'uint32', 80],
    [18, 'uint8', 80],
    [92, 'uint8', 64],
    [48, 'uint32', 12_000],
    [64, 'uint8', 0],
    [128, 'uint32', 5100],
    [193, 'uint8', 60],
  ]);
  const { workout } = await imported(file);
  t.match(await workout(), {
    details: {
      ...{ steps: 160, avg_cadence_rpm: 80.5, work_kilojoules: 12, min_heart_rate_bpm: null },
      ...{ elevation_high_meters: 520, perceived_exertion: 6 },
    },
  });
});

t.test('the offset is the one of the watch, unless it states one time twice', async (t) => {
  const zoneOf = async (local: number) => {
    const file = writeSession(writeRecords(activityFile(), begin, 10), begin, 10);
    const { all } = await imported(writeActivity(file, begin + 10, local));
    return all[0]?.zone_offset;
  };
  t.equal(await zoneOf(begin + 10 + 5.5 * 3600), '+05:30');
  t.equal(await zoneOf(begin + 10), '+01:00');
  t.equal(await zoneOf(0xffffffff), null);
  t.equal(await zoneOf(fitTime('2020-01-01T00:00:00Z')), null);
});

t.test('files behind one another have definitions, devices and developers of their own', async (t) => {
  const first = writeSession(writeRecords(activityFile(1), begin, 60), begin, 60).bytes();
  const second = activityFile(2);
  second.define(1, 20, [
    [253, 'uint32'],
    [7, 'uint16'],
  ]);
  for (let index = 0; index < 30; index += 1) second.data(1, [begin + 3600 + index, 200]);
  const last = writeSession(second, begin + 3600, 30, { sport: bikeSport }).bytes();
  const { done, all } = await imported(Buffer.concat([first, last, Buffer.alloc(10)]));
  t.match(done, { state: 'done', counts: { workouts: 2 }, skipped: [] });
  t.match(all, [
    { type: 'running', source: { device: 'garmin 1' } },
    { type: 'cycling', source: { device: 'garmin 2' } },
  ]);
  const followed = await imported(Buffer.concat([first, Buffer.from('no more of it')]));
  t.match(followed.done, {
    state: 'done',
    counts: { workouts: 1 },
    skipped: [left('file', 'What follows the FIT file is no FIT file.', 1)],
  });
});
