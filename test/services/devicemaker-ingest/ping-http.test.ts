import t from 'tap';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { createUser, joinApi } from '../../support/api.ts';
import { json, startCallbackServer } from '../../support/callback-server.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const provider = await startCallbackServer(t);
const api = await joinApi(t, {
  database: await freshDatabase(t),
  services: ['api-gateway', 'auth', 'users', 'timeseries', 'devicemaker-ingest'],
  settings: { DEVICEMAKER_API_URL: `${provider.origin}/wellness-api/rest`, DEVICEMAKER_CLIENT_ID: 'client' },
});
const path = '/api/v1/webhooks/devicemaker/ping';
const headers = { 'garmin-client-id': 'client' };
const user = await createUser(api);
await api.expect(201, `/users/${user}/connections`, {
  method: 'POST',
  body: { provider: 'devicemaker', provider_user_id: 'account' },
});

const pingItem = (type: string) => ({
  userId: 'account',
  callbackURL: `${provider.origin}/wellness-api/rest/${type}?uploadStartTimeInSeconds=1&uploadEndTimeInSeconds=2&token=t`,
});

t.test('a ping is answered with the fetched counts, and its data is readable', async (t) => {
  provider.answer((req, res) =>
    json(req.url?.includes('/dailies?') ? [daily('account', 1)] : [activity('account')])(req, res),
  );
  const body = { activities: [pingItem('activities')], dailies: [pingItem('dailies')] };
  const answer = await api.ask(path, { method: 'POST', headers, body });
  t.equal(answer.status, 200);
  t.same(answer.body, {
    processed: 1,
    total: { processed: 2, fetched: 2, saved: 2 },
    placeholders: 0,
    errors: [],
    activities: [
      { garmin_user_id: 'account', internal_user_id: user, activities_count: 1, status: 'fetched' },
    ],
    wellness: {
      dailies: {
        processed: 1,
        saved: 1,
        errors: [],
        items: [{ garmin_user_id: 'account', internal_user_id: user, type: 'dailies', fetched: 1, saved: 1 }],
        new_success_users: [],
      },
    },
    backfill_chained: [],
  });
  t.same(Object.keys(JSON.parse(answer.text)), [
    'processed',
    'total',
    'placeholders',
    'errors',
    'activities',
    'wellness',
    'backfill_chained',
  ]);
  const range = 'start_date=2025-06-01&end_date=2025-06-05';
  t.match(await api.expect(200, `/users/${user}/events/workouts?${range}`), {
    data: [{ name: 'Evening run' }],
  });
  t.match(
    await api.expect(
      200,
      `/users/${user}/timeseries?types=heart_rate&start_time=2025-06-02&end_time=2025-06-03`,
    ),
    {
      pagination: { total_count: 240 },
    },
  );
});

t.test('a failing provider does not fail the ping', async (t) => {
  provider.answer((_req, res) => void res.writeHead(500).end('a secret of theirs'));
  const answer = await api.ask(path, { method: 'POST', headers, body: { sleeps: [pingItem('sleeps')] } });
  t.equal(answer.status, 200);
  t.match(answer.body, {
    wellness: { sleeps: { processed: 0, errors: [/answered 500; it is tried again$/] } },
  });
  t.notMatch(answer.text, /secret|token/);
});
