import { randomUUID } from 'node:crypto';
import t from 'tap';
import { z } from 'zod';
import { jobIdOf } from '../../contracts/deliveries/jobs.ts';
import { type Endpoint, endpoints } from '../../services/api-gateway/rules/endpoints.ts';
import { sha256 } from '../../services/auth/rules/secrets.ts';
import { insertResetLink } from '../../services/auth/tables/developers.ts';
import { consentTo, playProvider } from '../services/connect/provider.ts';
import { activity, workout } from '../services/timeseries/items.ts';
import { type Ask, createUser, developer, push, startApi, userToken } from '../support/api.ts';
import { linkFor } from '../support/connect.ts';
import { insertMember } from '../support/members.ts';
import { newPasskey } from '../support/passkey.ts';
import { codeOf } from '../support/totp.ts';

const provider = await playProvider(t);
const api = await startApi(t, {
  ...provider.settings,
  BACKFILL_ON_CONNECT: 'false',
  WEBHOOK_ENDPOINT_ORIGINS: 'http://127.0.0.1:9',
});
const secret = { first_name: 'Wilhelmina', email: 'wilhelmina@example.com', external_user_id: 'ext-7351' };
const Id = z.object({ id: z.string() });
const App = z.object({ app_id: z.string() });
const byDeveloper = { token: api.developerToken };

const made = async (path: string, body: unknown) => (await api.ask(path, { ...byDeveloper, body })).body;
const keyId = async () => Id.parse(await made('/api/v1/api-keys', { name: 'Audited' })).id;
const appId = async () => App.parse(await made('/api/v1/applications', { name: 'Audited' })).app_id;
const account = () => ({ email: `${randomUUID()}@example.com`, password: 'a long password of the tests' });
const invited = () => ({ email: account().email, role: 'support' });
const project = () => ({ id: `p-${randomUUID().slice(0, 8)}`, name: 'Audited' });
const clientOfProject = { client_id: 'client-of-tests', client_secret: 'a secret of the tests' };
const logo = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
const projectId = async () => Id.parse(await made('/api/v1/projects', project())).id;
const NewTotp = z.object({ secret: z.string() });
const newerPassword = { password: 'a newer password of the tests' };
const passkeyBody = async () => ({
  name: 'Laptop',
  credential: newPasskey(await made('/api/v1/auth/passkeys', newerPassword), api.url),
});
const Member = z.object({ developer_id: z.string() });
const memberEmail = async () => {
  const email = `${randomUUID()}@example.com`;
  await insertMember(api, email, []);
  return email;
};
const linked = async () => {
  const user = await createUser(api, {});
  await api.expect(201, `/users/${user}/connections`, {
    body: { provider: 'devicemaker', provider_user_id: randomUUID(), access_token: randomUUID() },
  });
  return `/users/${user}/connections/devicemaker`;
};

const deliveryId = async () => {
  await push(api, { dailies: [] });
  const [row] = await api.database.query<{ id: string }>('select id from deliveries.delivery');
  return row?.id;
};

const Code = z.object({ code: z.string() });
const endpoint = { url: 'http://127.0.0.1:9/hook' }; // nothing listens there
const endpointId = async () => Id.parse(await made('/api/v1/webhook-endpoints', endpoint)).id;
const destination = {
  kind: 's3',
  settings: {
    ...{ endpoint: 'https://store.example', bucket: 'health-data' },
    ...{ access_key_id: 'KEY', secret_access_key: 'of-the-test' },
  },
};
// A project has at most ten of them.
const destinationCall = async (path: string, given: Ask) => {
  await api.database.query('delete from destinations.destination');
  const { id } = Id.parse(await made('/api/v1/destinations', destination));
  return { path: `/destinations/${id}${path}`, key: api.apiKey, ...given };
};
const endpointCall = async (path: string, given: Ask) => ({
  ...{ path: `/webhook-endpoints/${await endpointId()}${path}`, key: api.apiKey, ...given },
});

interface Request extends Ask {
  readonly path: string;
  /** The request id of the entry; default: that of the test. */
}

/**
 * A request that succeeds for each route that changes something or exports personal data. A new route without one is
 * red, and so is one whose request leaves no entry of the action that its contract states.
 */
const requests: Readonly<Record<string, () => Promise<Request>>> = {
  'file-import.create': async () => {
    const path = `/users/${await createUser(api)}/imports`;
    return { path, key: api.apiKey, body: 'type,timestamp,value\nheart_rate,2026-01-01T08:00:00Z,60\n' };
  },
  'file-import.cancel': async () => {
    const user = await createUser(api);
    const import_id = randomUUID();
    await api.database.query('insert into imports.import (id, user_id) values ($1, $2)', [import_id, user]);
    return { path: `/users/${user}/imports/${import_id}`, key: api.apiKey, method: 'DELETE' };
  },
  'phone-ingest.createCode': async () => {
    return { path: `/users/${await createUser(api)}/invitation-code`, ...byDeveloper, method: 'POST' };
  },
  'phone-ingest.redeemCode': async () => {
    const user = await createUser(api);
    const connection = { provider: 'phone', provider_user_id: user };
    await api.expect(201, `/users/${user}/connections`, { body: connection });
    const { code } = Code.parse(await made(`/api/v1/users/${user}/invitation-code`, {}));
    return { path: '/invitation-code/redeem', body: { code } };
  },
  'auth.revoke': async () => {
    const user = await createUser(api);
    return { path: '/auth/revoke', body: { token: await userToken(api, user) } };
  },
  'auth.login': async () => ({ path: '/auth/login', body: developer }),
  'auth.changePassword': async () => {
    const body = { current_password: developer.password, new_password: 'a newer password of the tests' };
    return { path: '/auth/change-password', ...byDeveloper, body };
  },
  'auth.createDeveloper': async () => ({ path: '/developers', ...byDeveloper, body: account() }),
  'auth.removeDeveloper': async () => {
    const { id } = Id.parse(await made('/api/v1/developers', account()));
    return { path: `/developers/${id}`, ...byDeveloper, method: 'DELETE' };
  },
  'auth.confirmDeveloper': async () => {
    const { id } = Id.parse(await made('/api/v1/developers', account()));
    return { path: `/developers/${id}/confirm`, ...byDeveloper, method: 'POST' };
  },
  'auth.createInvitation': async () => ({ path: '/invitations', ...byDeveloper, body: invited() }),
  'auth.removeInvitation': async () => {
    const { id } = Id.parse(await made('/api/v1/invitations', invited()));
    return { path: `/invitations/${id}`, ...byDeveloper, method: 'DELETE' };
  },
  'auth.acceptInvitation': async () => {
    const { link } = z.object({ link: z.string() }).parse(await made('/api/v1/invitations', invited()));
    const body = { token: link.split('#')[1], password: account().password };
    return { path: '/invitations/accept', body };
  },
  'auth.resetPassword': async () => {
    const given = account();
    await made('/api/v1/developers', given);
    const token = randomUUID();
    await insertResetLink(api.database, { hash: sha256(token), email: given.email, seconds: 60 });
    return { path: '/auth/reset-password', body: { token, password: 'a newer password of the tests' } };
  },
  'auth.confirmTotp': async () => ({
    path: '/auth/totp/confirm',
    ...byDeveloper,
    body: { code: codeOf(NewTotp.parse(await made('/api/v1/auth/totp', {})).secret) },
  }),
  'auth.removeTotp': async () => ({
    path: '/auth/totp',
    ...byDeveloper,
    method: 'DELETE',
    body: { password: 'a newer password of the tests' },
  }),
  'auth.confirmPasskey': async () => ({
    path: '/auth/passkeys/confirm',
    ...byDeveloper,
    body: await passkeyBody(),
  }),
  'auth.removePasskey': async () => {
    const { id } = Id.parse(await made('/api/v1/auth/passkeys/confirm', await passkeyBody()));
    return { path: `/auth/passkeys/${id}`, ...byDeveloper, method: 'DELETE', body: newerPassword };
  },
  'auth.createKey': async () => ({ path: '/api-keys', ...byDeveloper, body: { name: 'New' } }),
  'auth.renameKey': async () => ({
    path: `/api-keys/${await keyId()}`,
    ...byDeveloper,
    method: 'PATCH',
    body: { name: 'Other' },
  }),
  'auth.rotateKey': async () => ({
    path: `/api-keys/${await keyId()}/rotate`,
    ...byDeveloper,
    method: 'POST',
  }),
  'auth.removeKey': async () => ({ path: `/api-keys/${await keyId()}`, ...byDeveloper, method: 'DELETE' }),
  'auth.createApplication': async () => ({ path: '/applications', ...byDeveloper, body: { name: 'New' } }),
  'auth.renameApplication': async () => ({
    path: `/applications/${await appId()}`,
    ...byDeveloper,
    method: 'PATCH',
    body: { name: 'Other' },
  }),
  'auth.removeApplication': async () => ({
    path: `/applications/${await appId()}`,
    ...byDeveloper,
    method: 'DELETE',
  }),
  'auth.rotateSecret': async () => ({
    path: `/applications/${await appId()}/rotate-secret`,
    ...byDeveloper,
    method: 'POST',
  }),
  'auth.issueToken': async () => ({
    path: `/users/${await createUser(api)}/token`,
    ...byDeveloper,
    method: 'POST',
  }),
  'auth.createEmbed': async () => ({
    path: '/console/embeds',
    ...byDeveloper,
    body: { user_id: await createUser(api), origins: ['https://app.example'] },
  }),
  'auth.createProject': async () => ({ path: '/projects', ...byDeveloper, body: project() }),
  'auth.updateProject': async () => ({
    path: `/projects/${await projectId()}`,
    ...byDeveloper,
    method: 'PATCH',
    body: { name: 'Other' },
  }),
  'auth.putConnectLogo': async () => ({
    path: `/projects/${await projectId()}/connect-logo`,
    ...byDeveloper,
    method: 'PUT',
    body: { image: logo },
  }),
  'auth.removeConnectLogo': async () => {
    const id = await projectId();
    const given = { ...byDeveloper, method: 'PUT', body: { image: logo } };
    await api.ask(`/api/v1/projects/${id}/connect-logo`, given);
    return { path: `/projects/${id}/connect-logo`, ...byDeveloper, method: 'DELETE' };
  },
  'users.setCredentials': async () => ({
    path: `/projects/${await projectId()}/providers/withings`,
    ...byDeveloper,
    method: 'PUT',
    body: clientOfProject,
  }),
  'users.removeCredentials': async () => {
    const path = `/projects/${await projectId()}/providers/withings`;
    await api.ask(`/api/v1${path}`, { ...byDeveloper, method: 'PUT', body: clientOfProject });
    return { path, ...byDeveloper, method: 'DELETE' };
  },
  'auth.removeProject': async () => ({
    path: `/projects/${await projectId()}`,
    ...byDeveloper,
    method: 'DELETE',
  }),
  'auth.addMember': async () => ({
    path: '/members',
    ...byDeveloper,
    body: { email: await memberEmail(), role: 'support' },
  }),
  'auth.removeMember': async () => {
    const body = { email: await memberEmail(), role: 'support' };
    const { developer_id } = Member.parse(await made('/api/v1/members', body));
    return { path: `/members/${developer_id}`, ...byDeveloper, method: 'DELETE' };
  },
  'timeseries.changeRetention': async () => ({
    path: '/retention',
    ...byDeveloper,
    method: 'PATCH',
    body: { events_days: 400 },
  }),
  'users.create': async () => ({ path: '/users', key: api.apiKey, body: secret }),
  'users.update': async () => ({
    path: `/users/${await createUser(api)}`,
    key: api.apiKey,
    method: 'PATCH',
    body: { ...secret, external_user_id: 'ext-7352' },
  }),
  'timeseries.changeSourcePriority': async () => ({
    path: `/users/${await createUser(api)}/source-priority`,
    key: api.apiKey,
    method: 'PATCH',
    body: { device_types: ['phone', 'watch'] },
  }),
  'timeseries.changeRoutePrivacy': async () => ({
    path: `/users/${await createUser(api)}/route-privacy`,
    key: api.apiKey,
    method: 'PATCH',
    body: { store_routes: false },
  }),
  'users.remove': async () => ({
    path: `/users/${await createUser(api)}`,
    key: api.apiKey,
    method: 'DELETE',
  }),
  'users.connect': async () => ({
    path: `/users/${await createUser(api)}/connections`,
    key: api.apiKey,
    body: { provider: 'devicemaker', provider_user_id: 'account-7353' },
  }),
  'users.disconnect': async () => ({ path: await linked(), key: api.apiKey, method: 'DELETE' }),
  'backfill.start': async () => ({
    path: `${await linked()}/backfill`,
    key: api.apiKey,
    body: { days: 3 },
  }),
  'backfill.cancel': async () => {
    const path = `${await linked()}/backfill`;
    await api.expect(202, path, { body: { days: 3 } });
    return { path, key: api.apiKey, method: 'DELETE' };
  },
  'deliveries.replay': async () => ({
    path: `/deliveries/${await deliveryId()}/replay`,
    key: api.apiKey,
    method: 'POST',
  }),
  'deliveries.retryJob': async () => {
    const key = randomUUID();
    await api.database.query("insert into jobs.job (kind, key, dead_at) values ('test.dead', $1, now())", [
      key,
    ]);
    return { path: `/jobs/${jobIdOf('test.dead', key)}/retry`, key: api.apiKey, method: 'POST' };
  },
  'deliveries.startReprocess': async () => ({
    path: '/deliveries/reprocess',
    token: api.developerToken,
    body: { provider: 'devicemaker' },
  }),
  'deliveries.cancelReprocess': async () => {
    const [run] = await api.database.query<{ id: string }>(
      `insert into deliveries.reprocess_run (provider, from_time, normaliser_version, deliveries_total)
       values ('devicemaker', now(), 1, 0) returning id`,
    );
    return { path: `/reprocess-runs/${run?.id}`, token: api.developerToken, method: 'DELETE' };
  },
  'deliveries.body': async () => ({ path: `/deliveries/${await deliveryId()}/body`, ...byDeveloper }),
  'destinations.create': async () => ({ path: '/destinations', key: api.apiKey, body: destination }),
  'destinations.update': () => destinationCall('', { method: 'PATCH', body: { description: 'A note' } }),
  'destinations.remove': () => destinationCall('', { method: 'DELETE' }),
  'destinations.pause': () => destinationCall('/pause', { method: 'POST' }),
  'destinations.resume': () => destinationCall('/resume', { method: 'POST' }),
  'destinations.reset': () => destinationCall('/reset', { method: 'POST' }),
  'webhooks.createEndpoint': async () => ({ path: '/webhook-endpoints', key: api.apiKey, body: endpoint }),
  'webhooks.updateEndpoint': () => endpointCall('', { method: 'PATCH', body: { include_data: true } }),
  'webhooks.removeEndpoint': () => endpointCall('', { method: 'DELETE' }),
  'webhooks.rotateSecret': () => endpointCall('/rotate-secret', { method: 'POST' }),
  'webhooks.testEndpoint': () => endpointCall('/test', { method: 'POST' }),
  'webhooks.resendMessage': async () => {
    const id = await endpointId();
    const [row] = await api.database.query<{ id: string }>(
      `insert into webhooks.message (endpoint_id, change_id, type, state, recorded_at)
       values ($1, (select max(id) from changes.change), 'user.created', 'failed', now()) returning id`,
      [id],
    );
    return { path: `/webhook-endpoints/${id}/messages/${row?.id}/resend`, key: api.apiKey, method: 'POST' };
  },
  'webhooks.recoverMessages': () => endpointCall('/recover', { body: { since: '2026-01-01' } }),
  'webhooks.replayMessages': () => endpointCall('/replay', { body: { since: '2026-01-01' } }),
  'connect.authorize': async () => ({
    path: `/connect/devicemaker/authorize?user_id=${await createUser(api)}`,
    key: api.apiKey,
  }),
  'connect.createSession': async () => ({
    path: '/connect/sessions',
    key: api.apiKey,
    body: { user_id: await createUser(api) },
  }),
  'connect.callback': async () => {
    const user = await createUser(api);
    const { authorization_url } = await linkFor(api, user, 'devicemaker', null);
    const url = await consentTo(authorization_url);
    return { path: `${url.pathname.replace('/api/v1', '')}${url.search}` };
  },
  'api-gateway.download': async () => ({
    path: `/users/${await createUser(api)}/timeseries/download?start_time=2026-01-01&end_time=2026-01-02`,
    key: api.apiKey,
  }),
  'api-gateway.workoutStreams': async () => {
    const user_id = await createUser(api);
    const items = [activity(workout(Date.UTC(2026, 2, 1), 60))];
    const [stored] = await api.call('timeseries.store', { user_id, provider: 'devicemaker', items });
    return {
      path: `/users/${user_id}/events/workouts/${stored?.record_ids[0]}/streams`,
      key: api.apiKey,
    };
  },
  'fhir.exportFile': async () => {
    const started = await api.ask(`/api/v1/fhir/Patient/${await createUser(api)}/$export`, {
      key: api.apiKey,
    });
    const status = (started.headers.get('content-location') ?? '').replace(`${api.url}/api/v1`, '');
    return { path: `${status}/Patient.1-of-1.ndjson`, key: api.apiKey };
  },
  'api-gateway.export': async () => ({ path: `/users/${await createUser(api)}/export`, key: api.apiKey }),
};

const changes = (endpoint: Endpoint) => {
  const { route } = endpoint;
  const isAudited = typeof route.audit === 'string' && route.audit !== 'user.read';
  return route.method !== 'GET' || route.stream !== undefined || isAudited;
};
const audited = endpoints.filter((one) => changes(one) && typeof one.route.audit === 'string');

t.test('every route that changes something states its audit entry, or why it has none', async (t) => {
  const silent = endpoints.filter((one) => changes(one) && one.route.audit === undefined);
  t.same(
    silent.map(({ action }) => action),
    [],
  );
  const exempt = endpoints.filter(({ route }) => typeof route.audit === 'object');
  t.same(exempt.map(({ action }) => action).sort(), [
    'activitynet-ingest.receive',
    'auth.beginPasskey',
    'auth.beginTotp',
    'auth.forgotPassword',
    'auth.refresh',
    'devicemaker-ingest.ping',
    'devicemaker-ingest.push',
    'fhir.cancelExport',
    'fhir.exportAll',
    'fhir.exportPatient',
    'fhir.exportStatus',
    'phone-ingest.logs',
    'phone-ingest.refreshToken',
    'phone-ingest.sync',
    'pull-ingest.receive_googlehealth',
    'pull-ingest.receive_oura',
    'pull-ingest.receive_polar',
    'pull-ingest.receive_suunto',
    'pull-ingest.receive_whoop',
    'pull-ingest.receive_withings',
    'timeseries.previewRetention',
  ]);
  t.same(audited.map(({ action }) => action).sort(), Object.keys(requests).sort());
  t.ok(audited.length >= 24);
});

/** Changes that consist of several, each of which has its entry. */
const further: Readonly<Record<string, readonly string[]>> = {
  'auth.acceptInvitation': ['developer.created', 'member.added'],
  'auth.createEmbed': ['token.issued'],
  'file-import.create': ['connection.created'],
};

for (const { action, route } of audited) {
  t.test(`${route.method} ${route.path} leaves an entry with its request id`, async (t) => {
    const { path, ...given } = (await requests[action]?.()) ?? { path: '/none' };
    const requestId = `request-of-${action}`;
    const answer = await api.ask(`/api/v1${path}`, { ...given, headers: { 'X-Request-Id': requestId } });
    t.ok(answer.status < 400, `${answer.status}: ${answer.text.slice(0, 200)}`);
    const all = await api.database.query<{ action: string; user_id: string | null }>(
      'select action, actor, user_id, subject_id from auth.audit_entry where request_id = $1',
      [requestId],
    );
    const others = further[action] ?? [];
    const entries = all.filter((entry) => !others.includes(entry.action));
    t.equal(all.length, entries.length + others.length, 'each part of it has one');
    // The id of a project is a text, which stands in `subject_name`.
    const hasNoId = /changeRetention|(Project|ConnectLogo)$/.test(action);
    const subject_id = hasNoId ? null : /./;
    t.match(entries, [{ action: route.audit, actor: /^(admin|api_key|user|consent):/, subject_id }]);
    t.equal(entries.length, 1, 'one request, one entry');
    const isOfUser = /user|connection|backfill|import|token|embed/.test(String(route.audit));
    t.equal(entries[0]?.user_id !== null, isOfUser, 'whose data it concerns');
  });
}

t.test('no entry contains names, addresses or accounts of requests', async (t) => {
  const entries = JSON.stringify(await api.database.query('select * from auth.audit_entry'));
  for (const value of [...Object.values(secret), 'account-7353', '@example.com']) t.notMatch(entries, value);
});
