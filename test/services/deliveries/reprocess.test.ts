import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { Reprocess } from '../../../contracts/deliveries/reprocess.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { normaliserVersionOf } from '../../../providers/all.ts';
import { dataTypeOf } from '../../../providers/devicemaker/data-types.ts';
import type { Normaliser } from '../../../providers/devicemaker/normalise/item.ts';
import { systemOrigin } from '../../../runtime/audit-origin.ts';
import { startRun } from '../../../services/deliveries/actions/reprocess.ts';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { sleep as night } from '../../fixtures/devicemaker/sleeps.ts';
import { type Ask, createWearer, push, startApi } from '../../support/api.ts';
import { json, startCallbackServer } from '../../support/callback-server.ts';
import { storedOf } from '../timeseries/stored-of-user.ts';

const provider = await startCallbackServer(t);
const api = await startApi(t, { DEVICEMAKER_API_URL: `${provider.origin}/wellness-api/rest` });
const { database } = api;
const path = '/deliveries/reprocess';

t.beforeEach(() => database.query('truncate deliveries.delivery, deliveries.reprocess_run cascade'));

async function asked(status: number, of: string, given: Ask = {}): Promise<unknown> {
  const answer = await api.ask(`/api/v1${of}`, { token: api.developerToken, ...given });
  if (answer.status !== status) throw new Error(`${of}: ${answer.status}: ${answer.text}`);
  return answer.body;
}

const ask = (status: number, body: object) =>
  asked(status, path, { body: { provider: 'devicemaker', ...body } });
const start = async (body: object = {}) => Reprocess.parse(await ask(202, body));
const read = async (id: string) => Reprocess.parse(await asked(200, `/reprocess-runs/${id}`));

async function ended({ id }: Reprocess): Promise<Reprocess> {
  for (;;) {
    const run = await read(id);
    if (run.status !== 'running') return run;
    await sleep(50);
  }
}

/** Days get steps of another unit, and heart rates are doubled, while `work` runs. */
async function withFault<T>(work: () => Promise<T>): Promise<T> {
  const type = dataTypeOf('dailies');
  if (type === undefined) throw new Error('there is no such type');
  const { normalise } = type;
  const faulty: Normaliser = (item, nowMs) => {
    const made = normalise(item, nowMs);
    if (!made.ok || made.item.day === null) return made;
    const samples = made.item.samples.map((block) => ({
      ...block,
      values: block.values.map((value) => 2 * value),
    }));
    return { ...made, item: { ...made.item, samples, day: { ...made.item.day, steps: 1 } } };
  };
  Object.assign(type, { normalise: faulty });
  try {
    return await work();
  } finally {
    Object.assign(type, { normalise });
  }
}

const body = (account: string) => ({
  dailies: [daily(account, 1), daily(account, 2)],
  sleeps: [night(account)],
  activities: [activity(account)],
});

t.test(
  'a faulty mapping is repaired: the rows equal those of a fresh store, and others are untouched',
  async (t) => {
    const [faulty, fresh, other] = [
      await createWearer(api),
      await createWearer(api),
      await createWearer(api),
    ];
    await withFault(() => push(api, body(faulty.account)));
    await push(api, { dailies: [daily(other.account, 3)] });
    const untouched = () =>
      database.query('select * from timeseries.provider_day where user_id = $1', [other.userId]);
    const day = await untouched();

    const run = await ended(await start());
    t.match(run, { deliveries: { total: 2, done: 2, failed: 0 }, status: 'done' });
    t.equal(run.normaliser_version, normaliserVersionOf('devicemaker'));
    await push(api, body(fresh.account));
    t.same(await storedOf(database, faulty.userId), await storedOf(database, fresh.userId));
    t.same(await untouched(), day);
  },
);

t.test('only deliveries of the wanted time are processed, and what a ping fetched as well', async (t) => {
  const [pinged, fresh] = [await createWearer(api), await createWearer(api)];
  provider.answer(json([daily(pinged.account, 1), daily(pinged.account, 2)]));
  const callbackURL = `${provider.origin}/wellness-api/rest/dailies?token=${randomUUID()}`;
  await withFault(() =>
    api.expect(200, '/webhooks/devicemaker/ping', {
      body: { dailies: [{ userId: pinged.account, callbackURL }] },
      headers: { 'garmin-client-id': 'tests' },
    }),
  );
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  t.match(await ended(await start({ from: tomorrow })), { deliveries: { total: 0, done: 0 } });
  t.match(await ended(await start()), { deliveries: { total: 1, done: 1, failed: 0 } });
  await push(api, { dailies: [daily(fresh.account, 1), daily(fresh.account, 2)] });
  t.same(await storedOf(database, pinged.userId), await storedOf(database, fresh.userId));
});

t.test('the same request runs once; a cancelled run stops', async (t) => {
  const { account } = await createWearer(api);
  for (let hours = 1; hours <= 5; hours += 1) await push(api, { dailies: [daily(account, hours)] });
  const runs = await Promise.all([start(), start(), start()]);
  t.equal(new Set(runs.map(({ id }) => id)).size, 1);
  const [run] = runs;
  const cancelled = await asked(200, `/reprocess-runs/${run.id}`, { method: 'DELETE' });
  t.match(cancelled, { status: /cancelled|done/ });
  t.match(await read(run.id), { status: /cancelled|done/ });
  t.equal((await ended(await start())).status, 'done');
});

t.test('a request whose run ends at that moment starts another one', async (t) => {
  // The table says that the request is running, and the run has ended when it is read.
  let refusals = 0;
  const ending: Database = {
    ...database,
    transaction: (work) =>
      database.transaction((transaction) =>
        work({
          async query(statement, values) {
            const isInsert =
              typeof statement !== 'string' && statement.name === 'deliveries.insert_reprocess_run';
            if (!isInsert || refusals > 0) return transaction.query(statement, values);
            refusals += 1;
            return [];
          },
        }),
      ),
  };
  const asked = { provider: 'devicemaker' } as const;
  t.match(await startRun(ending, systemOrigin('test'), asked), {
    status: 'running',
    provider: 'devicemaker',
  });
  t.equal(refusals, 1);
  t.equal((await database.query('select from deliveries.reprocess_run')).length, 1);
});

t.test('data of an erased user and of a later connection is not stored', async (t) => {
  const [erased, late] = [await createWearer(api), randomUUID()];
  await push(api, { dailies: [daily(erased.account, 1), daily(late, 1)] });
  await api.expect(200, `/users/${erased.userId}`, { method: 'DELETE' });
  const { userId } = await createWearer(api, late);
  const run = await ended(await start());
  t.match(run.deliveries, { failed: 0 });
  t.same((await storedOf(database, userId)).provider_day, []);
  t.same((await storedOf(database, erased.userId)).provider_day, []);
});

/** A walk to the north of a minute, in steps of some 55 m. */
function walk(account: string, latitude: number) {
  const startTimeInSeconds = 1_748_960_000;
  const samples = Array.from({ length: 60 }, (_, second) => ({
    startTimeInSeconds: startTimeInSeconds + second,
    latitudeInDegree: latitude + second * 0.0005,
    longitudeInDegree: 13.4,
  }));
  const summary = { activityType: 'WALKING', startTimeInSeconds, durationInSeconds: 60 };
  const fields = { startTimeOffsetInSeconds: 0, distanceInMeters: 3300 };
  return {
    ...{ userId: account, summaryId: `${account}-detail`, activityId: latitude },
    ...{ summary: { ...summary, ...fields }, samples },
  };
}

t.test('the route of each user in a delivery is cut by the zones of that user', async (t) => {
  const walkers: { userId: string; account: string; latitude: number }[] = [];
  for (const latitude of [10, 20]) {
    const { userId, account } = await createWearer(api);
    const zone = { latitude, longitude: 13.4, radius_meters: 500 };
    await api.expect(200, `/users/${userId}/route-privacy`, {
      method: 'PATCH',
      body: { privacy_zones: [zone] },
    });
    walkers.push({ userId, account, latitude });
  }
  await push(api, { activityDetails: walkers.map(({ account, latitude }) => walk(account, latitude)) });
  const routes = () =>
    database.query(
      `select user_id, located, latitude, longitude, hash from timeseries.workout_track
       where user_id = any($1) order by user_id, chunk`,
      [walkers.map(({ userId }) => userId)],
    );
  const stored = await routes();
  t.same(
    stored.map(({ located }) => located),
    [51, 51],
  );
  const run = await ended(await start());
  t.match(run.deliveries, { done: 1, failed: 0 });
  t.same(await routes(), stored);
});

t.test('a kept delivery changes no connection and no permission again', async (t) => {
  const { userId, account } = await createWearer(api);
  const permissions = (names: readonly string[]) => ({ userId: account, permissions: names });
  await push(api, { userPermissionsChange: [permissions(['ONE'])] });
  await push(api, { deregistrations: [{ userId: account }] });
  await api.expect(201, `/users/${userId}/connections`, {
    body: { provider: 'devicemaker', provider_user_id: account, scope: ['TWO'] },
  });
  await database.query("update users.connection set connected_at = connected_at - interval '1 hour'");
  t.match(await ended(await start()), { deliveries: { done: 2, failed: 0 } });
  t.match(await api.expect(200, `/users/${userId}/connections`), [{ status: 'active', scope: ['TWO'] }]);
});

t.test('requests that cannot run are refused', async (t) => {
  t.match(await ask(409, { provider: 'activitynet' }), { detail: /contain no data/ });
  await asked(404, `/reprocess-runs/${randomUUID()}`);
  await api.expect(403, path, { body: { provider: 'devicemaker' } });
});
