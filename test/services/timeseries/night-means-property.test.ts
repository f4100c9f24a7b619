import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { NightMeans } from '../../../domain/provider/facts.ts';
import type { Call } from '../../../runtime/environment.ts';
import timeseries from '../../../services/timeseries/timeseries.service.ts';
import { settleNights } from '../../../services/timeseries/work/night-means.ts';
import users from '../../../services/users/users.service.ts';
import { startBroker } from '../../support/servers/broker.ts';
import { freshDatabase, natsUrl } from '../../support/servers/database.ts';
import { seeded } from './model.ts';
import { keptNights, keyOf, nightsAnew, type OracleNight, wrongNights } from './night-oracle.ts';
import { type Random, stepOf } from './night-steps.ts';
import { wrongStatistics } from './statistics.ts';

/*
 * Sessions and samples are stored, changed, deleted, read again, reprocessed, purged, erased and expired in random order, and the
 * means of nights settled in between. SEED and LIVES choose others.
 */
t.setTimeout(400_000);

const first = Number(process.env.SEED ?? 1);
const lives = Number(process.env.LIVES ?? 10);

const database = await freshDatabase(t);
const bus = { databaseUrl: database.url, natsUrl: natsUrl(), namespace: `nights-${randomUUID()}` };
const settings = { DATABASE_POOL: '6' };
const one = await startBroker(t, { ...bus, services: [timeseries, users], settings });
const two = await startBroker(t, { ...bus, services: [timeseries], settings });

const randomOf = (seed: number): Random => {
  const next = seeded(seed);
  return (most) => Math.floor(next() * most);
};

async function settleAll(): Promise<void> {
  for (let after = await settleNights(database); after !== undefined; )
    after = await settleNights(database, after, 3);
}

/** The means that a page of the user's nights has. */
async function shown(call: Call, userId: string): Promise<OracleNight[]> {
  const range = { first_date: '2026-01-01', last_date: '2026-12-31', after: null, order: 'asc' as const };
  const { nights } = await call('timeseries.nights', { user_id: userId, ...range, limit: 101 });
  return nights.flatMap(({ date, sources }) =>
    sources.flatMap(({ provider, main }) =>
      main === null ? [] : [{ user_id: userId, date, provider, ...meansOf(main.means) }],
    ),
  );
}

const meansOf = (means: NightMeans) => ({
  heart_rate: means.heart_rate,
  heart_rate_variability_sdnn: means.heart_rate_variability_sdnn,
  respiratory_rate: means.respiratory_rate,
  oxygen_saturation: means.oxygen_saturation,
});

async function differences(userId: string): Promise<string[]> {
  const anew = (await nightsAnew(database)).filter(({ user_id }) => user_id === userId);
  const [is, should] = [await shown(two.call, userId), anew].map((nights) => JSON.stringify(nights));
  return [...(is === should ? [] : [`shown ${is} instead of ${should}`]), ...(await wrongNights(database))];
}

t.test('after each change, kept and shown means equal those computed anew', async (t) => {
  const wrong: string[] = [];
  let compared = 0;
  for (let seed = first; seed < first + lives && wrong.length === 0; seed += 1) {
    const random = randomOf(seed);
    const userId = randomUUID();
    for (let step = 0; step < 40 && wrong.length === 0; step += 1) {
      const { call } = step % 2 === 0 ? one : two;
      await stepOf(random)({ call, database, userId });
      if (random(3) > 0) await settleAll();
      wrong.push(...(await differences(userId)).map((found) => `seed ${seed}, step ${step}: ${found}`));
      compared += (await keptNights(database)).length;
    }
    if (random(4) === 0) await one.call('timeseries.erase', { user_id: userId });
  }
  t.same(wrong, []);
  t.ok(compared > 10 * lives, `${compared} kept nights were compared`);
});

t.test('settling beside concurrent stores of two processes keeps no mean that is not true', async (t) => {
  const wrong: string[] = [];
  for (let seed = first; seed < first + lives / 3; seed += 1) {
    const random = randomOf(seed + 10_000);
    const ids = [randomUUID(), randomUUID()];
    const steps = Array.from({ length: 16 }, (_, index) => ({
      userId: ids[index % 2] ?? '',
      step: stepOf(random),
    }));
    const settling = Array.from({ length: 6 }, settleAll);
    const stores = steps.map(({ userId, step }, index) =>
      step({ call: (index % 4 < 2 ? one : two).call, database, userId }).catch((error: { type?: string }) => {
        // Refused between a purge and its end.
        if (error.type !== 'USER_ERASED') throw error;
      }),
    );
    await Promise.all([...stores, ...settling]);
    wrong.push(...(await wrongNights(database)).map((found) => `seed ${seed}: ${found}`));
  }
  t.same(wrong, []);
});

t.test('settled, each night that may be kept is, and no other', async (t) => {
  await settleAll();
  t.same(await wrongNights(database), []);
  const rows = await database.query<{ user_id: string; date: string; provider: string; may: boolean }>(
    `select user_id, date::text, provider, timeseries.is_kept_night(date, min(start_time), max(end_time)) as may
     from timeseries.sleep_session where not is_nap group by user_id, date, provider order by 1, 2, 3`,
  );
  const may = rows.filter((row) => row.may).map(keyOf);
  t.same((await keptNights(database)).map(keyOf), may);
  t.ok(may.length > 2 * lives && may.length < rows.length, `${may.length} of ${rows.length}`);
  t.same(await database.query('select from timeseries.night_mean where stale'), []);
  t.same(await wrongStatistics(database), []);
});
