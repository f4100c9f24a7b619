import { createHash } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { deleteExpired } from '../../../services/connect/tables/attempts.ts';
import { createUser, userToken } from '../../support/api.ts';
import { appUrl, startConnect } from '../../support/connect.ts';
import { playProvider } from './provider.ts';

const provider = await playProvider(t);
const api = await startConnect(t, provider.settings, { PUBLIC_URL: 'https://connect.example/health' });
const Session = z.strictObject({ url: z.string(), token: z.string(), expires_at: z.string() });
const make = async (body: Record<string, unknown>) =>
  Session.parse(await api.expect(201, '/connect/sessions', { body }));
const rowOf = async (token: string) => {
  const hash = createHash('sha256').update(token).digest('hex');
  const [row] = await api.database.query<Record<string, unknown>>(
    `select user_id, providers, redirect_uri, language, reason, browser_hash,
       expires_at - created_at = interval '30 minutes' as "lastsHalfAnHour"
     from connect.session where token_hash = $1`,
    [hash],
  );
  return row;
};

t.test('a session is for one user, lasts half an hour, and its token is stored as a hash', async (t) => {
  const userId = await createUser(api);
  const body = {
    ...{ user_id: userId, providers: ['activitynet'], redirect_uri: appUrl, language: 'de' },
    reason: 'access_ended',
  };
  const { url, token, expires_at } = await make(body);
  t.equal(url, `https://connect.example/health/connect/${token}`);
  t.ok(Buffer.from(token, 'base64url').length >= 32);
  t.equal(new Date(expires_at).getTime() > Date.now(), true);
  t.match(await rowOf(token), {
    user_id: userId,
    providers: ['activitynet'],
    redirect_uri: appUrl,
    language: 'de',
    reason: 'access_ended',
    browser_hash: null,
    lastsHalfAnHour: true,
  });
  const everything = JSON.stringify(await api.database.query('select * from connect.session'));
  const audit = JSON.stringify(await api.database.query('select * from auth.audit_entry'));
  t.notOk(everything.includes(token) || audit.includes(token));
});

t.test('the user may be named by the external id; all configured providers are offered', async (t) => {
  const userId = await createUser(api, { external_user_id: 'ext-1' });
  const { token } = await make({ external_user_id: 'ext-1' });
  t.match(await rowOf(token), {
    ...{ user_id: userId, providers: ['devicemaker', 'activitynet'], reason: null },
  });
  await api.expect(404, '/connect/sessions', { body: { external_user_id: 'ext-2' } });
  await api.expect(404, '/connect/sessions', { body: { user_id: '00000000-0000-4000-8000-000000000000' } });
});

t.test('unlisted addresses, unknown values and two users are refused', async (t) => {
  const user_id = await createUser(api);
  const refused = [
    {},
    { user_id, external_user_id: 'ext-1' },
    { user_id, providers: [] },
    { user_id, providers: ['nobody'] },
    { user_id, language: 'xx' },
    { user_id, colour: 'red' },
    { user_id, reason: 'late' },
    ...[
      'https://evil.example/',
      `${appUrl}&next=https://evil.example`,
      'https://other.example.evil.example/',
      'https://other.example//evil.example',
      'https://other.example@evil.example/',
      'javascript:alert(1)',
      '//evil.example',
      '/connect',
      `${appUrl}#x`,
    ].map((redirect_uri) => ({ user_id, redirect_uri })),
  ];
  const statuses = [];
  for (const body of refused)
    statuses.push((await api.ask('/api/v1/connect/sessions', { key: api.apiKey, body })).status);
  t.same(
    statuses,
    refused.map(() => 422),
  );
});

t.test('a user token makes sessions of its own user only', async (t) => {
  const own = await createUser(api, { external_user_id: 'own' });
  const other = await createUser(api, { external_user_id: 'other' });
  const token = await userToken(api, own);
  const statusOf = async (body: unknown) =>
    (await api.ask('/api/v1/connect/sessions', { token, body })).status;
  t.equal(await statusOf({ user_id: own.toUpperCase() }), 201);
  t.equal(await statusOf({ external_user_id: 'own' }), 201);
  t.equal(await statusOf({ user_id: other }), 403);
  t.equal(await statusOf({ external_user_id: 'other' }), 403);
  t.equal(await statusOf({ external_user_id: 'nobody' }), 403, 'no difference to a user who exists');
  t.equal(await statusOf({ user_id: '00000000-0000-4000-8000-000000000000' }), 403);
});

t.test('a provider that is not configured is refused', async (t) => {
  const bare = await startConnect(t, { DEVICEMAKER_CLIENT_ID: 'only the id' });
  const user_id = await createUser(bare);
  for (const body of [{ user_id }, { user_id, providers: ['devicemaker'] }]) {
    const { status } = await bare.ask('/api/v1/connect/sessions', { key: bare.apiKey, body });
    t.equal(status, 409, JSON.stringify(body));
  }
});

t.test('sessions and attempts are deleted a day after they expired', async (t) => {
  const { token } = await make({ user_id: await createUser(api) });
  const { token: kept } = await make({ user_id: await createUser(api) });
  const age = (hash: string, hours: number) =>
    api.database.query(
      `update connect.session set expires_at = now() - interval '${hours} hours' where token_hash = $1`,
      [createHash('sha256').update(hash).digest('hex')],
    );
  await age(token, 25);
  await age(kept, 23);
  t.equal(await deleteExpired(api.database), 1);
  t.equal(await rowOf(token), undefined);
  t.ok(await rowOf(kept));
});
