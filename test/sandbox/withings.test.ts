import { once } from 'node:events';
import { createServer } from 'node:http';
import t, { type Test } from 'tap';
import { z } from 'zod';
import type { Sandbox } from '../../sandbox/server/server.ts';
import { control, decide, redirectUri, startApplication, startMs, token } from './application.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const Envelope = z.object({
  status: z.int(),
  body: z.looseObject({}).optional(),
  error: z.string().optional(),
});
const Rows = z.array(z.looseObject({ id: z.string(), kind: z.string(), attrib: z.int().nullable() }));
const person = 6;

function withingsOf({ access: { settings } }: Pick<Sandbox, 'access'>) {
  return {
    client_id: settings.WITHINGS_CLIENT_ID ?? '',
    client_secret: settings.WITHINGS_CLIENT_SECRET ?? '',
    api_url: settings.WITHINGS_API_URL ?? '',
    authorize_url: settings.WITHINGS_AUTHORIZE_URL ?? '',
  };
}

/** Gives the consent; returns the code. */
async function consent(sandbox: Sandbox): Promise<string> {
  const { client_id, authorize_url } = withingsOf(sandbox);
  const fields = new URLSearchParams({
    ...{ response_type: 'code', client_id, redirect_uri: redirectUri, state: 's' },
    ...{ scope: 'user.info,user.metrics,user.activity', person: String(person), decision: 'allow' },
  });
  for (const one of ['user.info', 'user.metrics', 'user.activity']) fields.append('permission', one);
  return (await decide(authorize_url, fields))?.searchParams.get('code') ?? '';
}

async function exchange(sandbox: Sandbox, fields: Record<string, string>) {
  const withings = withingsOf(sandbox);
  const answer = await token(`${withings.api_url}/v2/oauth2`, withings, {
    action: 'requesttoken',
    ...fields,
  });
  t.equal(answer.status, 200, 'the HTTP status of every answer');
  return Envelope.parse(answer.body);
}

const exchangeCode = (sandbox: Sandbox, code: string) =>
  exchange(sandbox, { grant_type: 'authorization_code', code, redirect_uri: redirectUri });
const renew = (sandbox: Sandbox, refresh_token: string) =>
  exchange(sandbox, { grant_type: 'refresh_token', refresh_token });

const Tokens = z.looseObject({ access_token: z.string(), refresh_token: z.string(), userid: z.string() });

async function call(sandbox: Sandbox, path: string, accessToken: string, form: Record<string, string>) {
  const response = await fetch(`${withingsOf(sandbox).api_url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
    body: new URLSearchParams(form),
  });
  return Envelope.parse(await response.json());
}

async function connected(t: Test) {
  const { sandbox } = await startApplication(t);
  const { body } = await exchangeCode(sandbox, await consent(sandbox));
  const tokens = Tokens.parse(body);
  let held = tokens;
  const ask = async (path: string, form: Record<string, string>) => {
    const first = await call(sandbox, path, held.access_token, form);
    const renewed = first.status === 401 ? await renew(sandbox, held.refresh_token) : null;
    if (renewed?.status !== 0) return first;
    held = Tokens.parse(renewed.body);
    return call(sandbox, path, held.access_token, form);
  };
  return { sandbox, tokens, ask };
}

/** An application's address for notifications. */
async function receiver(t: Test, headStatus = 200, beforeHead = async () => {}) {
  const received: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (request.method === 'HEAD') await beforeHead();
    if (request.method === 'POST') received.push(new URLSearchParams(text));
    response.writeHead(request.method === 'HEAD' ? headStatus : 200).end();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  const port = address !== null && typeof address === 'object' ? address.port : 0;
  return { url: `http://127.0.0.1:${port}/notify`, received };
}

t.test('a code is valid for 30 seconds and once; the HTTP status is 200 also for errors', async (t) => {
  const { sandbox } = await startApplication(t);
  const late = await consent(sandbox);
  await sandbox.advance(31_000);
  t.match(await exchangeCode(sandbox, late), { status: 503, error: 'Invalid Params: invalid code' });
  const code = await consent(sandbox);
  await sandbox.advance(29_000);
  t.match(await exchangeCode(sandbox, code), {
    status: 0,
    body: { userid: String, expires_in: 10_800, scope: 'user.info,user.metrics,user.activity' },
  });
  t.match(await exchangeCode(sandbox, code), { status: 503 });
  t.match(await exchange(sandbox, { action: 'other' }), { status: 503, error: 'Invalid Params: action' });
});

t.test('a used refresh token stays valid until the new access token is used', async (t) => {
  const { sandbox, tokens } = await connected(t);
  const second = Tokens.parse((await renew(sandbox, tokens.refresh_token)).body);
  const third = Tokens.parse((await renew(sandbox, tokens.refresh_token)).body);
  t.not(second.refresh_token, third.refresh_token);
  const probe = (accessToken: string) => call(sandbox, '/v2/user', accessToken, { action: 'getdevice' });
  t.match(await probe(third.access_token), { status: 0 });
  t.match(await renew(sandbox, tokens.refresh_token), { status: 503, error: /invalid refresh_token/ });
  await sandbox.advance(3 * hourMs + 1000);
  t.match(await probe(third.access_token), { status: 401 });
  t.match(await renew(sandbox, third.refresh_token), { status: 0 });
});

t.test('rows are listed by page, by span and by lastupdate', async (t) => {
  const { ask, sandbox } = await connected(t);
  const span = { startdate: String((startMs - 60 * dayMs) / 1000), enddate: String(startMs / 1000) };
  const Groups = z.looseObject({
    measuregrps: z.array(z.looseObject({ grpid: z.int() })),
    more: z.int(),
    offset: z.int(),
  });
  const first = Groups.parse((await ask('/measure', { action: 'getmeas', ...span })).body);
  t.equal(first.more, 1);
  const rest = Groups.parse(
    (await ask('/measure', { action: 'getmeas', ...span, offset: String(first.offset) })).body,
  );
  const ids = [...first.measuregrps, ...rest.measuregrps].map(({ grpid }) => grpid);
  t.ok(ids.length >= 60);
  t.equal(new Set(ids).size, ids.length);
  t.match((await ask('/measure', { action: 'getmeas', lastupdate: String(startMs / 1000) })).body, {
    measuregrps: [],
  });
  await sandbox.advance(dayMs);
  const fresh = Groups.parse(
    (await ask('/measure', { action: 'getmeas', lastupdate: String(startMs / 1000) })).body,
  );
  t.ok(fresh.measuregrps.length > 0);
  const days = await ask('/v2/measure', {
    action: 'getactivity',
    startdateymd: '2026-05-01',
    enddateymd: '2026-05-03',
    data_fields: 'steps',
  });
  t.match(days.body, { activities: [{ date: '2026-05-01', steps: Number }] });
  t.notMatch(days.body, { activities: [{ distance: Number }] }, 'fields that are not named are not sent');
  t.match(await ask('/v2/measure', { action: 'getactivity' }), { status: 503 });
  t.match(await ask('/v2/sleep', { action: 'nothing' }), { status: 503 });
});

t.test('stages and intraday activity cover the first 24 hours of their window', async (t) => {
  const { ask } = await connected(t);
  const window = { startdate: String((startMs - 3 * dayMs) / 1000), enddate: String(startMs / 1000) };
  const latest = (startMs - 2 * dayMs) / 1000;
  const { series } = z
    .object({ series: z.record(z.string(), z.looseObject({ steps: z.int() })) })
    .parse((await ask('/v2/measure', { action: 'getintradayactivity', ...window })).body);
  const seconds = Object.keys(series).map(Number);
  t.ok(seconds.length > 5);
  t.same(
    seconds.filter((second) => second >= latest),
    [],
  );
  const stages = await ask('/v2/sleep', { action: 'get', ...window });
  t.match(stages.body, { series: [{ startdate: Number, enddate: Number, state: Number, hr: Object }] });
});

t.test('an address must answer HEAD; notifications go to the subscription of their category', async (t) => {
  const { sandbox, ask, tokens } = await connected(t);
  const [good, bad] = [await receiver(t), await receiver(t, 404)];
  const subscribe = (appli: number, callbackurl: string) =>
    ask('/notify', { action: 'subscribe', appli: String(appli), callbackurl });
  t.match(await subscribe(1, bad.url), { status: 293 });
  t.match(await subscribe(1, 'no address'), { status: 293 });
  for (const appli of [1, 16, 46]) t.match(await subscribe(appli, good.url), { status: 0 });
  t.match(await ask('/notify', { action: 'list' }), {
    body: { profiles: [{ appli: 1 }, { appli: 16 }, { appli: 46 }] },
  });
  await sandbox.advance(dayMs);
  const applis = new Set(good.received.map((form) => form.get('appli')));
  t.same([...applis].toSorted(), ['1', '16'], 'sleep was not subscribed');
  t.same(new Set(good.received.map((form) => form.get('userid'))), new Set([tokens.userid]));

  t.match(await ask('/notify', { action: 'revoke', appli: '1', callbackurl: good.url }), { status: 0 });
  t.match(await ask('/notify', { action: 'revoke', appli: '1', callbackurl: good.url }), { status: 294 });
  await control(sandbox, 'POST', `/people/${person}/withings/forget-subscriptions`);
  t.match(await ask('/notify', { action: 'list' }), { body: { profiles: [] } });
  const before = good.received.length;
  await sandbox.advance(dayMs);
  t.equal(good.received.length, before, 'nobody is told that they ended');
});

t.test('what is subscribed and revoked while an address is asked counts', async (t) => {
  const { ask } = await connected(t);
  const good = await receiver(t);
  const change = (action: string, appli: number, callbackurl = good.url) =>
    ask('/notify', { action, appli: String(appli), callbackurl });
  t.match(await change('subscribe', 1), { status: 0 });
  const slow = await receiver(t, 200, async () => {
    t.match(await change('revoke', 1), { status: 0 });
    t.match(await change('subscribe', 16), { status: 0 });
  });
  t.match(await change('subscribe', 46, slow.url), { status: 0 });
  const { body } = await ask('/notify', { action: 'list' });
  t.same(body, {
    profiles: [
      { appli: 16, callbackurl: good.url, comment: '' },
      { appli: 46, callbackurl: slow.url, comment: '' },
    ],
  });
});

t.test('unlinking ends the tokens and is reported', async (t) => {
  const { sandbox, ask, tokens } = await connected(t);
  const { url, received } = await receiver(t);
  await ask('/notify', { action: 'subscribe', appli: '46', callbackurl: url });
  t.match(await ask('/v2/user', { action: 'getdevice' }), { status: 0 });
  await control(sandbox, 'POST', `/people/${person}/withings/unlink`);
  await sandbox.advance(1000);
  t.equal(received.length, 1);
  t.equal(received.at(-1)?.get('action'), 'unlink');
  t.match(await ask('/v2/user', { action: 'getdevice' }), { status: 401 });
  t.match(await renew(sandbox, tokens.refresh_token), { status: 503 });
});

t.test('the 121st request of a minute is refused with 601, and counted', async (t) => {
  const { sandbox, ask } = await connected(t);
  const statuses: number[] = [];
  for (let sent = 0; sent < 125; sent++)
    statuses.push((await ask('/v2/user', { action: 'getdevice' })).status);
  const { body } = await control(sandbox, 'GET', '/ledger/withings-requests');
  t.ok(statuses.includes(601));
  t.match(body, { requests: Number, most_in_a_minute: Number });
});

t.test('deleted rows vanish, and a confirmed measurement is sent again', async (t) => {
  const { sandbox, ask } = await connected(t);
  const path = `/people/${person}/withings/rows`;
  const rows = async () => Rows.parse((await control(sandbox, 'GET', path)).body);
  const ambiguous = (await rows()).find(({ attrib }) => attrib === 1) ?? t.fail('there is an ambiguous one');
  const { id } = z.object({ id: z.string() }).parse(ambiguous);
  const since = { action: 'getmeas', lastupdate: String(Math.floor(Date.now() / 1000) - 5) };
  await control(sandbox, 'POST', path, { id, change: 'confirm' });
  t.match((await ask('/measure', since)).body, { measuregrps: [{ grpid: Number(id), attrib: 7 }] });
  await control(sandbox, 'POST', path, { id, change: 'delete' });
  t.match((await ask('/measure', since)).body, { measuregrps: [] }, 'a deletion is in no answer');
  t.notOk((await rows()).some((row) => row.id === id));
});

t.test('faults: requests over the limit, lost notifications', async (t) => {
  const { sandbox, ask } = await connected(t);
  const { url, received } = await receiver(t);
  await ask('/notify', { action: 'subscribe', appli: '16', callbackurl: url });
  await control(sandbox, 'POST', '/faults', { kind: 'dropped', provider: 'withings' });
  await sandbox.advance(dayMs);
  t.equal(received.length, 0);
  await control(sandbox, 'POST', '/faults', { kind: 'rate_limit', provider: 'withings' });
  const answers = await Promise.all(
    Array.from({ length: 12 }, () =>
      fetch(`${withingsOf(sandbox).api_url}/v2/user`, { method: 'POST', body: 'action=getdevice' }),
    ),
  );
  const texts = await Promise.all(answers.map((answer) => answer.text()));
  t.ok(
    texts.some((text) => text.includes('601')),
    'most have HTTP status 200',
  );
});
