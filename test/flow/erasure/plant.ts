import { z } from 'zod';
import { run } from '../../fixtures/activitynet/activities.ts';
import { activity } from '../../fixtures/devicemaker/activities.ts';
import { daily } from '../../fixtures/devicemaker/dailies.ts';
import { bodyComp, userMetrics } from '../../fixtures/devicemaker/occasional.ts';
import { consentTo, type PlayedProvider } from '../../services/connect/provider.ts';
import { type Answer, type Ask, ask } from '../../support/api.ts';
import type { Planted } from './planted.ts';

/** The product, a credential and the simulated providers. */
export interface Planting {
  readonly url: string;
  readonly apiKey: string;
  readonly developerToken: string;
  readonly provider: PlayedProvider;
}

const Id = z.object({ id: z.string() });
const Link = z.object({ authorization_url: z.string() });
const Token = z.object({ refresh_token: z.string() });
const Deliveries = z.object({ data: z.array(Id) });
const start = Date.UTC(2026, 2, 1, 8) / 1000;

/** Makes the user, with fields that change later; failed requests of each kind come with them. */
export async function plantUser(on: Planting, { former }: Planted): Promise<string> {
  const key = { 'Idempotency-Key': `create ${former.external_user_id}` };
  const { id } = Id.parse(await expect(on, 201, 'POST', '/users', { body: former, headers: key }));
  await expect(on, 201, 'POST', '/users', { body: former, headers: key });
  await expect(on, 409, 'POST', '/users', { body: former });
  await expect(on, 422, 'PATCH', `/users/${id}`, { body: { email: `${former.last_name} at nowhere` } });
  await expect(on, 422, 'GET', `/users/${former.external_user_id}`);
  for (const value of Object.values(former))
    await expect(on, 200, 'GET', `/users?search=${encodeURIComponent(value)}`);
  return id;
}

/** Changes every field of the user, and tries to give another user the same external id. */
export async function changeUser(on: Planting, id: string, { current }: Planted): Promise<void> {
  for (const [name, value] of Object.entries(current))
    await expect(on, 200, 'PATCH', `/users/${id}`, { body: { [name]: value } });
  const other = Id.parse(await expect(on, 201, 'POST', '/users', { body: {} }));
  const body = { external_user_id: current.external_user_id };
  await expect(on, 409, 'PATCH', `/users/${other.id}`, { body });
  await expect(on, 200, 'GET', `/users?email=${encodeURIComponent(current.email)}`);
}

/** Imports a link with its tokens, which another account takes the place of. */
export async function plantFormerAccount(
  on: Planting,
  id: string,
  { accounts, tokens }: Planted,
): Promise<void> {
  const body = {
    provider: 'devicemaker',
    provider_user_id: accounts.former,
    access_token: tokens.access,
    refresh_token: tokens.refresh,
  };
  const headers = { 'Idempotency-Key': `connect ${accounts.former}` };
  await expect(on, 201, 'POST', `/users/${id}/connections`, { body, headers });
  await expect(on, 409, 'POST', `/users/${id}/connections`, { body });
  await push(on, { dailies: [daily(accounts.former, 1)] });
}

/** Walks the way to both providers; further attempts end in every other way. */
export async function connectAccounts(on: Planting, id: string, { accounts }: Planted): Promise<void> {
  for (const name of ['devicemaker', 'activitynet'] as const) {
    on.provider.account = accounts[name];
    await followRedirect(on, await consentTo(await linkFor(on, id, name)));
    await followRedirect(on, await consentTo(await linkFor(on, id, name), { deny: true }));
    await linkFor(on, id, name);
    await ask(on.url, `/api/v1/connect/${name}/callback?state=unknown&code=${accounts[name]}`);
  }
}

/** Pushes items of many types, malformed ones among them, and bodies that are none. */
export async function plantPushes(on: Planting, planted: Planted, other: string): Promise<void> {
  const { accounts, activities, devices, workouts, health } = planted;
  const userId = accounts.devicemaker;
  await push(on, {
    dailies: [daily(other, 1), daily(userId, 2, { deviceName: devices.watch })],
    activities: [
      activity(userId, {
        activityId: Number(activities.run),
        activityName: workouts.run,
        deviceName: devices.watch,
        distanceInMeters: health.runMeters,
      }),
    ],
    bodyComps: [bodyComp(userId, { weightInGrams: health.grams })],
    userMetrics: [userMetrics(userId, { vo2Max: health.vo2 })],
    mct: [
      {
        userId,
        summaryId: 'mct-1',
        periodStartDate: '2026-03-01',
        dayInCycle: 3,
        currentPhaseType: health.phase,
      },
    ],
    unheardOf: [{ userId, text: devices.watch }],
  });
  const heartRate = health.malformed;
  await push(on, {
    dailies: [
      { userID: userId, heartRate },
      [{ user: { id: userId }, heartRate }, daily(other, 1)],
      { userId: [userId], heartRate },
      daily(other, 1, { deviceName: userId }),
    ],
    epochs: { userId, heartRate },
    [userId]: [{ heartRate }],
  });
  await push(on, JSON.stringify({ dailies: [daily(userId, 1)] }).replace('userId', '\\u0075serId'));
  await push(on, `{"dailies":[{"userId":"${userId}","heartRate":${heartRate}`);
  await push(on, [{ userId, heartRate }]);
}

/** Pings of which one is fetched, one waits for a provider that is down, and one leads nowhere. */
export async function plantPings(on: Planting, { accounts, health }: Planted): Promise<void> {
  const { provider } = on;
  const userId = accounts.devicemaker;
  const notice = (type: string) => ({
    userId,
    callbackURL: `${provider.origin}/dm/api/${type}?token=${userId}`,
  });
  provider.bodies.set('/dm/api/bodyComps', [
    bodyComp(userId, { measurementTimeInSeconds: start, bodyFatInPercent: health.fat }),
    { userID: userId, heartRate: health.waiting },
  ]);
  provider.faults.set('/dm/api/epochs', 503);
  await ping(on, { bodyComps: [notice('bodyComps')] });
  await ping(on, { epochs: [{ ...notice('epochs'), heartRate: health.waiting }] });
  await ping(on, { sleeps: [{ userId, callbackURL: `https://elsewhere.example/${userId}` }] });
}

/** Events of which one is fetched, one carries a title, one is of another athlete, and some are malformed. */
export async function plantEvents(
  on: Planting,
  { accounts, activities, devices, workouts, health }: Planted,
): Promise<void> {
  const owner_id = Number(accounts.activitynet);
  const activityId = activities.ride;
  const fields = { name: workouts.ride, device_name: devices.bicycle, distance: health.rideMeters };
  on.provider.bodies.set(`/an/api/activities/${activityId}`, run(activityId, fields));
  const event = { object_type: 'activity', object_id: Number(activityId), owner_id, event_time: start };
  await send(on, '/webhooks/activitynet/webhook', { ...event, aspect_type: 'create', updates: {} });
  await send(on, '/webhooks/activitynet/webhook', {
    ...event,
    ...{ aspect_type: 'update', event_time: start + 1, updates: { title: workouts.title } },
  });
  await send(on, '/webhooks/activitynet/webhook', { ownerId: owner_id, updates: { title: workouts.title } });
  await send(
    on,
    '/webhooks/activitynet/webhook',
    `{"owner_id":${owner_id},"updates":{"title":"${workouts.title}"`,
  );
}

/** Sends what providers send for accounts whose user was deleted before. */
export async function plantLate(on: Planting, { accounts, devices }: Planted, other: string): Promise<void> {
  for (const userId of [accounts.devicemaker, accounts.former])
    await push(on, { dailies: [daily(other, 1), daily(userId, 2, { deviceName: devices.watch })] });
  await push(on, { deregistrations: [{ userId: accounts.devicemaker }] });
  const callbackURL = `${on.provider.origin}/dm/api/epochs?token=${accounts.devicemaker}`;
  await ping(on, { epochs: [{ userId: accounts.devicemaker, callbackURL }] });
  const event = { object_type: 'activity', object_id: 1, owner_id: Number(accounts.activitynet) };
  await send(on, '/webhooks/activitynet/webhook', {
    ...event,
    ...{ aspect_type: 'create', event_time: start, updates: {} },
  });
}

/** Reads, exports, issues a token, starts a backfill and replays deliveries; returns the token. */
export async function useData(on: Planting, id: string): Promise<string> {
  await expect(on, 200, 'GET', `/users/${id}/export`);
  const range = 'start_date=2025-01-01&end_date=2026-12-31';
  for (const path of ['summaries/activity', 'summaries/body', 'events/workouts'])
    await ask(on.url, `/api/v1/users/${id}/${path}?${range}`, { key: on.apiKey });
  await ask(on.url, `/api/v1/users/${id}/connections/devicemaker/backfill`, {
    method: 'POST',
    key: on.apiKey,
    body: {},
  });
  for (const status of ['done', 'dead'])
    for (const { id: delivery } of Deliveries.parse(
      await expect(on, 200, 'GET', `/deliveries?status=${status}&limit=100`),
    ).data)
      await ask(on.url, `/api/v1/deliveries/${delivery}/replay`, { method: 'POST', key: on.apiKey });
  const headers = { 'Idempotency-Key': `token ${id}` };
  const issued = await ask(on.url, `/api/v1/users/${id}/token`, {
    method: 'POST',
    token: on.developerToken,
    headers,
  });
  return Token.parse(issued.body).refresh_token;
}

async function linkFor(on: Planting, id: string, name: string): Promise<string> {
  return Link.parse(await expect(on, 200, 'GET', `/connect/${name}/authorize?user_id=${id}`))
    .authorization_url;
}

function followRedirect(on: Planting, { pathname, search }: URL): Promise<Answer> {
  return ask(on.url, `${pathname}${search}`, { headers: { accept: 'text/html' } });
}

const push = (on: Planting, body: unknown) => send(on, '/webhooks/devicemaker/push', body);
const ping = (on: Planting, body: unknown) => send(on, '/webhooks/devicemaker/ping', body);

// A body that cannot be read is refused, and kept all the same.
async function send(on: Planting, path: string, body: unknown): Promise<void> {
  const headers = { 'devicemaker-client-id': 'tests' };
  const answer = await ask(on.url, `/api/v1${path}`, { body, headers });
  if (![200, 400, 422].includes(answer.status))
    throw new Error(`POST ${path}: ${answer.status}: ${answer.text}`);
}

async function expect(
  on: Planting,
  status: number,
  method: string,
  path: string,
  given: Ask = {},
): Promise<unknown> {
  const answer = await ask(on.url, `/api/v1${path}`, { method, key: on.apiKey, ...given });
  if (answer.status === status) return answer.body;
  throw new Error(`${method} ${path}: ${answer.status}, not ${status}: ${answer.text.slice(0, 300)}`);
}
