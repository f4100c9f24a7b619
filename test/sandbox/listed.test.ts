import t from 'tap';
import { z } from 'zod';
import { isKept } from '../../domain/provider/field-table.ts';
import type { Provider } from '../../domain/provider/provider.ts';
import { pullOf } from '../../providers/all.ts';
import { noWebhooks, settingNamesOfPolled } from '../../providers/listed.ts';
import { whoop } from '../../providers/whoop/provider.ts';
import { collections } from '../../providers/whoop/records.ts';
import { listedTwin } from '../../sandbox/listed/twin.ts';
import { listedFixtures } from '../fixtures/listed.ts';
import { connectListed, startApplication, startMs, token } from './application.ts';
import { ask, connect, days, person, readsWhatIsListed, Tokens } from './listed-reads.ts';

const dayMs = 86_400_000;

for (const { name, unlisted } of listedFixtures)
  t.test(`what ${name} lists is what its description reads, and what the ledger expects`, (t) =>
    readsWhatIsListed(t, { name, unlisted }),
  );

t.test('an answer over a limit is one that the description waits for', async (t) => {
  const { sandbox } = await startApplication(t);
  const access = await connect(sandbox, 'whoop');
  const { probe, failure } = pullOf('whoop');
  const kinds: (string | undefined)[] = [];
  for (let request = 0; request <= 120; request++)
    kinds.push(failure(await ask(access, probe), startMs)?.kind);
  t.same(kinds, [...Array.from({ length: 120 }, () => undefined), 'limited']);
});

t.test('a request that is not as the description says is refused', async (t) => {
  const { sandbox } = await startApplication(t);
  const access = await connect(sandbox, 'suunto');
  const { probe, failure } = pullOf('suunto');
  t.equal(failure(await ask(access, probe, true), startMs)?.reason, 'SUBSCRIPTION_KEY_REFUSED');
  t.equal((await ask({ ...access, accessToken: 'another' }, probe)).status, 401);
  const long = { from: String(startMs - 29 * dayMs), to: String(startMs) };
  t.equal((await ask(access, { path: '/247samples/activity', query: long })).status, 400);
  t.equal((await ask(access, { path: '/v3/workouts/unknown' })).status, 404);
  const { SUUNTO_TOKEN_URL = '', SUUNTO_CLIENT_ID = '', SUUNTO_CLIENT_SECRET = '' } = sandbox.access.settings;
  const client = { client_id: SUUNTO_CLIENT_ID, client_secret: SUUNTO_CLIENT_SECRET };
  const fields = { grant_type: 'refresh_token', refresh_token: 'unknown' };
  t.equal((await token(SUUNTO_TOKEN_URL, client, fields, 'form')).status, 401);
  t.equal((await token(SUUNTO_TOKEN_URL, client, fields, 'basic')).status, 400);
});

t.test('a record at a path of its own has the lists that its list does not show', async (t) => {
  const { sandbox } = await startApplication(t);
  const access = await connect(sandbox, 'suunto');
  const Listed = z.object({ payload: z.array(z.looseObject({ workoutKey: z.string() })) });
  const query = { since: String(startMs - days * dayMs) };
  const { text } = await ask(access, { path: '/v3/workouts/', query });
  const [listed] = Listed.parse(JSON.parse(text)).payload;
  const own = await ask(access, { path: `/v3/workouts/${listed?.workoutKey ?? ''}` });
  t.notOk(listed?.extensions);
  t.match(JSON.parse(own.text), { payload: { ...listed, extensions: [{}] } });
});

t.test('a scope that was not granted withholds its lists', async (t) => {
  const { sandbox } = await startApplication(t);
  const { body } = await connectListed(sandbox, { name: 'whoop', scope: 'read:sleep', person });
  const access = { sandbox, name: 'whoop', accessToken: Tokens.parse(body).access_token } as const;
  const path = '/v2/activity/workout';
  t.equal(pullOf('whoop').failure(await ask(access, { path }), startMs)?.kind, 'withheld');
  t.equal((await ask(access, { path: '/v2/user/access', method: 'DELETE' })).status, 204);
  t.equal((await ask(access, pullOf('whoop').probe)).status, 401, 'after our access was ended');
});

t.test('a provider without notifications is played without an address for them', async (t) => {
  const secret = 'a_secret-of-the-tests-with-32-characters';
  const withoutEvent = {
    name: 'other',
    collections,
    hasAccount: () => false,
    account: (id: string) => ({ user_id: Number(id) }),
  };
  const provider: Provider = {
    ...whoop,
    names: settingNamesOfPolled('WHOOP'),
    webhooks: noWebhooks,
    pull: { ...whoop.pull, notifications: null },
  };
  const requests: string[] = [];
  const request = async (url: string) => {
    requests.push(url);
    return new Response();
  };
  const access = { url: 'http://sandbox', settings: {} };
  await listedTwin({ ...withoutEvent, provider }).pointAt({ access, webhooks: 'http://us', secret, request });
  t.same(requests, []);
  t.throws(() => listedTwin({ ...withoutEvent, provider, event: () => null }), /notifications/);
  t.throws(() => listedTwin({ ...withoutEvent, provider: whoop }), /notifications/);
});

t.test('what cannot be played is named', async (t) => {
  const twin = {
    ...{ name: 'other', provider: whoop, collections, hasAccount: () => false },
    account: (id: string) => ({ user_id: Number(id) }),
    event: () => null,
  };
  t.doesNotThrow(() => listedTwin(twin));
  const { workout } = collections;
  const { sport_name } = workout.fields;
  if (sport_name === undefined || !isKept(sport_name)) throw new Error('there is no sport');
  const fields = { ...workout.fields, sport_name: { ...sport_name, read: String } };
  const wrong = [
    [{ account: () => ({ user: 'nobody' }) }, /its account is read as null/],
    [{ event: () => ({ type: 'sleep.updated' }) }, /its notification of workout does not name/],
    [{ kinds: { swim: {} } }, /it has no swim/],
    [{ collections: { workout: { ...workout, fields } } }, /workout sport_name has a reader and no example/],
  ] as const;
  for (const [change, message] of wrong) t.throws(() => listedTwin({ ...twin, ...change }), { message });
});
