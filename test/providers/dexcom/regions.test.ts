import t from 'tap';
import { z } from 'zod';
import { loadConfig } from '../../../config.ts';
import { chosenRegion, isConfigured, offeredRegions } from '../../../runtime/provider-settings.ts';
import { clientOf } from '../../../services/connect/rules/clients.ts';
import { passQuarters } from '../../conformance/plays.ts';
import { consent, newUser, simulationOf, startProduct } from '../../conformance/product.ts';
import { sweep, untilFound } from '../../conformance/providers/pulled.ts';
import { connectTo } from '../../conformance/providers/simulated.ts';
import type { Account } from '../../conformance/scenarios.ts';
import { servedCounts } from '../../conformance/served.ts';
import { connectionsOf } from '../../support/connect.ts';
import { agree, formOf, leadsTo, sessionFor, visitor } from '../../support/connect-page.ts';

const product = await startProduct(t);
const { api, sandbox } = product;
/** Two users with the same kind of account. */
const [ofEurope, ofUs] = [1, 7];
const base = `${sandbox.access.url}/dexcom`;
const Link = z.object({ authorization_url: z.string() });

const linkTo = async (query: string) => {
  const path = `/connect/dexcom/authorize?user_id=${await newUser(product)}${query}`;
  return Link.parse(await api.expect(200, path)).authorization_url.split('?')[0];
};
const shown = async ({ userId }: Pick<Account, 'userId'>) => {
  const [connection] = await connectionsOf(api, userId);
  return [connection?.status, connection?.region];
};
/** The number of values that were read of an account since it was connected. */
async function read(account: Account): Promise<number> {
  await passQuarters(product, 8);
  await sweep(product);
  const { blood_glucose = 0 } = await servedCounts(product, account.userId, account.fromMs, [
    'blood_glucose',
  ]);
  return blood_glucose;
}
/** The newest tokens of an account at the provider. */
function tokensAt(person: number) {
  const holder = simulationOf(product, 'dexcom').tokenHolders()[person];
  const grant = holder?.grants.at(-1);
  if (grant === undefined) throw new Error('the account has no tokens');
  return grant;
}

t.test('a region leads to its own addresses, and only those that are listed are taken', async (t) => {
  t.equal(await linkTo('&region=eu'), `${base}/eu/v2/oauth2/login`);
  t.equal(await linkTo('&region=jp'), `${base}/jp/v2/oauth2/login`);
  t.equal(await linkTo('&region=us'), `${base}/v2/oauth2/login`);
  t.equal(await linkTo(''), `${base}/v2/oauth2/login`, 'the first one without a choice');
  const user_id = await newUser(product);
  const wrong = ['de', 'EU', 'toString', '__proto__', 'https://api.example', ' eu', ''];
  for (const region of wrong) {
    const query = new URLSearchParams({ user_id, region });
    const refused = await api.expect(422, `/connect/dexcom/authorize?${query}`);
    t.match(refused, { errors: [{ field: 'region' }] }, region);
  }
  await api.expect(422, `/connect/dexcom/authorize?user_id=${user_id}&region=us&region=eu`);
  const none = await api.expect(422, `/connect/polar/authorize?user_id=${user_id}&region=eu`);
  t.match(none, { errors: [{ field: 'region', message: /has no regions/ }] });
});

t.test('accounts of two regions are read, refreshed and backfilled at their own addresses', async (t) => {
  const accounts = [
    await connectTo(product, 'dexcom', ofEurope, [], 'eu'),
    await connectTo(product, 'dexcom', ofUs, [], 'us'),
  ];
  const counts = [];
  for (const account of accounts) {
    await untilFound(product, account.userId);
    counts.push(await read(account));
  }
  t.ok(
    counts.every((count) => count > 0),
    `${counts}`,
  );
  t.same(await Promise.all(accounts.map(shown)), [
    ['active', 'eu'],
    ['active', 'us'],
  ]);
  // The twin refuses a token, a refresh and a client of another region.
  const [token, , other] = [tokensAt(0).access_token, 0, tokensAt(1).access_token];
  const ask = async (path: string, bearer: string) =>
    (
      await fetch(`${base}${path}/v3/users/self/dataRange`, {
        headers: { authorization: `Bearer ${bearer}` },
      })
    ).status;
  t.same(
    [await ask('/eu', token), await ask('', token), await ask('', other), await ask('/eu', other)],
    [200, 401, 200, 401],
  );
  for (const holder of simulationOf(product, 'dexcom').tokenHolders())
    for (const grant of holder.grants) grant.access_ends_ms = 0;
  for (const account of accounts) t.ok((await read(account)) > 0, 'after a refresh');
  t.not(tokensAt(0).access_token, token, 'the token was refreshed');
  t.same(await Promise.all(accounts.map(shown)), [
    ['active', 'eu'],
    ['active', 'us'],
  ]);
  for (const { userId } of accounts) {
    const path = `/users/${userId}/connections/dexcom/backfill`;
    await api.expect(202, path, { method: 'POST', body: { days: 2 } });
    await sweep(product);
    t.match(await api.expect(200, path), { status: 'done' });
  }
});

t.test('an import names the region, whose addresses alone its tokens are sent to', async (t) => {
  const imported = async (region: string) => {
    const userId = await newUser(product);
    const { access_token } = tokensAt(0);
    const body = { provider: 'dexcom', provider_user_id: 'x', access_token, region };
    t.match(await api.expect(201, `/users/${userId}/connections`, { body }), { region });
    await untilFound(product, userId);
    await sweep(product);
    return shown({ userId });
  };
  t.same(await imported('eu'), ['active', 'eu']);
  t.same(await imported('us'), ['expired', 'us'], 'a token of another region');
  const body = { provider: 'dexcom', provider_user_id: 'x', region: 'mars' };
  const path = `/users/${await newUser(product)}/connections`;
  t.match(await api.expect(422, path, { body }), { errors: [{ field: 'region' }] });
  t.match(await api.expect(201, path, { body: { ...body, region: undefined } }), { region: 'us' });
  const polar = { provider: 'polar', provider_user_id: 'x' };
  t.match(await api.expect(422, path, { body: { ...polar, region: 'us' } }), {
    errors: [{ field: 'region' }],
  });
  t.match(await api.expect(201, path, { body: polar }), { region: null });
});

t.test('an account of another region is another account, whatever its id', async (t) => {
  const userId = await newUser(product);
  const choice = { userId, provider: 'dexcom', person: 13, without: [] };
  const state = async () => {
    const { id } = await api.call('users.connection', { user_id: userId, provider: 'dexcom' });
    const { connected_at, region } = await api.call('users.tokens', { user_id: userId, provider: 'dexcom' });
    return { id, connected_at, region };
  };
  t.equal(await consent(product, { ...choice, region: 'eu' }), 'connected');
  const first = await state();
  t.equal(await consent(product, { ...choice, region: 'eu' }), 'connected');
  t.same(await state(), first, 'the same account again');
  t.equal(await consent(product, { ...choice, region: 'us' }), 'connected');
  const moved = await state();
  t.match(moved, { id: first.id, region: 'us' });
  t.not(moved.connected_at, first.connected_at);
  await untilFound(product, userId);
  await sweep(product);
  t.same(await shown({ userId }), ['active', 'us'], 'its tokens are used in the region that issued them');
});

t.test('the connect page asks for the region', async (t) => {
  const userId = await newUser(product);
  const { url } = await sessionFor(api, userId, { providers: ['dexcom'] });
  // The links are those of the forwarder before the gateway.
  const browser = visitor({ ask: api.ask, url });
  const page = await browser.open(url);
  const options = [...page.text.matchAll(/<option value="(\w*)"( selected)?>([^<]+)/g)];
  t.same(
    options.map(([, value, selected, text]) => [value, text, selected ?? '']),
    [
      ['', 'Please choose', ''],
      ['us', 'United States', ''],
      ['jp', 'Japan', ''],
      ['eu', 'Another country', ''],
    ],
  );
  const at = `${page.url}/dexcom`;
  t.equal((await agree(browser, at, formOf(page), { region: '' })).status, 403, 'no choice');
  t.equal((await agree(browser, at, formOf(page))).status, 422, 'a page that did not ask');
  t.equal((await agree(browser, at, formOf(page), { region: 'mars' })).status, 422, 'an unknown region');
  const leaving = await agree(browser, at, formOf(page), { region: 'eu' });
  t.equal(leadsTo(leaving).split('?')[0], `${base}/eu/v2/oauth2/login`);
  await api.expect(201, `/users/${userId}/connections`, {
    body: { provider: 'dexcom', provider_user_id: 'x', region: 'jp' },
  });
  const again = await browser.open(at);
  t.match(again.text, '<option value="jp" selected>', 'that of the connection is chosen');
  const others = await browser.open((await sessionFor(api, userId, { providers: ['polar'] })).url);
  t.notMatch(others.text, '<select', 'a provider without regions');
});

t.test('a region without a client is not offered, and the setting that is missing is named', async (t) => {
  const config = loadConfig({
    DEXCOM_EU_CLIENT_ID: 'a',
    DEXCOM_EU_CLIENT_SECRET: 'b',
    DEXCOM_JP_CLIENT_ID: 'c',
  });
  t.ok(isConfigured(config, 'dexcom'));
  t.same(offeredRegions(config, 'dexcom', false), ['eu']);
  t.same(offeredRegions(config, 'dexcom', true), ['us', 'jp', 'eu'], 'a project has a client of its own');
  t.equal(chosenRegion(config, 'dexcom', undefined, false), 'eu', 'the first that is offered');
  t.match(clientOf(config, 'dexcom', 'eu'), {
    apiUrl: 'https://api.dexcom.eu',
    clientId: 'a',
    clientSecret: 'b',
  });
  t.throws(() => clientOf(config, 'dexcom', 'jp'), /: DEXCOM_JP_CLIENT_SECRET is not set/);
  t.throws(() => clientOf(config, 'dexcom', 'us'), /: DEXCOM_CLIENT_ID and DEXCOM_CLIENT_SECRET are not set/);
  t.throws(() => clientOf(config, 'dexcom', 'gone'), /no region/, 'a region that the provider no longer has');
});
