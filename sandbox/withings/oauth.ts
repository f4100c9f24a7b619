import { consentEndpoint } from '../server/consent.ts';
import type { HttpRequest, Reply, Route } from '../server/http.ts';
import { route } from '../server/http.ts';
import { isClient, issue } from '../server/tokens.ts';
import { userChoices, userOfForm } from '../server/user-choice.ts';
import { hasAccount, link } from './accounts.ts';
import { envelope, failure } from './envelope.ts';
import { isOverLimit } from './limit.ts';
import { countsOf, type RotatingGrant, type WithingsAccount, type WithingsWorld } from './state.ts';

const hourMs = 3_600_000;
/** Access tokens last three hours, refresh tokens a year. */
const lifetimes = { accessMs: 3 * hourMs, refreshMs: 365 * 24 * hourMs };
/** A refresh token that was used stays valid until the new access token is used, but no longer than this. */
const overlapMs = 8 * hourMs;
const codeLivesMs = 30_000;

const labels: Readonly<Record<string, string>> = {
  'user.info': 'Profile and devices',
  'user.metrics': 'Weight, blood pressure, temperature',
  'user.activity': 'Activity, workouts and sleep',
};

type Take = ReturnType<typeof consentEndpoint>['take'];

/** The consent page and the token endpoint. */
export function withingsOauth(world: WithingsWorld): Route[] {
  const { own } = world;
  const consents = consentEndpoint({
    title: 'Withings (simulated)',
    client_id: () => own.withings.client_id,
    otherClients: world.otherClients.map(({ client_id }) => client_id),
    needsPkce: false,
    redirectOrigins: world.redirectOrigins,
    clock: world.clock,
    // 30 s of the wall clock, also if the clock runs faster.
    codeLivesMs: () => codeLivesMs ** 2 / world.clock.wallMsFor(codeLivesMs),
    scopes: (request) => wanted(request).map((value) => ({ value, label: labels[value] ?? value })),
    users: () => userChoices(world, hasAccount),
    userOf: (choice) => userOfForm(world, choice),
    extra: () => ({}),
  });
  const page = '/withings/oauth2_user/authorize2';
  return [
    route('GET', page, consents.showPage),
    route('POST', page, consents.decide),
    route('POST', '/withings/v2/oauth2', (request) => requestToken(world, request, consents.take), 'token'),
  ];
}

function wanted({ query, form }: HttpRequest): string[] {
  const scope = query.get('scope') ?? form.get('scope') ?? '';
  return scope.split(',').filter((one) => Object.hasOwn(labels, one));
}

function requestToken(world: WithingsWorld, request: HttpRequest, take: Take): Reply {
  const { form } = request;
  if (isOverLimit(world)) return failure(601, 'Too Many Request');
  if (form.get('action') !== 'requesttoken') return failure(503, 'Invalid Params: action');
  const client = world.clients.find((one) => isClient(request, one));
  const counts = countsOf(world, form.get('client_id') ?? '');
  if (client === undefined) {
    counts.refused += 1;
    return failure(503, 'Invalid Params: invalid client_secret');
  }
  if (form.get('grant_type') === 'refresh_token')
    return renewed(world, client.client_id, form.get('refresh_token') ?? '');
  const consent = form.get('grant_type') === 'authorization_code' ? take(form) : null;
  if (consent === null) {
    counts.refused += 1;
    return failure(503, 'Invalid Params: invalid code');
  }
  const account = link(world, consent.user);
  return tokens(world, account, grantTo(world, account, client.client_id, consent.scope));
}

function grantTo(
  world: WithingsWorld,
  account: WithingsAccount,
  clientId: string,
  scope: readonly string[],
): RotatingGrant {
  const grant: RotatingGrant = issue(account, world.clock, lifetimes, scope);
  grant.client_id = clientId;
  countsOf(world, clientId).granted += 1;
  return grant;
}

function renewed(world: WithingsWorld, clientId: string, refreshToken: string): Reply {
  const nowMs = world.clock.nowMs();
  for (const account of world.own.withings_accounts) {
    const old = account.grants.find((one) => one.refresh_token === refreshToken);
    if (old === undefined || old.refresh_ends_ms <= nowMs || !account.authorized) continue;
    if ((old.client_id ?? world.own.withings.client_id) !== clientId) {
      countsOf(world, clientId).crossed += 1;
      continue;
    }
    const grant = grantTo(world, account, clientId, old.scope);
    old.replaced_by = grant.access_token;
    old.refresh_ends_ms = Math.min(old.refresh_ends_ms, nowMs + overlapMs);
    return tokens(world, account, grant);
  }
  countsOf(world, clientId).refused += 1;
  return failure(503, 'Invalid Params: invalid refresh_token');
}

function tokens({ store, clock }: WithingsWorld, { userid }: WithingsAccount, grant: RotatingGrant): Reply {
  store.save();
  const { access_token, refresh_token, scope } = grant;
  const expires_in = Math.floor(clock.wallMsFor(lifetimes.accessMs) / 1000);
  return envelope({
    userid: String(userid),
    access_token,
    refresh_token,
    expires_in,
    scope: scope.join(','),
    token_type: 'Bearer',
  });
}
