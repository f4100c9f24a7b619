import t from 'tap';
import { type AppAccess, upload } from '../../sandbox/phone/app.ts';
import { phoneDays } from '../../sandbox/phone/days.ts';
import { endedBetween } from '../../sandbox/phone/uploads.ts';
import { randomOf } from '../../sandbox/simulation/random.ts';
import { createUser, startApi, userToken } from '../support/api.ts';
import { until } from '../support/until.ts';

const api = await startApi(t, { SANDBOX: 'off' });
const startMs = Date.UTC(2026, 2, 27);
const { data, steps } = phoneDays({ seed: 'tests', startMs, days: 4, skewMs: 90_000 });

async function install(fields: Partial<AppAccess> = {}): Promise<AppAccess> {
  const userId = await createUser(api);
  const token = await userToken(api, userId);
  const random = randomOf(userId);
  return {
    ...{ origins: [api.url], userId, headers: () => ({ authorization: token }), fetch },
    ...{ random: () => random.between(0, 1), signal: AbortSignal.timeout(120_000), ...fields },
  };
}

/** Loses every third answer of the server, which has done its work by then. */
function losingAnswers(): typeof fetch {
  let answers = 0;
  return async (...request) => {
    const response = await fetch(...request);
    answers += 1;
    if (answers % 3 === 0) throw new TypeError('the answer is lost');
    return response;
  };
}

const countOf = async (userId: string) => {
  const [row] = await api.database.query<{
    samples: number;
    intervals: number;
    nights: number;
    workouts: number;
  }>(
    `select
       (select count(*)::int from timeseries.sample x join timeseries.series s on s.id = x.series_id where s.user_id = $1) as samples,
       (select count(*)::int from timeseries.interval_value i join timeseries.series s on s.id = i.series_id where s.user_id = $1) as intervals,
       (select count(*)::int from timeseries.sleep_session where user_id = $1) as nights,
       (select count(*)::int from timeseries.workout where user_id = $1) as workouts`,
    [userId],
  );
  return row;
};

const isSummed = (record: object) => !/HeartRate|BodyMass|BodyFat/.test(String(Reflect.get(record, 'type')));
const intervals = data.records.filter(isSummed).length;
const expected = { samples: data.records.length - intervals, intervals, nights: 4, workouts: 4 };

t.test(
  'days of two devices are stored whole, also over lost answers, repeated and unordered chunks',
  async (t) => {
    const calm = await install();
    const hasty = await install({ fetch: losingAnswers() });
    await upload(calm, 'apple', data);
    const faults = { lostAnswers: 0.3, repeated: 0.3, unordered: true };
    const report = await upload(hasty, 'apple', data, { chunk: 100, faults });
    t.match(report, { skipped: 0, setAside: 0, isLoggedOut: false });
    t.ok(report.again > 0, 'answers were lost');
    for (const { userId } of [calm, hasty]) {
      await until(async () => (await countOf(userId))?.nights === 4);
      await until(async () => JSON.stringify(await countOf(userId)) === JSON.stringify(expected));
    }
    t.ok(steps.every((count) => count > 0));
  },
);

t.test(
  'an expired token is renewed once, and a disconnect ends the upload without a skipped chunk',
  async (t) => {
    const app = await install();
    const right = app.headers();
    let current: Record<string, string> = { authorization: 'Bearer expired' };
    const renew = async () => {
      current = right;
      return true;
    };
    const access = { ...app, headers: () => current, renew };
    t.match(await upload(access, 'apple', data), { skipped: 0, again: 1, isLoggedOut: false });
    await api.expect(200, `/users/${app.userId}/connections/phone`, { method: 'DELETE' });
    t.match(await upload(access, 'apple', data), { skipped: 0, isLoggedOut: true });
  },
);

t.test(
  'uploads of adjacent spans have each item once, also over midnight and in another process',
  async (t) => {
    const hourMs = 3_600_000;
    const [fromMs, toMs] = [startMs - 5 * hourMs, startMs + 31 * hourMs];
    const whole = endedBetween(fromMs, toMs);
    const parts = Array.from({ length: 36 }, (_, hour) =>
      endedBetween(fromMs + hour * hourMs, fromMs + (hour + 1) * hourMs),
    );
    for (const list of ['records', 'sleep', 'workouts'] as const) {
      const ids = parts.flatMap((part) => part[list].map(({ id }) => id));
      t.same(ids.toSorted(), whole[list].map(({ id }) => id).toSorted(), list);
      t.equal(new Set(ids).size, ids.length);
      t.ok(ids.length > 0);
    }
    const { data } = phoneDays({ seed: 'phone', startMs, days: 1 });
    const ids = new Set(endedBetween(startMs - 7 * 24 * hourMs, toMs).records.map(({ id }) => id));
    t.ok(
      data.records.slice(1).every(({ id }) => ids.has(id)),
      'the ids do not depend on the first day',
    );
  },
);
