import { randomUUID } from 'node:crypto';
import t from 'tap';
import type { Actions } from '../../../contracts/all.ts';
import { cipherOf } from '../../../mixins/provider-api/cipher.ts';
import { callAs } from '../../../runtime/environment.ts';
import users from '../../../services/users/users.service.ts';
import { refusal } from '../../support/refusal.ts';
import { startBroker, testConfig } from '../../support/servers/broker.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const { call } = await startBroker(t, { databaseUrl: database.url, services: [users] });
const cipher = cipherOf(testConfig({ databaseUrl: database.url }));
const project_id = 'default';
const provider = 'withings' as const;
const saved = { outcome: 'saved' } as const;
const same = { outcome: 'same' } as const;
const refused = (reason: string) => ({ outcome: 'refused', reason });

type MovedUser = Actions['users.moveInUsers']['params']['users'][number];

const userOf = (id: string = randomUUID(), fields: Partial<MovedUser> = {}): MovedUser => ({
  ...{ id, first_name: 'Ada', last_name: null, email: 'ada@example.com', external_user_id: null },
  created_at: '2024-05-01T10:00:00.123Z',
  ...fields,
});

const moveUsers = async (moved: MovedUser[], project = project_id) =>
  (await call('users.moveInUsers', { project_id: project, users: moved })).outcomes;

async function movedUser(): Promise<string> {
  const user = userOf();
  t.same(await moveUsers([user]), [saved]);
  return user.id;
}

type Moved = Actions['users.moveInConnections']['params']['connections'][number];

const connectionOf = (user_id: string, fields: Partial<Moved> = {}): Moved => ({
  ...{ id: randomUUID(), user_id, provider, provider_user_id: 'account-1', scope: ['b', 'a', 'b'] },
  ...{ access_token: 'access-1', refresh_token: 'refresh-1', expires_at: '2026-12-01T00:00:00Z' },
  ...{ status: 'active', status_reason: null, created_at: '2024-06-01T00:00:00Z', last_synced_at: null },
  ...fields,
});

const moveConnections = async (connections: Moved[], project = project_id) =>
  (await call('users.moveInConnections', { project_id: project, connections })).outcomes;

async function tokensOf(user_id: string) {
  const { access_token, refresh_token, connection_id, ...others } = await call('users.tokens', {
    user_id,
    provider,
  });
  const open = (token: string | null) => token && cipher.decrypt(token, connection_id);
  return { ...others, connection_id, access: open(access_token), refresh: open(refresh_token) };
}

const auditOf = (column: 'user_id' | 'subject_id', id: string) =>
  database.query(`select actor, action, details from auth.audit_entry where ${column} = $1 order by id`, [
    id,
  ]);

t.test('a user keeps the id and the time, and a repeated move changes nothing', async (t) => {
  const user = userOf(undefined, { external_user_id: 'mine-1' });
  t.same(await moveUsers([user]), [saved]);
  const { id: user_id } = user;
  t.same(await call('users.get', { user_id }), {
    ...user,
    created_at: '2024-05-01T10:00:00.123Z',
    time_zone: null,
  });
  await call('users.update', { user_id, first_name: 'Changed here', external_user_id: null });
  t.same(await moveUsers([user, { ...user, last_name: 'Other' }]), [same, same]);
  t.match(await call('users.get', { user_id }), { first_name: 'Changed here', external_user_id: null });
  t.same(
    (await auditOf('user_id', user_id)).map(({ actor, action }) => [actor, action]),
    [
      ['system:move-in', 'user.created'],
      [null, 'user.updated'],
    ],
  );
});

t.test('taken ids and external ids are refused, and the others of the call are saved', async (t) => {
  const first = userOf(undefined, { external_user_id: 'taken-1' });
  const second = userOf(undefined, { external_user_id: 'taken-1' });
  const third = userOf(first.id, { external_user_id: 'free-1' });
  const fourth = userOf();
  t.same(await moveUsers([first, second, third, fourth]), [saved, refused('external_id_taken'), same, saved]);
  t.same(await moveUsers([second, first]), [refused('external_id_taken'), same]);
  await t.rejects(call('users.get', { user_id: second.id }), refusal('USER_NOT_FOUND'));
  t.same(await moveUsers([first, second], 'other'), [refused('other_project'), saved]);
  t.same(await call('users.projectOf', { user_id: first.id }), { project_id });
  t.same(await call('users.projectOf', { user_id: second.id }), { project_id: 'other' });
});

t.test('a deleted user does not come back, with any project or connection', async (t) => {
  const user = userOf(undefined, { external_user_id: 'erased-1' });
  const connection = connectionOf(user.id);
  t.same(await moveUsers([user]), [saved]);
  t.same(await moveConnections([connection]), [saved]);
  await call('users.remove', { user_id: user.id });
  t.same(await moveUsers([user]), [refused('erased')]);
  t.same(await moveUsers([user], 'other'), [refused('erased')]);
  t.same(await moveConnections([connection]), [refused('erased')]);
  t.same(await moveUsers([userOf(undefined, { external_user_id: 'erased-1' })]), [saved], 'the name is free');
  const [row] = await database.query('select first_name, email from users.person where id = $1', [user.id]);
  t.same(row, { first_name: null, email: null });
});

t.test('a closed project gets no users', async (t) => {
  await call('users.closeProject', { project_id: 'closing' });
  await t.rejects(moveUsers([userOf()], 'closing'), refusal('PROJECT_NOT_FOUND'));
});

t.test('ten moves of the same users at once save each once, in any order', async (t) => {
  const moved = Array.from({ length: 60 }, (_, n) => userOf(undefined, { external_user_id: `race-${n}` }));
  const answers = await Promise.all(
    Array.from({ length: 10 }, (_, turn) => moveUsers(turn % 2 === 0 ? moved : moved.toReversed())),
  );
  const outcomes = answers.flat().map(({ outcome }) => outcome);
  t.equal(outcomes.filter((outcome) => outcome === 'saved').length, 60);
  t.equal(outcomes.filter((outcome) => outcome === 'same').length, 540);
  const connections = moved.map(({ id }) => connectionOf(id));
  const both = await Promise.all(
    Array.from({ length: 6 }, (_, turn) =>
      moveConnections(turn % 2 === 0 ? connections : connections.toReversed()),
    ),
  );
  t.equal(both.flat().filter(({ outcome }) => outcome === 'saved').length, 60);
  const { users: count } = await call('users.figures', { project_id });
  const [row] = await database.query(
    "select count(*)::int as n from users.person where project_id = 'default' and deleted_at is null",
  );
  t.equal(count, row?.n, 'the list counts them');
});

t.test('wrong calls are refused whole', async (t) => {
  const invalid = refusal('VALIDATION_FAILED');
  const user = userOf();
  await t.rejects(call('users.moveInUsers', { project_id, users: [] }), invalid);
  await t.rejects(moveUsers(Array.from({ length: 501 }, () => userOf())), invalid);
  await t.rejects(moveUsers([user, { ...user, id: 'me' }]), invalid);
  await t.rejects(moveUsers([{ ...user, first_name: 'a\0b' }]), invalid);
  await t.rejects(moveUsers([user], 'No project'), invalid);
  await t.rejects(call('users.get', { user_id: user.id }), refusal('USER_NOT_FOUND'));
  await t.rejects(moveConnections([connectionOf(user.id, { provider_user_id: ' ' })]), invalid);
});

t.test('an active connection keeps its id and tokens, encrypted, and begins no backfill', async (t) => {
  const user_id = await movedUser();
  const before = new Date();
  const connection = connectionOf(user_id, { last_synced_at: '2026-11-01T00:00:00Z' });
  t.same(await moveConnections([connection]), [saved]);
  t.match(await call('users.connections', { user_id }), [
    {
      ...{ id: connection.id, user_id, provider, provider_user_id: 'account-1', status: 'active' },
      ...{ scope: ['b', 'a'], created_at: '2024-06-01T00:00:00Z', last_synced_at: '2026-11-01T00:00:00Z' },
    },
  ]);
  const tokens = await tokensOf(user_id);
  t.match(tokens, { access: 'access-1', refresh: 'refresh-1', client: null });
  t.ok(new Date(tokens.connected_at) >= before, 'what is read begins with the move');
  const [row] = await database.query('select c::text as text from users.connection c where id = $1', [
    connection.id,
  ]);
  t.notMatch(row?.text, /access-1|refresh-1/);
  t.same(await auditOf('subject_id', connection.id), [
    {
      actor: 'system:move-in',
      action: 'connection.created',
      details: { provider, status: 'active' },
    },
  ]);
  t.same(
    await call('users.resolve', { provider, provider_user_ids: ['account-1'] }).then((found) =>
      found.filter(({ user_id: id }) => id === user_id).map(({ connection_id }) => connection_id),
    ),
    [connection.id],
  );
});

t.test('a scope that is not known is the one that we request', async (t) => {
  const user_id = await movedUser();
  const connections = [
    connectionOf(user_id, { scope: [] }),
    connectionOf(user_id, { provider: 'suunto', scope: [] }),
  ];
  t.same(await moveConnections(connections), [saved, saved]);
  const scopes = (await call('users.connections', { user_id })).map(({ provider, scope }) => [
    provider,
    scope,
  ]);
  t.same(Object.fromEntries(scopes), {
    withings: ['user.info', 'user.metrics', 'user.activity'],
    suunto: [],
  });
  t.same(await moveConnections(connections), [same, same]);
});

t.test('ended connections are kept without tokens', async (t) => {
  const user_id = await movedUser();
  const revoked = connectionOf(user_id, { status: 'revoked', status_reason: 'ignored' });
  const expired = connectionOf(user_id, {
    ...{ status: 'expired', status_reason: 'OTHER_API', provider: 'oura' },
  });
  t.same(await moveConnections([revoked, expired]), [saved, saved]);
  t.match(await tokensOf(user_id), { status: 'revoked', access: null, refresh: null, expires_at: null });
  t.match(await call('users.connection', { user_id, provider }), { status_reason: null });
  const other = await call('users.connection', { user_id, provider: 'oura' });
  t.match(other, { status: 'expired', status_reason: 'OTHER_API', access_expires_at: null });
});

t.test('newer tokens of the other installation replace moved ones that are unused here', async (t) => {
  const user_id = await movedUser();
  const first = connectionOf(user_id);
  const second = { ...first, access_token: 'access-2', refresh_token: 'refresh-2' };
  t.same(await moveConnections([first]), [saved]);
  const { connected_at } = await tokensOf(user_id);
  t.same(await moveConnections([first]), [same]);
  t.same(await moveConnections([{ ...second, expires_at: '2026-11-30T00:00:00Z' }]), [same], 'older ones');
  t.match(await tokensOf(user_id), { access: 'access-1', refresh: 'refresh-1' });
  const later = { ...second, expires_at: '2026-12-02T00:00:00Z' };
  t.same(await moveConnections([later]), [saved]);
  t.match(await tokensOf(user_id), { access: 'access-2', refresh: 'refresh-2', connected_at });
  t.same(await moveConnections([later]), [same]);
  t.same(
    (await auditOf('subject_id', first.id)).map(({ action }) => action),
    ['connection.created', 'connection.changed'],
  );
});

t.test('tokens that were refreshed here are never replaced, nor while they are refreshed', async (t) => {
  const user_id = await movedUser();
  const first = connectionOf(user_id);
  const later = {
    ...{ ...first, access_token: 'access-2', refresh_token: 'refresh-2' },
    expires_at: '2027-01-01T00:00:00Z',
  };
  t.same(await moveConnections([first]), [saved]);
  const { version, connection_id } = await tokensOf(user_id);
  await call('users.leaseRefresh', { connection_id, version, lease_ms: 60_000 });
  t.same(await moveConnections([later]), [same], 'a refresh is in progress');
  const seal = (token: string) => cipher.encrypt(token, connection_id);
  const stored = { connection_id, version, expires_at: null };
  await call('users.storeTokens', { ...stored, access_token: seal('own-a'), refresh_token: seal('own-r') });
  t.same(await moveConnections([later]), [same]);
  t.same(await moveConnections([{ ...later, status: 'revoked' }]), [same]);
  t.match(await tokensOf(user_id), { access: 'own-a', refresh: 'own-r', status: 'active' });
});

t.test('tokens that the provider refused are replaced by later ones, and not by themselves', async (t) => {
  const user_id = await movedUser();
  const first = connectionOf(user_id);
  t.same(await moveConnections([first]), [saved]);
  const { version, connection_id } = await tokensOf(user_id);
  await call('users.expire', { connection_id, version, reason: 'TOKEN_REFUSED' });
  t.same(await moveConnections([first]), [same], 'the refused tokens do not come back');
  t.match(await tokensOf(user_id), { status: 'expired', access: null });
  t.same(await moveConnections([{ ...first, access_token: 'access-2', refresh_token: 'refresh-2' }]), [
    saved,
  ]);
  const renewed = await tokensOf(user_id);
  t.match(renewed, { status: 'active', access: 'access-2', refresh: 'refresh-2' });

  const seal = (token: string) => cipher.encrypt(token, connection_id);
  const own = { access_token: seal('own-a'), refresh_token: seal('own-r'), expires_at: null };
  await call('users.storeTokens', { connection_id, version: renewed.version, ...own });
  const refreshed = { connection_id, version: renewed.version + 1 };
  await call('users.expire', { ...refreshed, reason: 'TOKEN_REFUSED' });
  t.same(await moveConnections([{ ...first, access_token: 'access-3' }]), [same], 'refreshed here before');
  t.match(await tokensOf(user_id), { status: 'expired' });
});

t.test('a refresh that fails for a while changes nothing for a move', async (t) => {
  const user_id = await movedUser();
  const first = connectionOf(user_id, { expires_at: '2026-01-01T00:00:00Z' });
  t.same(await moveConnections([first]), [saved]);
  const { version, connection_id } = await tokensOf(user_id);
  const failing =
    "update users.connection set refresh_failing_since = now() - interval '2 hours' where id = $1";
  await database.query(failing, [connection_id]);
  await call('users.leaseRefresh', { connection_id, version, lease_ms: 60_000 });
  await call('users.releaseRefresh', { connection_id, version });
  t.match(await call('users.connection', { user_id, provider }), { status_reason: 'REFRESH_FAILED' });
  t.same(await moveConnections([first]), [same]);
  t.same(await moveConnections([{ ...first, refresh_token: 'refresh-2' }]), [saved]);
  t.match(await call('users.connection', { user_id, provider }), { status_reason: null });
});

t.test('of two connections there that are one here the first counts, in every run and call', async (t) => {
  const user_id = await movedUser();
  const [first, second] = [connectionOf(user_id), connectionOf(user_id, { provider_user_id: 'account-2' })];
  t.same(await moveConnections([first, second]), [saved, same]);
  t.same(await moveConnections([first, second]), [same, same]);
  t.same(await moveConnections([second]), [same]);
  t.match(await call('users.connections', { user_id }), [{ id: first.id, provider_user_id: 'account-1' }]);
});

t.test('what ended or began anew here stays so', async (t) => {
  const user_id = await movedUser();
  const first = connectionOf(user_id);
  t.same(await moveConnections([first]), [saved]);
  await call('users.disconnect', { user_id, provider });
  await database.query('delete from jobs.job');
  t.same(await moveConnections([{ ...first, access_token: 'access-2' }]), [same]);
  t.match(await tokensOf(user_id), { status: 'revoked', access: null });

  const own = { user_id, provider, provider_user_id: 'own-account' } as const;
  await call('users.connect', { ...own, access_token: 'own-a' });
  t.same(await moveConnections([{ ...first, id: randomUUID() }, first]), [same, same]);
  t.match(await tokensOf(user_id), { status: 'active', access: 'own-a' });
  t.same(await database.query("select from jobs.job where kind = 'users.token_revocation'"), []);
});

t.test('what ended or was made anew there follows while it is unused here', async (t) => {
  const user_id = await movedUser();
  const first = connectionOf(user_id);
  t.same(await moveConnections([{ ...first, status: 'expired', status_reason: 'X' }]), [saved]);
  t.same(await moveConnections([{ ...first, provider_user_id: 'account-2' }]), [saved]);
  t.match(await tokensOf(user_id), { status: 'active', access: 'access-1' });
  t.same(
    await database.query('select provider_user_id from users.former_account where user_id = $1', [user_id]),
    [{ provider_user_id: 'account-1' }],
    'an erasure covers both accounts',
  );
  t.same(await moveConnections([{ ...first, status: 'revoked' }]), [saved]);
  t.match(await tokensOf(user_id), { status: 'revoked', access: null, refresh: null });
  t.same(
    await database.query("select from jobs.job where kind = 'users.token_revocation'"),
    [],
    'the provider is not told',
  );
});

t.test('connections of unknown users, other projects and taken ids are refused', async (t) => {
  const user_id = await movedUser();
  const other = await movedUser();
  const first = connectionOf(user_id);
  t.same(await moveConnections([first, connectionOf(randomUUID())]), [saved, refused('unknown_user')]);
  t.same(await moveConnections([{ ...first, access_token: 'stolen' }], 'other'), [refused('other_project')]);
  t.same(await moveConnections([{ ...first, user_id: other }]), [refused('id_taken')]);
  t.same(await moveConnections([{ ...first, provider: 'oura' }]), [refused('id_taken')]);
  t.same(
    await moveConnections([connectionOf(other, { id: first.id, provider: 'oura' }), connectionOf(other)]),
    [refused('id_taken'), saved],
  );
  t.match(await tokensOf(user_id), { access: 'access-1' });
});

t.test('the tokens belong to the client of the project', async (t) => {
  const user_id = await movedUser();
  const credentials = { project_id, provider, client_id: 'own', client_secret: 'own secret' } as const;
  await callAs(call, 'system:tests')('users.setCredentials', credentials);
  const connection = connectionOf(user_id);
  t.same(await moveConnections([connection]), [saved]);
  t.match(await tokensOf(user_id), { client: { client_id: 'own' } });
  t.same(await moveConnections([connection]), [same]);
  await callAs(call, 'system:tests')('users.setCredentials', { ...credentials, client_id: 'another' });
  t.same(await moveConnections([connection]), [saved], 'also one that is set between two moves');
  t.match(await tokensOf(user_id), { client: { client_id: 'another' } });
  await callAs(call, 'system:tests')('users.removeCredentials', { project_id, provider });
});
