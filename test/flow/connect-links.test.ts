import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { credentialsOf } from '../../domain/contract.ts';
import { jsonSchema, requiredOf } from '../../services/api-gateway/rules/components.ts';
import { endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { consentTo, playProvider } from '../services/connect/provider.ts';
import { type Answer, createUser, userToken } from '../support/api.ts';
import {
  appUrl,
  connectionsOf,
  followRedirect,
  landed,
  landedAt,
  linkFor,
  startConnect,
} from '../support/connect.ts';

const provider = await playProvider(t);
const api = await startConnect(t, provider.settings);

t.test('an unknown, missing or foreign state shows an error page and stores nothing', async (t) => {
  const userId = await createUser(api);
  const { authorization_url, state } = await linkFor(api, userId, 'devicemaker');
  const back = await consentTo(authorization_url);
  const code = back.searchParams.get('code') ?? '';
  const at = (name: string, query: Record<string, string>) =>
    followRedirect(api, new URL(`/api/v1/connect/${name}/callback?${new URLSearchParams(query)}`, api.url));
  const forged = `${state.slice(0, -2)}AA`;
  const bad: [string, Answer][] = [
    ['forged', await at('devicemaker', { code, state: forged })],
    ['foreign', await at('activitynet', { code, state })],
    ['none', await at('devicemaker', { code })],
    ['empty', await at('devicemaker', { code, state: '' })],
    ['too long', await at('devicemaker', { code, state: 'x'.repeat(4000) })],
    ['denied without a state', await at('devicemaker', { error: 'access_denied' })],
    ['a script', await at('devicemaker', { code, state: '<script>alert(1)</script>' })],
  ];
  for (const [what, { status, text, headers }] of bad) {
    t.equal(status, 400, what);
    t.match(headers.get('content-type'), 'text/html', what);
    t.match(text, /This link is not valid/, what);
    t.notMatch(text, /<script/, what);
  }
  const twice = await followRedirect(api, new URL(`${back.pathname}?state=a&state=b&code=c`, api.url));
  t.equal(twice.status, 400, 'a state twice');
  t.strictSame(await connectionsOf(api, userId), []);
  t.equal((await followRedirect(api, back)).status, 303, 'none of them used the state up');
  t.equal((await connectionsOf(api, userId)).length, 1);
});

t.test('a link expires after 15 minutes', async (t) => {
  const userId = await createUser(api);
  const { authorization_url } = await linkFor(api, userId, 'activitynet');
  const back = await consentTo(authorization_url);
  const older = (minutes: number) =>
    api.database.query(
      `update connect.attempt set expires_at = expires_at - $2 * interval '1 minute' where user_id = $1`,
      [userId, minutes],
    );
  await older(15.01);
  const exchanges = provider.count('POST', '/an/oauth/token');
  t.match(landed(await followRedirect(api, back)), { reason: 'link_expired', provider: 'activitynet' });
  t.equal(provider.count('POST', '/an/oauth/token'), exchanges, 'the code was shown to nobody');
  t.equal((await followRedirect(api, back)).status, 410);
  t.strictSame(await connectionsOf(api, userId), []);

  const second = await linkFor(api, userId, 'activitynet');
  await older(14.5);
  t.match(landed(await followRedirect(api, await consentTo(second.authorization_url))), { at: landedAt });
  t.equal((await connectionsOf(api, userId)).length, 1, 'half a minute before its end it works');
});

t.test('a user token creates links for its own user only', async (t) => {
  const [own, other] = [await createUser(api), await createUser(api)];
  const token = await userToken(api, own);
  const path = '/api/v1/connect/devicemaker/authorize';
  const status = async (query: string) => (await api.ask(`${path}?${query}`, { token })).status;
  t.equal(await status(`user_id=${own}`), 200);
  t.equal(await status(`user_id=${own.toUpperCase()}`), 200);
  t.equal(await status(`user_id=${other}`), 403);
  t.equal(await status(''), 403);
  t.equal(await status(`user_id=${own}&user_id=${other}`), 403);
  t.equal(await status(`user_id=${other}&user_id=${own}`), 403);
  t.equal(await status(`user_id[]=${own}`), 403);
  t.equal((await api.ask(`/api/v1/users/${other}/connections?user_id=${own}`, { token })).status, 403);
  t.equal((await api.ask(`${path}?user_id=${own}`)).status, 401);
  t.equal((await linkFor(api, own, 'devicemaker', appUrl, { token })).state.length, 43);
});

t.test('every route that a user token may call names the user', async (t) => {
  const offenders = endpoints.filter(({ route, definition }) => {
    const required = requiredOf(jsonSchema(definition.params));
    const isNamed = route.path.includes(':user_id') || required.includes('user_id');
    const isElsewhere = route.userInBody === true || route.userOf !== undefined;
    return credentialsOf(route).includes('sdk') && !isNamed && !isElsewhere;
  });
  t.strictSame(offenders, []);
});

t.test('each reason against a link has its own error', async (t) => {
  const userId = await createUser(api);
  const ask = (name: string, query: Record<string, string>) =>
    api.ask(`/api/v1/connect/${name}/authorize?${new URLSearchParams(query)}`, { key: api.apiKey });
  const field = async (name: string, query: Record<string, string>) => {
    const { status, body } = await ask(name, query);
    return [
      status,
      z.object({ errors: z.array(z.object({ field: z.string() })).optional() }).parse(body).errors?.[0]
        ?.field,
    ];
  };
  t.strictSame(await field('devicemaker', {}), [422, 'user_id']);
  t.strictSame(await field('devicemaker', { user_id: 'x' }), [422, 'user_id']);
  t.strictSame(await field('fitthing', { user_id: userId }), [422, 'provider']);
  for (const redirect_uri of [
    `${appUrl}&more=1`,
    'https://app.example/connected',
    'https://app.example.evil/',
    'https://other.example',
    '',
  ])
    t.strictSame(
      await field('devicemaker', { user_id: userId, redirect_uri }),
      [422, 'redirect_uri'],
      redirect_uri,
    );
  t.strictSame(await field('devicemaker', { user_id: randomUUID(), redirect_uri: appUrl }), [404, undefined]);
});

t.test('without a redirect_uri the browser shows a plain page', async (t) => {
  const userId = await createUser(api);
  const end = async (deny: boolean) => {
    const { authorization_url } = await linkFor(api, userId, 'devicemaker', null);
    const answer = await followRedirect(api, await consentTo(authorization_url, { deny }));
    t.equal(answer.status, 303);
    const url = new URL(answer.headers.get('location') ?? '');
    t.equal(url.origin + url.pathname, `${api.url}/api/v1/connect/devicemaker/result`);
    return followRedirect(api, url);
  };
  const denied = await end(true);
  t.equal(denied.status, 200);
  t.match(denied.text, /Not connected/);
  t.match(denied.text, /You did not allow access, so Garmin was not connected/);
  t.match((await end(false)).text, /<h1>Connected<\/h1>/);
  const made = await api.ask('/api/v1/connect/devicemaker/result?status=connected&reason=<script>', {});
  t.equal(made.status, 200);
  t.notMatch(made.text, /script/);
  t.equal((await api.ask('/api/v1/connect/devicemaker/result?status=odd', {})).status, 422);
  const page = await api.ask('/api/v1/connect/fitthing/callback', { headers: { accept: 'text/html' } });
  t.equal(page.status, 422);
  t.match(page.headers.get('content-type'), 'text/html', 'a failure is a page too');
});
