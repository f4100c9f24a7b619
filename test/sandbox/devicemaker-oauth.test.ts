import t from 'tap';
import { dataTypes } from '../../sandbox/devicemaker/payloads.ts';
import {
  allPermissions,
  ask,
  authorization,
  connectDevice,
  decide,
  devicemakerOf,
  redirectUri,
  startApplication,
  token,
} from './application.ts';

const hourMs = 3_600_000;
const grant = { grant_type: 'authorization_code', redirect_uri: redirectUri };

/** The fields of a token request; one that is null is left out. */
function sent(fields: Readonly<Record<string, string | null>>): Record<string, string> {
  const given = Object.entries({ ...grant, ...fields });
  return Object.fromEntries(given.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

async function allow(sandbox: Parameters<typeof authorization>[0], changes = {}) {
  const { verifier, query } = authorization(sandbox, changes);
  for (const permission of allPermissions) query.append('permission', permission);
  query.set('person', '1');
  query.set('decision', 'allow');
  const back = await decide(devicemakerOf(sandbox).authorize_url, query);
  return { verifier, back, code: back?.searchParams.get('code') ?? '' };
}

t.test('the consent page lists all users and refuses unknown applications', async (t) => {
  const { sandbox } = await startApplication(t);
  const { authorize_url } = devicemakerOf(sandbox);
  const page = async (changes = {}) => {
    const answer = await fetch(`${authorize_url}?${authorization(sandbox, changes).query}`, {
      redirect: 'manual',
    });
    return { status: answer.status, text: await answer.text(), location: answer.headers.get('location') };
  };
  const shown = await page();
  t.equal(shown.status, 200);
  for (const title of ['Weekday Runner', 'Half-Day Wearer', 'Twice-Connected Swimmer', 'Somebody new'])
    t.match(shown.text, title);
  const [first = ''] = /<input type="radio".*/.exec(shown.text) ?? [];
  t.match(first, / checked> Somebody new</, 'the account that no user has yet is chosen first');
  const marked = await page({ state: '"><script>x</script>' });
  t.notMatch(marked.text, '<script>');
  for (const changes of [
    { client_id: 'other' },
    { redirect_uri: 'https://evil.example/back' },
    { redirect_uri: null },
  ]) {
    const { status, location } = await page(changes);
    t.same({ status, location }, { status: 400, location: null }, JSON.stringify(changes));
  }
  for (const changes of [
    { code_challenge: null },
    { code_challenge_method: 'plain' },
    { response_type: 'token' },
  ]) {
    const back = new URL((await page(changes)).location ?? '');
    t.equal(back.searchParams.get('error'), 'invalid_request', JSON.stringify(changes));
    t.equal(back.searchParams.get('state'), 'the-state');
  }
});

t.test('a denial redirects with the state and without a code', async (t) => {
  const { sandbox } = await startApplication(t);
  const { query } = authorization(sandbox);
  query.set('decision', 'deny');
  const back = await decide(devicemakerOf(sandbox).authorize_url, query);
  t.equal(back?.href, `${redirectUri}?error=access_denied&state=the-state`);
});

t.test('a code is valid once, for ten minutes, for its application, redirect and verifier', async (t) => {
  const { sandbox } = await startApplication(t);
  const devicemaker = devicemakerOf(sandbox);
  const exchange = async (fields: Record<string, string | null>, client = devicemaker) => {
    const { status, body } = await token(devicemaker.token_url, client, sent(fields));
    return [status, Reflect.get(Object(body), 'error') ?? null];
  };
  const first = await allow(sandbox);
  const fields = { code: first.code, code_verifier: first.verifier };
  t.same(await exchange(fields, { ...devicemaker, client_secret: 'wrong' }), [401, 'invalid_client']);
  t.same(await exchange(fields), [200, null]);
  t.same(await exchange(fields), [400, 'invalid_grant'], 'replayed');
  for (const change of [
    { code_verifier: authorization(sandbox).verifier },
    { code_verifier: '' },
    { code_verifier: null },
    { redirect_uri: `${redirectUri}/other` },
    { code: 'made-up' },
  ]) {
    const next = await allow(sandbox);
    const given = { code: next.code, code_verifier: next.verifier };
    t.same(await exchange({ ...given, ...change }), [400, 'invalid_grant'], Object.keys(change).join());
    t.same(await exchange(given), 'code' in change ? [200, null] : [400, 'invalid_grant'], 'one try each');
  }
  const late = await allow(sandbox);
  await sandbox.advance(10 * 60_000);
  t.same(await exchange({ code: late.code, code_verifier: late.verifier }), [400, 'invalid_grant']);
  t.same(await exchange({ grant_type: 'password' }), [400, 'unsupported_grant_type']);
});

t.test(
  'an access token is valid for a day; a refresh returns a new pair and revokes the old one',
  async (t) => {
    const { sandbox } = await startApplication(t, { application: { types_off: [...dataTypes] } });
    const devicemaker = devicemakerOf(sandbox);
    const tokens = await connectDevice(sandbox);
    const id = (access: string) => ask(`${devicemaker.api_url}/user/id`, access);
    const refresh = (refresh_token: string) =>
      token(devicemaker.token_url, devicemaker, { grant_type: 'refresh_token', refresh_token });
    t.equal((await id(tokens.access_token)).status, 200);
    await sandbox.advance(24 * hourMs - 1000);
    t.equal((await id(tokens.access_token)).status, 200);
    await sandbox.advance(1000);
    t.equal((await id(tokens.access_token)).status, 401);
    const fresh = await refresh(tokens.refresh_token);
    t.match(fresh.body, { expires_in: 86_400, refresh_token_expires_in: 90 * 86_400, token_type: 'bearer' });
    t.equal((await refresh(tokens.refresh_token)).status, 400, 'used up');
    const { access_token, refresh_token } = Object(fresh.body);
    t.equal((await id(access_token)).status, 200);
    t.not(refresh_token, tokens.refresh_token);
    await sandbox.advance(90 * 24 * hourMs);
    t.equal((await refresh(refresh_token)).status, 400, 'after 90 days');
  },
);

t.test('a refresh revokes the access token of the old pair too', async (t) => {
  const { sandbox } = await startApplication(t);
  const devicemaker = devicemakerOf(sandbox);
  const { access_token, refresh_token } = await connectDevice(sandbox);
  await token(devicemaker.token_url, devicemaker, { grant_type: 'refresh_token', refresh_token });
  t.equal((await ask(`${devicemaker.api_url}/user/id`, access_token)).status, 401);
});

t.test('accounts have stable, distinct ids; permissions are those that were ticked', async (t) => {
  const { sandbox } = await startApplication(t);
  const { api_url } = devicemakerOf(sandbox);
  const one = await connectDevice(sandbox, 1, ['ACTIVITY_EXPORT']);
  const again = await connectDevice(sandbox, 1, ['HEALTH_EXPORT', 'EVERYTHING']);
  const other = await connectDevice(sandbox, 2);
  const id = async (access: string) => (await ask(`${api_url}/user/id`, access)).body;
  t.same(await id(one.access_token), await id(again.access_token));
  t.notSame(await id(one.access_token), await id(other.access_token));
  t.same((await ask(`${api_url}/user/permissions`, again.access_token)).body, ['HEALTH_EXPORT']);
  t.equal((await ask(`${api_url}/user/id`, 'made-up')).status, 401);
});

t.test('each new user is a different one', async (t) => {
  const { sandbox } = await startApplication(t);
  const { authorize_url } = devicemakerOf(sandbox);
  for (const _ of [1, 2]) {
    const { query } = authorization(sandbox);
    for (const [name, value] of [
      ['person', 'new'],
      ['decision', 'allow'],
    ] as const)
      query.set(name, value);
    t.ok((await decide(authorize_url, query))?.searchParams.has('code'));
  }
  const people: unknown = await (await fetch(`${sandbox.access.url}/people`)).json();
  t.match(people, { length: 8 });
  t.match(people, { 6: { title: 'Weekday Runner 2' }, 7: { title: 'Night-Shift Cyclist 2' } });
});
