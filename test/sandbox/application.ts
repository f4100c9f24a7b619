import { createHash, randomBytes } from 'node:crypto';
import type { Test } from 'tap';
import { z } from 'zod';
import type { OAuth } from '../../domain/provider/provider.ts';
import { oauthOf, type PulledName, providers } from '../../providers/all.ts';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../sandbox/server/server.ts';
import { type Receiver, startReceiver } from './receiver.ts';

/** The start of the clock of these tests, which moves only when it is advanced. */
export const startMs = Date.UTC(2026, 4, 10, 9, 7);
export const redirectUri = 'http://127.0.0.1:9/back';

/** An application and a sandbox with a simulated clock. */
export interface Application {
  readonly sandbox: Sandbox;
  readonly receiver: Receiver;
}

/** Starts both and stops them with the test. */
export async function startApplication(t: Test, options: SandboxOptions = {}): Promise<Application> {
  const receiver = await startReceiver(t);
  const application = { webhooks: receiver.url, ...options.application };
  const limits = { batchWindowMs: 60_000, ...options.limits };
  const sandbox = await startSandbox({ speed: 0, startMs, seed: 'a seed', ...options, application, limits });
  t.teardown(() => sandbox.stop());
  return { sandbox, receiver };
}

/** The device maker's URLs and the application's credentials, from the settings. */
export function devicemakerOf({ access }: Pick<Sandbox, 'access'>) {
  const { settings } = access;
  return {
    client_id: settings.DEVICEMAKER_CLIENT_ID ?? '',
    client_secret: settings.DEVICEMAKER_CLIENT_SECRET ?? '',
    api_url: settings.DEVICEMAKER_API_URL ?? '',
    authorize_url: settings.DEVICEMAKER_AUTHORIZE_URL ?? '',
    token_url: settings.DEVICEMAKER_TOKEN_URL ?? '',
  };
}

/** The same of the activity platform. */
export function activitynetOf({ access }: Pick<Sandbox, 'access'>) {
  const { settings } = access;
  return {
    client_id: settings.ACTIVITYNET_CLIENT_ID ?? '',
    client_secret: settings.ACTIVITYNET_CLIENT_SECRET ?? '',
    api_url: settings.ACTIVITYNET_API_URL ?? '',
    oauth_url: settings.ACTIVITYNET_OAUTH_URL ?? '',
    subscription_id: Number(settings.ACTIVITYNET_SUBSCRIPTION_ID),
  };
}

/** The settings with which the product connects accounts of both. */
export function connectSettingsOf(sandbox: Pick<Sandbox, 'access'>): Record<string, string> {
  const [devicemaker, activitynet] = [devicemakerOf(sandbox), activitynetOf(sandbox)];
  return {
    DEVICEMAKER_API_URL: devicemaker.api_url,
    DEVICEMAKER_AUTHORIZE_URL: devicemaker.authorize_url,
    DEVICEMAKER_TOKEN_URL: devicemaker.token_url,
    DEVICEMAKER_CLIENT_ID: devicemaker.client_id,
    DEVICEMAKER_CLIENT_SECRET: devicemaker.client_secret,
    ACTIVITYNET_API_URL: activitynet.api_url,
    ACTIVITYNET_OAUTH_URL: activitynet.oauth_url,
    ACTIVITYNET_CLIENT_ID: activitynet.client_id,
    ACTIVITYNET_CLIENT_SECRET: activitynet.client_secret,
  };
}

/** All permissions of the device maker's form. */
export const allPermissions = ['ACTIVITY_EXPORT', 'HEALTH_EXPORT', 'HISTORICAL_DATA_EXPORT', 'MCT_EXPORT'];

/** The query of the device maker's consent page, and its PKCE verifier. */
export function authorization(sandbox: Sandbox, changes: Readonly<Record<string, string | null>> = {}) {
  const verifier = randomBytes(32).toString('base64url');
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: devicemakerOf(sandbox).client_id,
    redirect_uri: redirectUri,
    state: 'the-state',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  });
  for (const [name, value] of Object.entries(changes))
    if (value === null) query.delete(name);
    else query.set(name, value);
  return { verifier, query };
}

/** Submits a consent form; returns the redirect, or null if there is none. */
export async function decide(url: string, fields: URLSearchParams): Promise<URL | null> {
  const answer = await fetch(url, { method: 'POST', body: fields, redirect: 'manual' });
  const location = answer.headers.get('location');
  return location === null ? null : new URL(location);
}

const Tokens = z.object({ access_token: z.string(), refresh_token: z.string() });
export type Tokens = z.infer<typeof Tokens>;

/** An answer of a provider. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

/** Sends a request to a provider's API with a token. */
export async function ask(url: string, token: string, method = 'GET'): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${token}`, connection: 'close' },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? null : JSON.parse(text) };
}

/** Posts to a token endpoint as the application. */
export async function token(
  url: string,
  client: { readonly client_id: string; readonly client_secret: string },
  fields: Readonly<Record<string, string>>,
  by: 'form' | 'basic' = 'form',
): Promise<Answer> {
  const { client_id, client_secret } = client;
  const body = new URLSearchParams({ ...(by === 'form' ? { client_id, client_secret } : {}), ...fields });
  const basic = `Basic ${Buffer.from(`${client_id}:${client_secret}`).toString('base64')}`;
  const headers: Record<string, string> = by === 'basic' ? { authorization: basic } : {};
  const response = await fetch(url, { method: 'POST', body, headers });
  return { status: response.status, headers: response.headers, body: await response.json() };
}

/** Connects a user (1 is the first) to the device maker. */
export async function connectDevice(
  sandbox: Sandbox,
  person = 1,
  permissions: readonly string[] = allPermissions,
): Promise<Tokens> {
  const devicemaker = devicemakerOf(sandbox);
  const { verifier, query } = authorization(sandbox);
  query.set('decision', 'allow');
  query.set('person', String(person));
  for (const permission of permissions) query.append('permission', permission);
  const back = await decide(devicemaker.authorize_url, query);
  const answer = await token(devicemaker.token_url, devicemaker, {
    grant_type: 'authorization_code',
    code: back?.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  return Tokens.parse(answer.body);
}

/** Connects a user to the activity platform. */
export async function connectAthlete(
  sandbox: Sandbox,
  person = 6,
  scope = 'activity:read_all',
): Promise<Tokens> {
  const activitynet = activitynetOf(sandbox);
  const fields = new URLSearchParams({
    response_type: 'code',
    client_id: activitynet.client_id,
    redirect_uri: redirectUri,
    scope: 'activity:read_all,profile:read_all',
    person: String(person),
    decision: 'allow',
  });
  for (const one of scope.split(',')) fields.append('permission', one);
  const back = await decide(`${activitynet.oauth_url}/authorize`, fields);
  const code = back?.searchParams.get('code') ?? '';
  const answer = await token(`${activitynet.oauth_url}/token`, activitynet, {
    grant_type: 'authorization_code',
    code,
  });
  return Tokens.parse(answer.body);
}

const healthScopes = ['activity_and_fitness', 'health_metrics_and_measurements', 'sleep', 'profile'];

/** Connects a user to the health data platform, with some of its scopes. */
export async function connectHealth(
  sandbox: Sandbox,
  person = 4,
  parts: readonly string[] = healthScopes,
): Promise<Tokens> {
  const { settings } = sandbox.access;
  const client = {
    client_id: settings.GOOGLEHEALTH_CLIENT_ID ?? '',
    client_secret: settings.GOOGLEHEALTH_CLIENT_SECRET ?? '',
  };
  const { verifier, query } = authorization(sandbox, { client_id: null });
  query.set('client_id', client.client_id);
  const scopes = parts.map((part) => `https://www.googleapis.com/auth/googlehealth.${part}.readonly`);
  query.set('scope', scopes.join(' '));
  query.set('decision', 'allow');
  query.set('person', String(person));
  for (const scope of scopes) query.append('permission', scope);
  const back = await decide(settings.GOOGLEHEALTH_AUTHORIZE_URL ?? '', query);
  const answer = await token(settings.GOOGLEHEALTH_TOKEN_URL ?? '', client, {
    grant_type: 'authorization_code',
    code: back?.searchParams.get('code') ?? '',
    code_verifier: verifier,
    redirect_uri: redirectUri,
  });
  return Tokens.parse(answer.body);
}

const scaleScopes = ['user.info', 'user.metrics', 'user.activity'];

/** Connects a user to the maker of scales. */
export async function connectScale({ access: { settings } }: Sandbox, person = 6): Promise<void> {
  const client = {
    client_id: settings.WITHINGS_CLIENT_ID ?? '',
    client_secret: settings.WITHINGS_CLIENT_SECRET ?? '',
  };
  const fields = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirectUri, state: 's' },
    ...{ scope: scaleScopes.join(','), person: String(person), decision: 'allow' },
  });
  for (const scope of scaleScopes) fields.append('permission', scope);
  const back = await decide(settings.WITHINGS_AUTHORIZE_URL ?? '', fields);
  await token(`${settings.WITHINGS_API_URL}/v2/oauth2`, client, {
    ...{ action: 'requesttoken', grant_type: 'authorization_code', redirect_uri: redirectUri },
    code: back?.searchParams.get('code') ?? '',
  });
}

/** Connects a user to a provider that lists records, as its client authenticates itself there. */
export async function connectListed(
  { access: { settings } }: Sandbox,
  {
    name,
    scope,
    person = 6,
  }: { readonly name: PulledName; readonly scope: string; readonly person?: number },
): Promise<Answer> {
  const parsed = z.object(providers[name].settings).parse(settings);
  const of = (setting: string) => settings[`${name.toUpperCase()}_${setting}`] ?? '';
  const client = { client_id: of('CLIENT_ID'), client_secret: of('CLIENT_SECRET') };
  const fields = new URLSearchParams({
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirectUri, state: 's' },
    ...{ scope, person: String(person), decision: 'allow' },
  });
  const { usesPkce, authorizeUrl, tokenUrl, clientAuthentication }: OAuth = oauthOf(name);
  const code_verifier = randomBytes(32).toString('base64url');
  if (usesPkce) {
    fields.set('code_challenge', createHash('sha256').update(code_verifier).digest('base64url'));
    fields.set('code_challenge_method', 'S256');
  }
  for (const one of scope.split(/[\s,]+/)) fields.append('permission', one);
  const back = await decide(authorizeUrl(parsed).href, fields);
  const code = back?.searchParams.get('code') ?? '';
  const proof = usesPkce ? { code_verifier } : {};
  const grant = { grant_type: 'authorization_code', redirect_uri: redirectUri, code, ...proof };
  return token(tokenUrl(parsed).href, client, grant, clientAuthentication);
}

/** The URL of a backfill request. */
export function historyUrl(sandbox: Sandbox, type: string, days = 3): string {
  const end = Math.floor(sandbox.world.clock.nowMs() / 1000);
  return `${devicemakerOf(sandbox).api_url}/backfill/${type}?summaryStartTimeInSeconds=${end - days * 86_400}&summaryEndTimeInSeconds=${end}`;
}

/** Sends a request to the control API of the sandbox. */
export async function control(
  sandbox: Sandbox,
  method: string,
  path: string,
  body?: unknown,
): Promise<Answer> {
  const response = await fetch(`${sandbox.access.url}${path}`, {
    method,
    ...(body === undefined
      ? {}
      : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    body: text.startsWith('<') ? text : JSON.parse(text),
  };
}
