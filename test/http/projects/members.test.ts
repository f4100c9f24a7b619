import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { kindsWith, type Role } from '../../../domain/access.ts';
import { tools } from '../../../services/api-gateway/actions/mcp/tools.ts';
import { type Ask, createUser, startApi, userToken } from '../../support/api.ts';
import { callTool, post } from '../../support/mcp.ts';
import { insertMember, memberToken, password } from '../../support/members.ts';
import { as, fillProject, makeProject, send } from './two-projects.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_DEVELOPER: '100000' });
await makeProject(api, 'other');
const user = await createUser(api);
const owner = { token: api.developerToken };
const inProject = (project: string) => ({ 'X-Project': project });

t.test('projects are created, changed and deleted by an owner', async (t) => {
  const body = { id: 'staging', name: 'Staging', rate_limit_api_key: 7 };
  t.match(await as(api, owner, 201, '/projects', { body }), { ...body, role: 'owner', rate_limit_sdk: null });
  t.match(await as(api, owner, 409, '/projects', { body }), {
    detail: 'A project with this id exists or existed.',
  });
  for (const id of ['', 'Upper', '-a', 'a b', 'a'.repeat(41)])
    t.equal((await send(api, owner, '/projects', { body: { id, name: 'x' } })).status, 422, id);
  const path = '/projects/staging';
  const changed = await as(api, owner, 200, path, { method: 'PATCH', body: { rate_limit_sdk: 3 } });
  t.match(changed, { name: 'Staging', rate_limit_api_key: 7, rate_limit_sdk: 3 });
  t.match(await as(api, owner, 200, path, { method: 'PATCH', body: { rate_limit_api_key: null } }), {
    rate_limit_api_key: null,
  });
  const { key } = await fillProject(api, 'staging');
  t.match(await as(api, owner, 409, path, { method: 'DELETE' }), { detail: /still has users/ });
  const users = z
    .object({ items: z.array(z.object({ id: z.string() })) })
    .parse(await as(api, { key }, 200, '/users'));
  for (const { id } of users.items) await as(api, { key }, 200, `/users/${id}`, { method: 'DELETE' });
  t.match(await as(api, owner, 200, path, { method: 'DELETE' }), { id: 'staging' });
  t.equal((await send(api, { key }, '/users')).status, 401, 'its keys ended');
  t.equal((await send(api, owner, '/users', { headers: inProject('staging') })).status, 404);
  t.strictSame(await api.database.query("select from webhooks.endpoint where project_id = 'staging'"), []);
  t.match(await as(api, owner, 409, '/projects/default', { method: 'DELETE' }), {
    detail: /cannot be deleted/,
  });
  t.equal((await send(api, owner, path, { method: 'DELETE' })).status, 404);
  t.equal((await send(api, owner, '/projects', { body })).status, 409, 'its id is not used again');
});

t.test('the deletion of a project that does not exist closes nothing', async (t) => {
  t.equal((await send(api, owner, '/projects/later', { method: 'DELETE' })).status, 404);
  await makeProject(api, 'later');
  const asked = { body: {}, headers: inProject('later') };
  const { id } = z.object({ id: z.string() }).parse(await as(api, owner, 201, '/users', asked));
  await as(api, owner, 200, `/users/${id}`, { method: 'DELETE', headers: inProject('later') });
  await as(api, owner, 200, '/projects/later', { method: 'DELETE' });
});

t.test('the header X-Project names the project of a developer', async (t) => {
  const member = { token: await memberToken(api, 'developer', 'other') };
  t.match(await as(api, member, 200, '/projects'), [{ id: 'other', role: 'developer' }]);
  t.match(await as(api, owner, 200, '/projects'), [
    { id: 'default', role: 'owner' },
    { id: 'other', role: 'owner' },
  ]);
  const { id } = z.object({ id: z.string() }).parse(await as(api, member, 201, '/users', { body: {} }));
  t.equal((await send(api, owner, `/users/${id}`)).status, 404, 'an owner is in `default`');
  t.equal((await send(api, owner, `/users/${id}`, { headers: inProject('other') })).status, 200);
  for (const project of ['default', 'nowhere', '', 'x'.repeat(5000), "' or 1=1 --"])
    t.equal(
      (await send(api, member, '/users', { headers: inProject(project) })).status,
      404,
      project.slice(0, 20),
    );
  t.equal(
    (await send(api, member, '/auth/me', { headers: inProject('nowhere') })).status,
    200,
    'an account has no project',
  );
  t.equal((await send(api, { key: api.apiKey }, '/users', { headers: inProject('other') })).status, 404);
  t.equal((await send(api, { key: api.apiKey }, '/users', { headers: inProject('default') })).status, 200);
  const token = await userToken(api, user);
  t.equal((await send(api, { token }, `/users/${user}`, { headers: inProject('other') })).status, 404);
});

t.test('a member of several projects names one, a member of none gets in nowhere', async (t) => {
  const email = `${randomUUID()}@example.com`;
  await insertMember(api, email, []);
  const login = await api.ask('/api/v1/auth/login', { body: { email, password } });
  const member = { token: z.object({ access_token: z.string() }).parse(login.body).access_token };
  t.match(await as(api, member, 422, '/users'), { detail: /name one in the header X-Project/ });
  t.strictSame(await as(api, member, 200, '/projects'), []);
  for (const project of ['default', 'other']) {
    const added = { email, role: 'analyst' as Role };
    t.match(await as(api, owner, 200, '/members', { body: added, headers: inProject(project) }), added);
    const { status } = await send(api, member, '/users');
    t.equal(status, project === 'default' ? 200 : 422);
  }
  t.equal((await send(api, member, '/users', { headers: inProject('other') })).status, 200);
});

t.test('a role changes and ends with the next request', async (t) => {
  const email = `${randomUUID()}@example.com`;
  await insertMember(api, email, [['default', 'support']]);
  const login = await api.ask('/api/v1/auth/login', { body: { email, password } });
  const member = { token: z.object({ access_token: z.string() }).parse(login.body).access_token };
  const day = `/users/${user}/days/2026-01-01`;
  t.match(await as(api, member, 403, day), { detail: 'The role `support` does not permit this.' });
  const { developer_id } = z
    .object({ developer_id: z.string() })
    .parse(await as(api, owner, 200, '/members', { body: { email, role: 'analyst' } }));
  t.equal((await send(api, member, day)).status, 200);
  t.match(await as(api, owner, 200, '/members'), [{ email, role: 'analyst' }]);
  const inOther = { headers: inProject('other') };
  t.notMatch(JSON.stringify(await as(api, owner, 200, '/members', inOther)), email);
  await as(api, owner, 200, '/members', { body: { email, role: 'support' }, ...inOther });
  await as(api, owner, 200, `/members/${developer_id}`, { method: 'DELETE' });
  t.equal((await send(api, member, day)).status, 403, 'the role is that in the only project that is left');
  await as(api, owner, 200, `/members/${developer_id}`, { method: 'DELETE', ...inOther });
  t.equal((await send(api, member, day)).status, 422);
  t.equal((await send(api, owner, `/members/${developer_id}`, { method: 'DELETE' })).status, 404);
  const actions = z.object({
    data: z.array(z.object({ action: z.string(), subject_id: z.string().nullable() })),
  });
  const { data } = actions.parse(await as(api, owner, 200, '/audit?limit=100'));
  const about = data.filter(({ subject_id }) => subject_id === developer_id).map(({ action }) => action);
  t.strictSame(
    about.filter((action) => action.startsWith('member.')),
    ['member.removed', 'member.role_changed', 'member.added'],
  );
});

t.test('an admin of one project reaches no other, and no owner', async (t) => {
  const admin = { token: await memberToken(api, 'admin', 'other') };
  const email = 'developer@example.com';
  t.equal((await send(api, admin, '/members', { body: { email, role: 'support' } })).status, 409, 'an owner');
  t.equal(
    (await send(api, admin, '/members', { body: { email: 'no@example.com', role: 'support' } })).status,
    404,
  );
  t.match(await as(api, admin, 422, '/members', { body: { email, role: 'emperor' } }), {
    errors: [{ field: 'role' }],
  });
  for (const path of ['/developers', '/projects/other'])
    t.equal(
      (await send(api, admin, path, { method: path === '/developers' ? 'GET' : 'DELETE' })).status,
      403,
      path,
    );
  const made = await send(api, admin, '/developers', {
    body: { email: 'x@example.com', password: 'purple lamps over quiet water' },
  });
  t.equal(made.status, 403);
  t.equal((await send(api, admin, '/members', { headers: inProject('default') })).status, 404);
});

t.test('the last owner cannot be deleted, whoever else has an account', async (t) => {
  const { id } = z.object({ id: z.string() }).parse(await as(api, owner, 200, '/auth/me'));
  t.equal((await send(api, owner, `/developers/${id}`, { method: 'DELETE' })).status, 409);
});

t.test('a rotated key stays in its project', async (t) => {
  const { keyId, adminToken, userId } = await fillProject(api, 'other');
  const rotated = await as(api, { token: adminToken }, 201, `/api-keys/${keyId}/rotate`, { method: 'POST' });
  const { key } = z.object({ key: z.string() }).parse(rotated);
  t.equal((await send(api, { key }, `/users/${userId}`)).status, 200);
  await as(api, { key }, 200, `/users/${userId}`, { method: 'DELETE' });
});

t.test('a project has limits of its own', async (t) => {
  const { key } = await fillProject(api, 'other');
  const limitOf = async (ask: Ask) => (await send(api, ask, '/users')).headers.get('x-ratelimit-limit');
  t.equal(await limitOf({ key }), '100000');
  await as(api, owner, 200, '/projects/other', { method: 'PATCH', body: { rate_limit_api_key: 3 } });
  t.equal(await limitOf({ key }), '3');
  t.equal(await limitOf({ key: api.apiKey }), '100000');
  const statuses = await Promise.all(
    Array.from({ length: 8 }, async () => (await send(api, { key }, '/users')).status),
  );
  t.ok(statuses.includes(429));
  await as(api, owner, 200, '/projects/other', { method: 'PATCH', body: { rate_limit_api_key: null } });
});

t.test('a key with wrong limits is not made', async (t) => {
  for (const limits of [
    { scopes: [] },
    { scopes: ['root'] },
    { expires_at: '2020-01-01' },
    { addresses: ['x'] },
    { addresses: ['10.0.0.0/33'] },
    { addresses: ['::1/129'] },
    { addresses: [] },
  ])
    t.equal(
      (await send(api, owner, '/api-keys', { body: { name: 'x', ...limits } })).status,
      422,
      JSON.stringify(limits),
    );
  const limits = { scopes: ['read'], expires_at: '2999-01-01T00:00:00Z', addresses: ['127.0.0.0/8', '::1'] };
  const made = z
    .looseObject({ id: z.string(), key: z.string() })
    .parse(await as(api, owner, 201, '/api-keys', { body: { name: 'x', ...limits } }));
  t.match(made, limits);
  const rotated = z
    .looseObject({ key: z.string() })
    .parse(await as(api, owner, 201, `/api-keys/${made.id}/rotate`, { method: 'POST' }));
  t.match(rotated, limits, 'a rotation keeps them');
  t.equal((await send(api, { key: rotated.key }, '/users')).status, 200);
  t.match(await as(api, { key: rotated.key }, 403, '/users', { body: {} }), {
    detail: 'This API key needs one of these scopes: write, users.',
  });
});

t.test('the tools of the MCP server are those of the role and the scopes', async (t) => {
  const listing = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
  const Listing = z.object({ result: z.object({ tools: z.array(z.object({ name: z.string() })) }) });
  const namesFor = async (ask: Ask) =>
    Listing.parse((await post(api.url, listing, ask)).body)
      .result.tools.map(({ name }) => name)
      .sort();
  const key = async (scopes: string[]) => ({
    key: z
      .object({ key: z.string() })
      .parse(await as(api, owner, 201, '/api-keys', { body: { name: 'x', scopes } })).key,
  });
  const support = { token: await memberToken(api, 'support') };
  t.strictSame(await namesFor(support), ['find_users', 'get_freshness', 'list_connections']);
  t.strictSame(await namesFor(await key(['users'])), ['find_users', 'get_freshness', 'list_connections']);
  t.notOk((await namesFor(await key(['data']))).includes('find_users'));
  t.equal((await namesFor({ token: await memberToken(api, 'analyst') })).length, tools.length);
  const times = { user_id: user, start_time: '2026-03-01', end_time: '2026-03-02' };
  t.match(await callTool(api.url, 'time_series', times, support), { isError: true });
  t.ok(tools.every(({ endpoint }) => endpoint.route.access !== 'public'));
  t.ok(kindsWith('mcp').length === 3);
});

t.test('a project that is deleted while users are created keeps none of them', async (t) => {
  const ends = new Set<string>();
  for (let round = 0; round < 12; round += 1) {
    const project = `race-${round}`;
    await makeProject(api, project);
    const create = () => send(api, owner, '/users', { body: {}, headers: inProject(project) });
    const pause = new Promise((resolve) => setTimeout(resolve, round));
    const deletion = pause.then(() => send(api, owner, `/projects/${project}`, { method: 'DELETE' }));
    const created = await Promise.all([create(), create(), create(), create()]);
    const { status } = await deletion;
    const made = created.filter((one) => one.status === 201).length;
    const rows = await api.database.query('select from users.person where project_id = $1', [project]);
    t.equal(rows.length, made, 'each user who was announced is there');
    t.equal(status, made === 0 ? 200 : 409, `${project}: ${made} users, ${status}`);
    ends.add(String(status));
  }
  t.ok(ends.size >= 1);
});
