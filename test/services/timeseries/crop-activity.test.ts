import t from 'tap';
import { partsOf } from '../../../domain/records/item-parts.ts';
import { StoreItem } from '../../../domain/records/records.ts';
import { minuteMs } from '../../../domain/time/time.ts';
import { activity, at, block, day, item, workout } from './items.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';
import { wrongStatistics } from './statistics.ts';

const shared = await setUp(t);
const start = at('08:00:00');

/** A value every minute of [from, to), with the same value at one minute in every version. */
const minutes = (from: number, to: number, device = 'Watch 7') =>
  (['heart_rate', 'speed'] as const).map((type) =>
    block(
      type,
      Array.from(
        { length: to - from },
        (_, n) => [start + (from + n) * minuteMs, 10 + ((from + n) % 60)] as const,
      ),
      { device },
    ),
  );

/** An activity of the device maker in its two data types. */
const summary = (minutesLong: number, fields = {}) =>
  activity(workout(start, minutesLong, fields), { key: 'a' });
const details = (minutesLong: number, fields = {}) =>
  activity(workout(start, minutesLong), {
    key: 'a',
    data_type: 'activityDetails',
    hash: `details of ${minutesLong}`,
    samples: minutes(0, minutesLong),
    ...fields,
  });

/** Another user, and the minutes of which a heart rate and a speed is stored. */
async function another(): Promise<Setting & { left(): Promise<string> }> {
  const setting = await anotherUser(shared);
  const left = async () => {
    const rows = await shared.database.query<{ type: string; minutes: number[] }>(
      `select y.name as type, array_agg((extract(epoch from x.ts) - $2) / 60 order by x.ts)::int[] as minutes
       from timeseries.sample x join timeseries.series s on s.id = x.series_id
       join timeseries.series_type y on y.id = s.type_id where s.user_id = $1 group by 1 order by 1`,
      [setting.userId, start / 1000],
    );
    return rows.map(({ type, minutes: at }) => `${type} ${spans(at)}`).join(', ');
  };
  return { ...setting, left };
}

/** Whole numbers as spans: 0-2 5. */
function spans(numbers: readonly number[]): string {
  const found: number[][] = [];
  for (const number of numbers)
    if (found.at(-1)?.at(-1) === number - 1) found.at(-1)?.push(number);
    else found.push([number]);
  return found.map((span) => `${span[0]}-${span.at(-1)}`).join(' ');
}

t.test('shorter details leave no sample after their new end', async (t) => {
  const on = await another();
  await on.store([summary(60), details(60)]);
  t.equal(await on.left(), 'heart_rate 0-59, speed 0-59');
  const [outcome] = await on.store([details(30)]);
  t.match(outcome, { status: 'replaced' });
  t.equal(await on.left(), 'heart_rate 0-29, speed 0-29');
  await on.store([details(45)]);
  t.equal(await on.left(), 'heart_rate 0-44, speed 0-44');
  t.same(await wrongStatistics(shared.database), []);
});

t.test('of two versions in one call the later one counts', async (t) => {
  const on = await another();
  await on.store([details(60), details(20)]);
  t.equal(await on.left(), 'heart_rate 0-19, speed 0-19');
});

/** Details of 60 minutes with pauses of `paused` minutes each before some minutes. */
const withPauses = (paused: number, ...before: readonly number[]) => {
  const at = Array.from({ length: 60 }, (_, n) => n + paused * before.filter((one) => one <= n).length);
  const rows = at.map((minute) => [start + minute * minuteMs, 10 + minute] as const);
  return activity(workout(start, 60), {
    ...{ key: 'a', data_type: 'activityDetails', hash: `paused before ${before}` },
    samples: [block('heart_rate', rows), block('speed', rows)],
  });
};

t.test('a crop of a paused activity keeps the samples of its own duration', async (t) => {
  const on = await another();
  await on.store([summary(60), withPauses(10, 30)]);
  t.equal(await on.left(), 'heart_rate 0-29 40-69, speed 0-29 40-69');
  await on.store([activity(workout(start, 0, { end_ms: start + 3599_000 }), { key: 'a' })]);
  t.equal(await on.left(), 'heart_rate 0-29 40-69, speed 0-29 40-69', 'a second less');
  await on.store([summary(50)]);
  t.equal(await on.left(), 'heart_rate 0-29 40-60, speed 0-29 40-60', 'ten minutes less');
  await on.store([summary(50), summary(40)]);
  t.equal(await on.left(), 'heart_rate 0-29 40-50, speed 0-29 40-50', 'once more');
  await on.store([summary(20)]);
  t.equal(await on.left(), 'heart_rate 0-20, speed 0-20', 'before the pause');
  t.same(await wrongStatistics(shared.database), []);
});

t.test('the pauses of cropped details count wherever they are, and when they come late', async (t) => {
  const on = await another();
  await on.store([summary(60), summary(50), withPauses(7, 5, 20, 55)]);
  t.equal(await on.left(), 'heart_rate 0-4 12-26 34-64, speed 0-4 12-26 34-64');
  const start10 = { start_ms: start + 12 * minuteMs, end_ms: start + (12 + 35) * minuteMs };
  await on.store([activity(workout(start, 0, start10), { key: 'a' })]);
  t.equal(await on.left(), 'heart_rate 12-26 34-54, speed 12-26 34-54', 'cropped at both ends');
});

t.test('samples of a day and of another activity are kept', async (t) => {
  const on = await another();
  const [rates] = minutes(40, 50);
  if (rates === undefined) throw new Error('there are heart rates');
  await on.store([details(60), item({ day: day('2026-03-01'), samples: [rates] })]);
  await on.store([activity(workout(start + 55 * minuteMs, 60), { key: 'b', samples: minutes(55, 70) })]);
  await on.store([details(30)]);
  t.equal(await on.left(), 'heart_rate 0-29 40-49 55-69, speed 0-29 55-69');
});

t.test('a shorter activity crops earlier details, in any order', async (t) => {
  const orders = [
    [details(60), summary(60), summary(30)],
    [details(60), summary(60), summary(30), details(60)],
    [details(60), summary(60), summary(30), details(30)],
    [details(60), summary(60), details(30), summary(30)],
    [summary(60), details(60), summary(30), summary(30, { name: 'Renamed' })],
    [summary(60), details(60), summary(30), summary(30, { name: 'Renamed' }), details(60, { hash: 'late' })],
  ];
  for (const [index, order] of orders.entries()) {
    const on = await another();
    for (const one of order) await on.store([one]);
    const end = index === 2 || index === 3 ? 29 : 30;
    t.equal(await on.left(), `heart_rate 0-${end}, speed 0-${end}`, `order ${index}`);
  }
});

t.test('details that are longer for another reason are kept completely', async (t) => {
  const on = await another();
  await on.store([summary(50)]);
  await on.store([details(60)]);
  await on.store([summary(50, { name: 'Without pauses' })]);
  t.equal(await on.left(), 'heart_rate 0-59, speed 0-59');
});

t.test(
  'details of a cropped activity that exceed its end because of pauses are kept completely',
  async (t) => {
    const on = await another();
    for (const one of [summary(60), details(60), summary(30)]) await on.store([one]);
    await on.store([details(30, { samples: minutes(0, 35) })]);
    t.equal(await on.left(), 'heart_rate 0-34, speed 0-34');
  },
);

t.test('a version with fewer parts removes the other parts', async (t) => {
  const on = await another();
  const long = StoreItem.parse(details(60));
  for (const part of partsOf(long, 30)) await on.store([part]);
  for (const part of partsOf({ ...long, hash: 'shorter', samples: minutes(0, 30) }, 30))
    await on.store([part]);
  t.equal(await on.left(), 'heart_rate 0-29, speed 0-29');
});

t.test('details that are sent again after a crop was undone are stored', async (t) => {
  const on = await another();
  for (const one of [summary(60), details(60), summary(30), summary(60), details(60)]) await on.store([one]);
  t.equal(await on.left(), 'heart_rate 0-59, speed 0-59');
});

t.test('a version in parts counts once it is complete, also after a crash between parts', async (t) => {
  const on = await another();
  await on.store([details(60)]);
  const parts = partsOf(StoreItem.parse(details(40)), 30);
  t.ok(parts.length > 2);
  const [first, second] = parts;
  if (first === undefined || second === undefined) throw new Error('there are parts');
  await on.store([first]);
  await on.store([second]);
  t.equal(await on.left(), 'heart_rate 0-59, speed 0-59', 'the older version stays until then');
  t.comment('the process dies here, and another begins anew');
  for (const part of parts) await on.store([part]);
  t.equal(await on.left(), 'heart_rate 0-39, speed 0-39');
  const shorter = partsOf(StoreItem.parse(details(20)), 30);
  await on.store([shorter[0] ?? first]);
  await on.store([details(10)]);
  t.equal(await on.left(), 'heart_rate 0-9, speed 0-9', 'of a version that was overtaken nothing stays');
});

t.test('samples of another device are removed with the version that contained them', async (t) => {
  const on = await another();
  await on.store([details(60, { samples: minutes(0, 60, 'unknown') })]);
  await on.store([details(60, { hash: 'named', samples: minutes(0, 60) })]);
  t.equal(await on.left(), 'heart_rate 0-59, speed 0-59');
});
