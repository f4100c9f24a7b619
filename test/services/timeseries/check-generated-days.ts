import { generatedDay, seeded } from './generated-days.ts';
import { localDateOf, perSecond } from './interval-oracle.ts';
import { type Setting, withUser } from './setting.ts';
import { differences, storeMeasured } from './stored-days.ts';

/** Sums by day or hour, provider and device of a user's intervals. */
async function stored({ database, userId }: Setting, place: string, table: string) {
  const rows = await database.query<{ key: string; sum: number }>(
    `select ${place} || ' ' || s.provider || ' ' || s.device as key, x.sum
     from timeseries.series s join timeseries.${table} x on x.series_id = s.id where s.user_id = $1`,
    [userId],
  );
  return new Map(rows.map(({ key, sum }) => [key, sum]));
}

/**
 * Stores generated days, each of a user of its own, and compares local days and UTC hours with the sums second by second.
 * Returns what differs.
 */
export async function wrongDays(setting: Setting, seed: number, days: number): Promise<string[]> {
  const random = seeded(seed);
  const wrong: string[] = [];
  for (let number = 0; number < days; number += 1) {
    const measured = generatedDay(random, number);
    const { id } = await setting.call('users.create', {});
    const user = withUser(setting.database, setting.call, id);
    await storeMeasured(user, measured);
    const byDay = perSecond(measured, (one, second) =>
      [localDateOf(one, second), one.provider, one.source.device].join(' '),
    );
    const byHour = perSecond(measured, (one, second) =>
      [Math.floor(second / 3600), one.provider, one.source.device].join(' '),
    );
    const ofDays = await stored(user, 'x.date', 'sample_local_day');
    const ofHours = await stored(user, 'floor(extract(epoch from x.bucket) / 3600)', 'sample_hour');
    wrong.push(
      ...differences(ofDays, byDay).map((key) => `${number} day ${key}`),
      ...differences(ofHours, byHour).map((key) => `${number} hour ${key}`),
    );
  }
  return wrong;
}
