import t from 'tap';
import { z } from 'zod';
import { startApi } from '../../support/api.ts';
import { reportFolder, runMoveIn } from '../../support/move-in/run-move-in.ts';
import { sourceDatabase } from '../../support/move-in/source-database.ts';
import { addInstallation } from '../../support/move-in/source-rows.ts';

// What an application and a phone of Open Wearables send, with another address and no other change.

const api = await startApi(t, { DEVICEMAKER_CLIENT_ID: 'moved', DEVICEMAKER_CLIENT_SECRET: 'secret' });
const source = await sourceDatabase(t);
const { ada, bob, workout, key, token } = await addInstallation(source);
await runMoveIn({ api, source, folder: reportFolder(t) });

const ask = (path: string, method = 'GET') =>
  api.ask(`/api/v1${path}`, { method, headers: { 'X-Open-Wearables-API-Key': key } });
const range = 'start_date=2026-03-01&end_date=2026-03-03';
const Item = z.looseObject({ id: z.string(), source: z.object({ provider: z.string() }) });
const Page = z.object({ data: z.array(Item) });
const Connections = z.array(z.object({ provider: z.string() }));

t.test('its key reads users, connections and records by the names that it has', async (t) => {
  t.match(await ask('/users?search=Ada'), { status: 200, body: { items: [{ id: ada }], total: 1 } });
  t.match(await ask('/users?provider=garmin'), { status: 200, body: { items: [{ id: ada }] } });
  const connections = Connections.parse((await ask(`/users/${ada}/connections`)).body);
  t.same(connections.map(({ provider }) => provider).sort(), ['garmin', 'googlehealth', 'polar', 'strava']);
  const { data } = Page.parse((await ask(`/users/${ada}/events/workouts?${range}`)).body);
  t.same(
    data.filter(({ id }) => id === workout).map((item) => item.source.provider),
    ['garmin'],
  );
  t.match(await ask(`/users/${ada}/summaries/activity?${range}`), { status: 200 });
});

t.test('its link to a consent page is made at the path that it has', async (t) => {
  const link = await ask(`/oauth/garmin/authorize?user_id=${ada}`);
  t.match(link, { status: 200, body: { authorization_url: /client_id=moved/, state: String } });
});

t.test('its phone refreshes its token, uploads, and reads its own user', async (t) => {
  const refreshed = await api.ask('/api/v1/token/refresh', { body: { refresh_token: token } });
  const { access_token } = z.object({ access_token: z.string() }).parse(refreshed.body);
  const sync = { provider: 'apple', sdkVersion: '1.0', syncTimestamp: '2026-03-05T00:00:00Z', data: {} };
  const upload = (user: string) =>
    api.ask(`/api/v1/sdk/users/${user}/sync`, { body: sync, headers: { Authorization: access_token } });
  const statuses = [(await upload(ada)).status, (await upload(bob)).status].toSorted();
  t.same(statuses, [202, 403], 'of its own user only');
});
