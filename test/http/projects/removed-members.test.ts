import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { roles } from '../../../domain/access.ts';
import { createUser, startApi } from '../../support/api.ts';
import { insertMember, password } from '../../support/members.ts';
import { as, fillProject, makeProject, send } from './two-projects.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_DEVELOPER: '100000' });
await makeProject(api, 'other');
const owner = { token: api.developerToken };
const inOther = { headers: { 'X-Project': 'other' } };
const Key = z.object({ id: z.string(), key: z.string() });
const Removed = z.object({
  developer_id: z.string(),
  api_keys: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      is_kept: z.boolean(),
      webhook_endpoints: z.array(z.object({ id: z.string(), enabled: z.boolean() })).nullable(),
    }),
  ),
});

/** A member of both projects. */
async function member(role: 'admin' | 'developer') {
  const email = `${randomUUID()}@example.com`;
  await insertMember(api, email, [
    ['default', role],
    ['other', role],
  ]);
  const login = await api.ask('/api/v1/auth/login', { body: { email, password } });
  const { access_token: token } = z.object({ access_token: z.string() }).parse(login.body);
  const { id } = z.object({ id: z.string() }).parse(await as(api, { token }, 200, '/auth/me'));
  const inDefault = { token, headers: { 'X-Project': 'default' } };
  const makeKey = async (name: string, credential: object = inDefault) =>
    Key.parse(await as(api, credential, 201, '/api-keys', { body: { name } }));
  return { id, token, inDefault, makeKey };
}

const remove = (id: string, keep: readonly string[] = []) =>
  send(api, owner, `/members/${id}?${keep.map((one) => `keep_keys=${one}`).join('&')}`, { method: 'DELETE' });
const stateOf = async ({ key }: { key: string }) => (await send(api, { key }, '/users')).status;

t.test(
  'keys of a removed member end, unless they are named, and are in the answer and the audit',
  async (t) => {
    for (const role of ['admin', 'developer'] as const) {
      const { id, token, inDefault, makeKey } = await member(role);
      const [ended, kept, rotated] = [
        await makeKey('ended'),
        await makeKey('kept'),
        await makeKey('rotated'),
      ];
      const elsewhere = await makeKey('elsewhere', { token, ...inOther });
      const foreign = Key.parse(await as(api, owner, 201, '/api-keys', { body: { name: 'foreign' } }));
      const taken = Key.parse(
        await as(api, owner, 201, `/api-keys/${rotated.id}/rotate`, { method: 'POST' }),
      );
      const url = `https://${randomUUID()}.example.com/hook`;
      const endpoint = z
        .object({ id: z.string() })
        .parse(await as(api, { key: ended.key }, 201, '/webhook-endpoints', { body: { url } }));
      const user = await createUser(api);
      const issued = await as(api, inDefault, 200, `/users/${user}/token`, { method: 'POST' });
      const userToken = z.object({ access_token: z.string() }).parse(issued).access_token;

      for (const wrong of [foreign.id, elsewhere.id, taken.id, randomUUID()]) {
        const refused = await remove(id, [kept.id, wrong]);
        t.equal(refused.headers.get('x-error-code'), 'API_KEY_NOT_FOUND', 'a typo removes nobody');
      }
      t.equal(await stateOf(ended), 200);

      const removed = Removed.parse((await remove(id, [kept.id])).body);
      const byName = Object.fromEntries(removed.api_keys.map((one) => [one.name, one]));
      t.strictSame(byName, {
        ended: {
          id: ended.id,
          name: 'ended',
          is_kept: false,
          webhook_endpoints: [{ id: endpoint.id, enabled: false }],
        },
        kept: { id: kept.id, name: 'kept', is_kept: true, webhook_endpoints: null },
      });
      const states = [ended, kept, elsewhere, foreign, taken].map(stateOf);
      t.strictSame(await Promise.all(states), [401, 200, 200, 200, 200], role);
      t.equal((await send(api, { token: userToken }, `/users/${user}`)).status, 401);
      const Entries = z.object({ data: z.array(z.looseObject({ subject_id: z.string().nullable() })) });
      const { data } = Entries.parse(await as(api, owner, 200, '/audit?action=member.removed'));
      t.match(
        data.filter(({ subject_id }) => subject_id === id),
        [
          {
            details: { role, api_keys_ended: [ended.id], api_keys_kept: [kept.id], user_tokens_ended: 1 },
          },
        ],
      );
      t.equal((await remove(id)).status, 404, 'a second removal');
    }
  },
);

t.test('a key that is made or rotated while its maker is removed does not outlive the removal', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const { id, inDefault, makeKey } = await member('developer');
    const first = await makeKey('first');
    const [removal, ...answers] = await Promise.all([
      remove(id),
      send(api, inDefault, '/api-keys', { body: { name: 'late' } }),
      send(api, inDefault, `/api-keys/${first.id}/rotate`, { method: 'POST' }),
      send(api, inDefault, '/api-keys', { body: { name: 'later' } }),
    ]);
    t.equal(removal.status, 200);
    const made = answers.filter(({ status }) => status === 201).map(({ body }) => Key.parse(body));
    const states = await Promise.all([first, ...made].map(stateOf));
    t.ok(
      states.every((status) => status === 401),
      `${states}`,
    );
  }
});

t.test('only an admin of the project and an owner remove a member', async (t) => {
  const { id, makeKey } = await member('developer');
  const key = await makeKey('stays');
  const { adminToken } = await fillProject(api, 'other');
  const inDefault = { headers: { 'X-Project': 'default' } };
  const offenders: string[] = [];
  for (const role of roles.filter((one) => one !== 'admin')) {
    const email = `${randomUUID()}@example.com`;
    await insertMember(api, email, [['default', role]]);
    const login = await api.ask('/api/v1/auth/login', { body: { email, password } });
    const { access_token: token } = z.object({ access_token: z.string() }).parse(login.body);
    const { status } = await send(api, { token }, `/members/${id}`, { method: 'DELETE' });
    if (status !== 403) offenders.push(`${role}: ${status}`);
  }
  const foreign = await send(api, { token: adminToken, ...inDefault }, `/members/${id}`, {
    method: 'DELETE',
  });
  if (foreign.status !== 404) offenders.push(`admin of another project: ${foreign.status}`);
  const byKey = await send(api, { key: api.apiKey }, `/members/${id}`, { method: 'DELETE' });
  if (byKey.status !== 403) offenders.push(`an API key: ${byKey.status}`);
  t.strictSame(offenders, []);
  t.equal(await stateOf(key), 200);
});
