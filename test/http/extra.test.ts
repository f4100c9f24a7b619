import nock from 'nock';
import t from 'tap';
import { bareItem, type StoreItem } from '../../domain/records/records.ts';
import { normaliseActivity } from '../../providers/activitynet/normalise/activity.ts';
import type { ProviderName } from '../../providers/all.ts';
import { dataTypeOf } from '../../providers/devicemaker/data-types.ts';
import { run } from '../fixtures/activitynet/activities.ts';
import { smallItem } from '../fixtures/devicemaker/changed-fields.ts';
import { typesNowMs, typesRange } from '../fixtures/devicemaker/types.ts';
import { event } from '../services/activitynet-ingest/setting.ts';
import { createUser, startApi } from '../support/api.ts';
import { mockRequests } from '../support/mocked-requests.ts';
import { until } from '../support/until.ts';

const platform = 'http://platform.example';
mockRequests(t);
const settings = {
  ACTIVITYNET_API_URL: platform,
  ACTIVITYNET_CLIENT_SECRET: '',
  SANDBOX: 'off',
  BACKFILL_ON_CONNECT: 'false',
};
const api = await startApi(t, settings);
const user_id = await createUser(api);
const athlete = await createUser(api);
const owner = 134_815;
const connection = { provider: 'activitynet', provider_user_id: String(owner), access_token: 'x' };
await api.expect(201, `/users/${athlete}/connections`, { body: connection });
const nowMs = Date.parse('2026-05-01T00:00:00Z');
const position = { latitude: 52.520_008, polyline: 'SECRET', embed_token: 'SECRET' };

function itemOf(type: string, more: object): StoreItem {
  const made = dataTypeOf(type)?.normalise(
    { ...smallItem(type, 'account'), ...position, ...more },
    typesNowMs,
  );
  if (made?.ok !== true) throw new Error(`${type} was refused`);
  return made.item;
}

function activityOf(more: object): StoreItem {
  const made = normaliseActivity({ ...run('7'), ...position, ...more }, nowMs);
  if (made === null) throw new Error('the activity was refused');
  const { workout, extras, hash } = made;
  const item = { ...bareItem, data_type: 'activity', key: '7', hash, supersede: 'latest' as const };
  return { ...item, duration_seconds: workout.duration_seconds, workout, extras };
}

const store = (provider: ProviderName, items: StoreItem[]) =>
  api.call('timeseries.store', { user_id, provider, items });

async function read(path: string, of = user_id) {
  const { text } = await api.ask(`/api/v1/users/${of}/${path}`, { key: api.apiKey });
  t.notMatch(text, /SECRET|52\.52/, 'positions and tokens are not kept');
  return JSON.parse(text);
}

/** An activity as the platform has it: its event comes by webhook, its details and streams are fetched. */
async function fetched(details: { readonly id: number } & Record<string, unknown>): Promise<void> {
  // A fetch that is cut off on a busy machine, or by the turn of a quarter hour, is made again.
  const activities = nock(platform).persist();
  activities.get(`/activities/${details.id}`).query(true).reply(200, details);
  activities.get(`/activities/${details.id}/streams`).query(true).reply(404, {});
  const body = event({ owner_id: owner, object_id: details.id });
  await api.expect(200, '/webhooks/activitynet/webhook', { method: 'POST', body });
  await until(async () => (await read(april, athlete)).data.length > 0);
}

const april = 'events/workouts?start_date=2026-04-01&end_date=2026-04-30';

t.test('extra fields and details of workouts, nights and days are in the API', async (t) => {
  const gear = { gear: { id: 'g1', name: 'Shoe', distance: 400_000, latlng: [52.520_008, 13.4] } };
  await fetched({ ...run('7'), ...position, ...gear, suffer_score: 87, id: 7 });
  await store('devicemaker', [
    itemOf('sleeps', { totalNapDurationInSeconds: 1200 }),
    itemOf('stressDetails', {}),
  ]);
  const workouts = await read(april, athlete);
  const workout = await read(`events/workouts/${workouts.data[0].id}`, athlete);
  t.match(workout.details, { gear_name: 'Shoe', max_speed_meters_per_second: 4.9 });
  t.match(workout.extra, { suffer_score: 87, gear: { distance: 400_000 } });
  const dates = `start_date=${typesRange.start}&end_date=${typesRange.end}`;
  const [night] = (await read(`events/sleep?${dates}`)).data;
  t.match((await read(`events/sleep/${night.id}`)).extra, { totalNapDurationInSeconds: 1200 });
  t.match((await read(`days?${dates}`)).data, [
    { records: [{ extra: { bodyBatteryDynamicFeedbackEvent: { bodyBatteryLevel: 'HIGH' } } }] },
  ]);
});

t.test('the same extra fields again change nothing, and a field that is gone is removed', async (t) => {
  const changes = async () =>
    (
      await api.database.query<{ n: number }>(
        'select count(*)::int as n from changes.change where user_id = $1',
        [user_id],
      )
    )[0]?.n;
  const item = activityOf({ suffer_score: 87 });
  await store('activitynet', [item]);
  const before = await changes();
  t.equal((await store('activitynet', [item]))[0]?.status, 'duplicate');
  t.equal(await changes(), before);
  await store('activitynet', [activityOf({ device_watts: null })]);
  const [one] = (await read(april)).data;
  const { extra } = await read(`events/workouts/${one.id}`);
  t.notOk(Object.hasOwn(extra, 'suffer_score'));
});
