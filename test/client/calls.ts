import { randomUUID } from 'node:crypto';
import { NotFoundError, Pulsebus } from '../../clients/typescript/src/index.ts';
import { dayMs } from '../../domain/time/time.ts';
import { newPasskey } from '../support/passkey.ts';
import { codeOf } from '../support/totp.ts';
import type { Calling, Clients } from './calling.ts';
import { callIngest } from './ingest-calls.ts';
import { admin } from './product-with-sandbox.ts';

/** Calls each operation once or more. @throws Error if one of them fails that should not. */
export async function callEveryOperation(calling: Calling): Promise<void> {
  const { product, apiKey, fetch } = calling;
  const client = (credential: { apiKey?: string; token?: string }) =>
    new Pulsebus({ baseUrl: product.url, fetch, ...credential });
  const anyone = client({});
  const { access_token: token } = await anyone.auth.login(admin);
  const clients = { anyone, pulsebus: client({ apiKey }), developer: client({ token }) };
  await callHealth(clients);
  await callAccounts(clients, client);
  await callSignIn(clients, product.url);
  await callProjects(clients);
  await callApplications(clients);
  await callUsers(clients);
  await callData(clients, calling);
  await callBackfill(clients);
  await callConnect(clients, calling);
  await callIngest(clients, calling);
  await callWebhooks(clients, calling);
  await callDestinations(clients);
}

async function callHealth({ anyone, pulsebus }: Clients) {
  await anyone.apiGateway.health();
  await anyone.apiGateway.ready();
  await anyone.devicemakerIngest.health();
  await anyone.activitynetIngest.health();
  await pulsebus.deliveries.status();
  for (const period of ['hour', 'day'] as const) await pulsebus.deliveries.received({ period });
  await pulsebus.deliveries.overview();
  await pulsebus.deliveries.providers();
}

async function callAccounts({ anyone, developer }: Clients, client: (given: { token: string }) => Pulsebus) {
  const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery staple' };
  await developer.auth.me();
  const { id: developer_id } = await developer.auth.createDeveloper(account);
  await developer.auth.listDevelopers();
  const tokens = await anyone.auth.login(account);
  const changed = { current_password: account.password, new_password: 'purple lamps over quiet water' };
  await client({ token: tokens.access_token }).auth.changePassword(changed);
  const { refresh_token } = await anyone.auth.login({ ...account, password: changed.new_password });
  const refreshed = await anyone.auth.refresh({ refresh_token: refresh_token ?? '' });
  await anyone.auth.revoke({ token: refreshed.access_token });
  await developer.auth.confirmDeveloper({ developer_id });
  await developer.auth.removeDeveloper({ developer_id });
  const { id: key_id } = await developer.auth.createKey({ name: 'A key' });
  await developer.auth.listKeys();
  await developer.auth.renameKey({ key_id, name: 'Another name' });
  const rotated = await developer.auth.rotateKey({ key_id });
  await developer.auth.removeKey({ key_id: rotated.id });
  await developer.auth.audit({ limit: 5 });
}

async function callSignIn({ anyone, developer }: Clients, url: string) {
  const invited = { email: `${randomUUID()}@example.com`, role: 'support' } as const;
  const { id: invitation_id } = await developer.auth.createInvitation(invited);
  await developer.auth.listInvitations();
  await developer.auth.removeInvitation({ invitation_id });
  const { link } = await developer.auth.createInvitation(invited);
  const token = link?.split('#')[1] ?? '';
  await anyone.auth.acceptInvitation({ token, password: 'correct horse battery staple' });
  await anyone.auth.forgotPassword({ email: invited.email });
  await developer.auth.showTotp();
  const { secret } = await developer.auth.beginTotp();
  await developer.auth.confirmTotp({ code: codeOf(secret) });
  await developer.auth.removeTotp({ password: admin.password });
  const credential = newPasskey(await developer.auth.beginPasskey({ password: admin.password }), url);
  const { id: passkey_id } = await developer.auth.confirmPasskey({ name: 'Laptop', credential });
  await developer.auth.listPasskeys();
  await developer.auth.removePasskey({ passkey_id, password: admin.password });
  const unknown = anyone.auth.resetPassword({ token, password: 'purple lamps over quiet water' });
  const refusal = await unknown.catch((error: unknown) => error);
  if (!(refusal instanceof NotFoundError)) throw new Error('a token of nothing sets a password');
}

async function callProjects({ developer }: Clients) {
  const account = { email: `${randomUUID()}@example.com`, password: 'correct horse battery staple' };
  const { id: developer_id } = await developer.auth.createDeveloper({ ...account, is_owner: false });
  await developer.auth.addMember({ email: account.email, role: 'support' });
  await developer.auth.listMembers();
  await developer.auth.removeMember({ developer_id });
  await developer.auth.removeDeveloper({ developer_id });
  const { id: project_id } = await developer.auth.createProject({ id: 'staging', name: 'Staging' });
  await developer.auth.updateProject({ project_id, rate_limit_sdk: 50 });
  await developer.timeseries.previewRetention({ samples_days: 730 });
  await developer.timeseries.changeRetention({ events_days: 365 });
  await developer.timeseries.retention();
  await developer.auth.listProjects();
  const image = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
  await developer.auth.putConnectLogo({ project_id, image });
  await developer.auth.removeConnectLogo({ project_id });
  const client = { client_id: 'client-of-tests', client_secret: 'a secret of the tests' };
  await developer.users.setCredentials({ project_id, provider: 'withings', ...client });
  await developer.users.credentials({ project_id });
  await developer.users.removeCredentials({ project_id, provider: 'withings' });
  await developer.auth.getProject({ project_id });
  await developer.auth.removeProject({ project_id });
}

async function callApplications({ anyone, pulsebus, developer }: Clients) {
  const { app_id, app_secret } = await developer.auth.createApplication({ name: 'App' });
  const { id: user_id } = await pulsebus.users.create();
  await anyone.auth.issueToken({ user_id, app_id, app_secret });
  await developer.auth.createEmbed({ user_id, origins: ['https://app.example'] });
  await developer.auth.listApplications();
  await developer.auth.renameApplication({ app_id, name: 'Another name' });
  await developer.auth.rotateSecret({ app_id });
  await developer.auth.removeApplication({ app_id });
}

async function callUsers({ pulsebus, developer }: Clients) {
  const { id: user_id } = await pulsebus.users.create({ first_name: 'Ada', external_user_id: randomUUID() });
  await pulsebus.users.get({ user_id });
  await pulsebus.users.update({ user_id, last_name: 'Byron' });
  await pulsebus.users.list({ limit: 2 }).toArray(5);
  await pulsebus.users.connect({ user_id, provider: 'devicemaker', provider_user_id: randomUUID() });
  await pulsebus.users.connections({ user_id });
  await pulsebus.connect.status({ user_id, provider: 'devicemaker' });
  await developer.auth.accesses({ user_id, limit: 5 }).toArray(5);
  await pulsebus.connect.consents({ user_id, limit: 5 }).toArray(5);
  await pulsebus.users.disconnect({ user_id, provider: 'devicemaker', purge: true });
  await pulsebus.users.remove({ user_id });
}

async function callData({ pulsebus }: Clients, { userId: user_id }: Calling) {
  const start_date = new Date(Date.now() - 4 * dayMs).toISOString().slice(0, 10);
  const days = { user_id, start_date, end_date: new Date(Date.now() + dayMs).toISOString().slice(0, 10) };
  const range = { user_id, start_time: days.start_date, end_time: days.end_date };
  const { timeseries, summaries, apiGateway } = pulsebus;
  await timeseries.samples({ ...range, types: ['heart_rate'], limit: 100 }).toArray(250);
  await timeseries.samples({ ...range, resolution: '1hour' });
  await timeseries.samples({ ...range, include: ['zone'], limit: 5 });
  await timeseries.chart({ ...range, types: ['heart_rate'], max_points: 50 });
  const [workout] = await timeseries.workouts({ ...days, limit: 2 }).toArray();
  await timeseries.workout({ user_id, event_id: workout?.id ?? '' });
  const [sleep] = await timeseries.sleeps({ ...days, limit: 2 }).toArray();
  await timeseries.sleeps({ ...days, include: ['timeline'], limit: 2 });
  await timeseries.sleep({ user_id, event_id: sleep?.id ?? '' });
  await timeseries.sleepStages({ user_id, event_id: sleep?.id ?? '' });
  const [other] = await timeseries.others({ ...days, limit: 2 }).toArray();
  await timeseries.other({ user_id, event_id: other?.id ?? '' });
  await timeseries.calendar(days);
  await timeseries.sourcePriority({ user_id });
  await timeseries.changeSourcePriority({ user_id, series_type: 'steps', device_types: ['phone', 'watch'] });
  await timeseries.changeSourcePriority({ user_id, series_type: 'steps', device_types: null });
  await timeseries.routePrivacy({ user_id });
  await apiGateway.workoutStreams({
    user_id,
    event_id: workout?.id ?? '',
    types: ['heart_rate'],
    resolution: '10',
  });
  const zone = { latitude: 52.5, longitude: 13.4, radius_meters: 200 };
  await timeseries.changeRoutePrivacy({ user_id, privacy_zones: [zone] });
  await timeseries.changeRoutePrivacy({ user_id, privacy_zones: [], store_routes: null });
  await timeseries.scores({ ...days, kind: 'sleep', limit: 2 });
  await timeseries.scores({ ...days, category: 'resilience' });
  await summaries.activity({ ...days, explain: true }).toArray();
  await summaries.sleep(days).toArray();
  await summaries.days({ ...days, provider: 'devicemaker' }).toArray();
  await summaries.day({ user_id, date: start_date });
  await summaries.body({ user_id });
  await summaries.recovery(days).toArray();
  await callInsights(pulsebus, user_id);
  for await (const _ of apiGateway.export({ user_id }));
  for await (const _ of apiGateway.download({ ...range, types: ['steps'] }));
  await apiGateway.download({ ...range, types: ['steps'], format: 'csv' }).text();
}

async function callInsights({ insights }: Clients['pulsebus'], user_id: string) {
  const days = { user_id, start_date: '2026-03-01', end_date: '2026-03-02' };
  await insights.baselines({ ...days, window: 60, explain: true }).toArray();
  await insights.days(days).toArray();
  await insights.training({ ...days, sex: 'female' }).toArray();
  await insights.glucose({ user_id, end_date: '2026-03-02' });
}

async function callBackfill({ pulsebus }: Clients) {
  const { id: user_id } = await pulsebus.users.create();
  const connection = { user_id, provider: 'devicemaker' } as const;
  await pulsebus.users.connect({ ...connection, provider_user_id: randomUUID(), access_token: 'a token' });
  await pulsebus.backfill.start({ ...connection, days: 1 });
  await pulsebus.backfill.status(connection);
  await pulsebus.freshness.ofUser({ user_id: connection.user_id });
  await pulsebus.backfill.cancel(connection);
}

async function callConnect({ anyone, pulsebus }: Clients, { userId: user_id }: Calling) {
  const provider = 'activitynet';
  await pulsebus.connect.createSession({ user_id, providers: [provider], language: 'de' });
  const { authorization_url } = await pulsebus.connect.authorize({ provider, user_id });
  const state = new URL(authorization_url).searchParams.get('state') ?? '';
  await anyone.connect.callback({ provider, state, error: 'access_denied' });
  await anyone.connect.result({ provider, status: 'denied' });
}

async function callDestinations({ pulsebus }: Clients) {
  const { destinations } = pulsebus;
  const settings = {
    ...{ endpoint: 'https://store.example', bucket: 'health-data', interval_seconds: 60 },
    ...{ access_key_id: 'KEY', secret_access_key: 'of-the-calls' },
  };
  const { id: destination_id } = await destinations.create({ kind: 's3', settings, types: ['sleep'] });
  await destinations.list();
  await destinations.get({ destination_id });
  await destinations.update({ destination_id, description: 'A note' });
  await destinations.pause({ destination_id });
  await destinations.reset({ destination_id, from: 'now' });
  await destinations.resume({ destination_id });
  await destinations.remove({ destination_id });
}

async function callWebhooks({ pulsebus }: Clients, { receiverUrl }: Calling) {
  const { webhooks } = pulsebus;
  const { id: endpoint_id } = await webhooks.createEndpoint({ url: `${receiverUrl}/hook` });
  await webhooks.listEndpoints();
  await webhooks.getEndpoint({ endpoint_id });
  await webhooks.updateEndpoint({ endpoint_id, description: 'A note' });
  await webhooks.rotateSecret({ endpoint_id });
  const { id: message_id } = await webhooks.testEndpoint({ endpoint_id });
  await webhooks.messages({ endpoint_id });
  await webhooks.resendMessage({ endpoint_id, message_id });
  const since = new Date(Date.now() - dayMs).toISOString();
  await webhooks.recoverMessages({ endpoint_id, since });
  await webhooks.replayMessages({ endpoint_id, since });
  await webhooks.changes({ limit: 20 });
  await pulsebus.freshness.list({ state: 'late' });
  await pulsebus.freshness.incidents();
  await webhooks.removeEndpoint({ endpoint_id });
}
