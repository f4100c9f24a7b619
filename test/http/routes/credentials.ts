import { randomUUID } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { z } from 'zod';
import { keyScopes, roles } from '../../../domain/access.ts';
import { type Ask, createUser, type TestApi, userToken } from '../../support/api.ts';
import { insertDeveloper } from '../../support/developer.ts';
import { insertMember, memberToken, password } from '../../support/members.ts';
import { grants, type Row } from './rows.ts';

/** The secret with which the product of the test signs tokens. */
export const secret = 'a secret of this test with 32 characters and more';

type Credential = Pick<Ask, 'key' | 'token' | 'headers'>;
const Id = z.object({ id: z.string() });

/** Credentials of each kind in the project `default`, right and wrong ones, by their name. */
export async function credentialsFor(
  api: TestApi,
  userId: string,
): Promise<Readonly<Record<string, Credential>>> {
  const asOwner = { token: api.developerToken };
  const token = await userToken(api, userId);
  const newKey = async (limits: object = {}) => {
    const made = await api.ask('/api/v1/api-keys', { ...asOwner, body: { name: 'Limited', ...limits } });
    return Id.extend({ key: z.string() }).parse(made.body);
  };
  const rotatedKey = async () => {
    const { id, key } = await newKey();
    await api.ask(`/api/v1/api-keys/${id}/rotate`, { ...asOwner, method: 'POST' });
    return key;
  };
  const expiredKey = async () => {
    const { key } = await newKey({ expires_at: '2999-01-01' });
    await api.database.query('update auth.api_key set expires_at = now() where expires_at is not null');
    return key;
  };
  const endedToken = async () => {
    const ended = await userToken(api, userId);
    await api.database.query('delete from auth.family where id = $1', [Object(jwt.decode(ended)).family]);
    return ended;
  };
  const deletedDeveloper = async () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'a long password of somebody' };
    await insertDeveloper(api.database, body);
    const login = await api.ask('/api/v1/auth/login', { body });
    const { access_token } = z.object({ access_token: z.string() }).parse(login.body);
    const [row] = await api.database.query<{ id: string }>('select id from auth.developer where email = $1', [
      body.email,
    ]);
    await api.ask(`/api/v1/developers/${row?.id}`, { ...asOwner, method: 'DELETE' });
    return access_token;
  };
  const embedToken = async () => {
    const body = { user_id: userId, origins: ['https://app.example'] };
    const made = await api.ask('/api/v1/console/embeds', { ...asOwner, body });
    return z.object({ url: z.string() }).parse(made.body).url.split('/').at(-1) ?? '';
  };
  const limited: [string, Credential][] = [];
  for (const role of roles) limited.push([`role ${role}`, { token: await memberToken(api, role) }]);
  for (const scope of keyScopes)
    limited.push([`scope ${scope}`, { key: (await newKey({ scopes: [scope] })).key }]);
  return {
    none: {},
    'a nonsense token': { token: 'nonsense' },
    'a token of a broken signature': { token: `${token.slice(0, -4)}AAAA` },
    'a key that nobody has': { key: `sk-${'0'.repeat(32)}` },
    'a rotated key': { key: await rotatedKey() },
    'an expired user token': { token: expired(token) },
    'an expired developer token': { token: expired(api.developerToken) },
    'a token of an ended family': { token: await endedToken() },
    'a token of a deleted developer': { token: await deletedDeveloper() },
    'an API key': { key: api.apiKey },
    'a developer token': asOwner,
    ...Object.fromEntries(limited),
    'an expired key': { key: await expiredKey() },
    'a key for another address': { key: (await newKey({ addresses: ['192.0.2.0/24'] })).key },
    'the user token of this user': { token },
    'the user token of another user': { token: await userToken(api, await createUser(api)) },
    'the user token of an embedded page': { token: await embedToken() },
    'no webhook header': { headers: {} },
    'a wrong webhook header': { headers: { 'devicemaker-client-id': 'wrong' } },
  };
}

function expired(of: string): string {
  const { exp: _, ...claims } = Object(jwt.decode(of));
  return jwt.sign({ ...claims, exp: Math.floor(Date.now() / 1000) - 1 }, secret, { algorithm: 'HS256' });
}

/** A session of the console for a member with each role, by the role's name. */
export async function consoleSessions(api: TestApi): Promise<Readonly<Record<string, Credential>>> {
  const own = { Origin: new URL(api.url).origin, 'Sec-Fetch-Site': 'same-origin' };
  const sessions: Record<string, Credential> = {};
  for (const role of roles) {
    const email = `${randomUUID()}@example.com`;
    await insertMember(api, email, [['default', role]]);
    const answer = await api.ask('/console/session', { body: { email, password }, headers: own });
    const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
    const { csrf_token } = z.object({ csrf_token: z.string() }).parse(answer.body);
    sessions[`role ${role}`] = { headers: { ...own, Cookie: cookie, 'X-CSRF-Token': csrf_token } };
  }
  return sessions;
}

/** The names of credentials with a role or a scope only. */
export const limited = [
  ...roles.map((role) => `role ${role}`),
  ...keyScopes.map((scope) => `scope ${scope}`),
];

/** The names of credentials that are valid, though not everywhere. */
export const alive = [
  'an API key',
  'a developer token',
  'the user token of this user',
  'the user token of another user',
  'the user token of an embedded page',
  'a key for another address',
  ...limited,
];

const without = ['none', 'no webhook header', 'a wrong webhook header'];

/** Whether a route lets a credential in that has a permission. */
export function isLetIn(path: string, who: keyof typeof grants, name: string): boolean {
  const { roles: ofRole, scopes, ...rest } = grants[who];
  // There are two projects, and a body may have data of both: only an owner reads it.
  if (who === 'deliveries.bodies') return name === 'a developer token';
  const [kind = '', limit = ''] = name.split(' ');
  if (kind === 'role') return ofRole.split(' ').includes(limit);
  if (kind === 'scope') return scopes.split(' ').includes(limit);
  if (name === 'a developer token') return true;
  if (name === 'an API key') return scopes !== '';
  const isOwn = 'own' in rest;
  // The user is in the body, which this request does not have.
  if (name === 'the user token of another user') return isOwn && path === '/connect/sessions';
  if (name === 'the user token of an embedded page') return 'embed' in rest;
  return isOwn && name === 'the user token of this user';
}

/** The status with which a route answers a credential. */
export function expectedOf([, path, who, status]: Row, name: string): number {
  if (who === 'anybody') return status;
  if (who === 'client') return without.indexOf(name) > 0 ? 401 : status;
  if (isLetIn(path, who, name)) return status;
  if (path.endsWith('/token') && without.includes(name)) return 400;
  return alive.includes(name) ? 403 : 401;
}
