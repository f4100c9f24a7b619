import t from 'tap';
import { dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { readNights } from '../../../services/timeseries/actions/nights.ts';
import { lockUser } from '../../../services/timeseries/tables/erasures.ts';
import { settleNights } from '../../../services/timeseries/work/night-means.ts';
import { countingRows } from '../../support/rows/rows-read.ts';
import { at, block, item, night, sleep } from './items.ts';
import { keptNights, nightsAnew, wrongNights } from './night-oracle.ts';
import { anotherUser, type Setting, setUp } from './setting.ts';

const setting = await setUp(t);
const { database, call } = setting;

const sleeper = () => anotherUser(setting);

const bedtime = (index: number) => at('22:20:00') + index * dayMs;
const values = {
  heart_rate: 50,
  heart_rate_variability_sdnn: 40,
  respiratory_rate: 14,
  oxygen_saturation: 96,
};
const measured = [
  'heart_rate',
  'heart_rate_variability_sdnn',
  'respiratory_rate',
  'oxygen_saturation',
] as const;

/** Stores nights with a sample of each type every quarter of an hour. */
async function sleepFor({ store }: Setting, nights: number): Promise<void> {
  for (let index = 0; index < nights; index += 1) {
    const rows = Array.from({ length: 32 }, (_, n) => bedtime(index) + n * 15 * minuteMs);
    const samples = measured.map((type) =>
      block(
        type,
        rows.map((ms, n) => [ms, values[type] + (n % 4) / 4] as const),
      ),
    );
    await store([night([sleep(bedtime(index), 450)]), item({ samples })]);
  }
}

async function settleAll(): Promise<void> {
  for (let after = await settleNights(database); after !== undefined; )
    after = await settleNights(database, after);
}

const range = { first_date: '2026-03-01', last_date: '2026-04-30', after: null, order: 'desc' as const };
const page = (on: Queryable, { userId }: Setting) => readNights(on, { user_id: userId, ...range, limit: 30 });

/** Runs statements and records their names. */
function recording(names: string[]): Queryable {
  return {
    query(statement, given) {
      names.push(typeof statement === 'string' ? statement : statement.name);
      return database.query(statement, given);
    },
  };
}

t.test('a page of 30 nights is one statement that reads no samples', async (t) => {
  const person = await sleeper();
  await sleepFor(person, 31);
  const computed = await page(database, person);
  await settleAll();
  const names: string[] = [];
  t.same(await page(recording(names), person), computed, 'with the means that were computed from samples');
  t.same(computed.nights[0]?.sources[0]?.main?.means.heart_rate, 1510.75 / 30);
  t.same(names, ['timeseries-select-nights-desc']);
  const { on, read } = countingRows(database);
  t.equal((await page(on, person)).nights.length, 30);
  t.same([...read.keys()].sort(), ['night_mean', 'sleep_session']);

  await person.store([item({ samples: [block('heart_rate', [[bedtime(20) + hourMs + 1, 200]])] })]);
  const { on: after, read: ofOne } = countingRows(database);
  const { nights } = await page(after, person);
  t.ok(
    (ofOne.get('sample_hour') ?? 0) > 0 && (ofOne.get('sample_hour') ?? 0) <= 4 * 8,
    'of the changed night only',
  );
  t.equal(nights[10]?.sources[0]?.main?.means.heart_rate, 1710.75 / 31);
});

t.test('samples outside of the nights leave them as they are', async (t) => {
  const person = await sleeper();
  await sleepFor(person, 3);
  await settleAll();
  const before = await keptNights(database);
  await person.store([
    item({
      samples: [
        block('heart_rate', [[bedtime(1) + 9 * hourMs, 99]]),
        block('heart_rate', [[bedtime(1) - hourMs, 99]]),
        block('steps', [[bedtime(1) + hourMs, 9]]),
      ],
    }),
    night([sleep(bedtime(1) + 15 * hourMs, 30, { is_nap: true })]),
  ]);
  await person.store([item({ samples: [block('heart_rate', [[bedtime(1) + hourMs, 99]])] })], 'activitynet');
  t.same(await keptNights(database), before);
});

t.test('a night whose samples a store is changing stays stale', async (t) => {
  const person = await sleeper();
  await sleepFor(person, 1);
  await database.transaction(async (transaction) => {
    await lockUser(transaction, person.userId);
    await transaction.query(
      `insert into timeseries.sample select s.id, 0, $2, 120 from timeseries.series s
       join timeseries.series_type y on y.id = s.type_id where s.user_id = $1 and y.name = 'heart_rate'`,
      [person.userId, new Date(bedtime(0) + 1)],
    );
    await settleAll();
  });
  t.same(await wrongNights(database), []);
  t.same(
    (await keptNights(database)).filter(({ user_id }) => user_id === person.userId),
    [],
  );
  await settleAll();
  const [own] = (await nightsAnew(database)).filter(({ user_id }) => user_id === person.userId);
  t.same(
    (await keptNights(database)).filter(({ user_id }) => user_id === person.userId),
    [own],
  );
});

t.test('a user whose nights are settled is erased with them', async (t) => {
  const person = await sleeper();
  await sleepFor(person, 2);
  await settleAll();
  await call('timeseries.erase', { user_id: person.userId });
  const left = 'select from timeseries.night_mean where user_id = $1';
  t.same(await database.query(left, [person.userId]), []);
});
