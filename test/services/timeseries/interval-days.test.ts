import t from 'tap';
import { generatedDay, seeded } from './generated-days.ts';
import { localDateOf, perSecond } from './interval-oracle.ts';
import { setUp, withUser } from './setting.ts';
import { differences, storeMeasured } from './stored-days.ts';

const s = await setUp(t);
const seed = Number(process.env.INTERVAL_SEED ?? 20_260_301);
const days = Number(process.env.INTERVAL_DAYS ?? 120);

async function newUser() {
  const { id } = await s.call('users.create', {});
  return withUser(s.database, s.call, id);
}

async function storedDays(userId: string): Promise<Map<string, number>> {
  const rows = await s.database.query<{ key: string; sum: number }>(
    `select d.date || ' ' || s.provider || ' ' || s.device as key, sum(d.sum) as sum
     from timeseries.series s join timeseries.sample_local_day d on d.series_id = s.id
     where s.user_id = $1 group by 1`,
    [userId],
  );
  return new Map(rows.map(({ key, sum }) => [key, sum]));
}

async function storedHours(userId: string): Promise<Map<string, number>> {
  const rows = await s.database.query<{ key: string; sum: number }>(
    `select floor(extract(epoch from h.bucket) / 3600) || ' ' || s.provider || ' ' || s.device as key,
       h.sum
     from timeseries.series s join timeseries.sample_hour h on h.series_id = s.id where s.user_id = $1`,
    [userId],
  );
  return new Map(rows.map(({ key, sum }) => [key, sum]));
}

t.test(`${days} generated days equal the sums second by second`, async (t) => {
  const random = seeded(seed);
  const wrong: string[] = [];
  for (let number = 0; number < days; number += 1) {
    const measured = generatedDay(random, number);
    const user = await newUser();
    await storeMeasured(user, measured);
    const byDay = perSecond(measured, (one, second) =>
      [localDateOf(one, second), one.provider, one.source.device].join(' '),
    );
    const byHour = perSecond(measured, (one, second) =>
      [Math.floor(second / 3600), one.provider, one.source.device].join(' '),
    );
    wrong.push(
      ...differences(await storedDays(user.userId), byDay).map((key) => `${number} day ${key}`),
      ...differences(await storedHours(user.userId), byHour).map((key) => `${number} hour ${key}`),
    );
  }
  t.same(wrong, []);
});
