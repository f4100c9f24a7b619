import { consentEndpoint } from '../server/consent.ts';
import { bearerOf, type HttpRequest, type Reply, type Route, route } from '../server/http.ts';
import type { Grant } from '../server/store.ts';
import { isClient, issue, ownerOf, refresh } from '../server/tokens.ts';
import { userChoices, userOfForm } from '../server/user-choice.ts';
import { deauthorize, failure, hasAccount, link } from './accounts.ts';
import type { ActivitynetAccount, ActivitynetWorld } from './state.ts';

/** Access tokens last six hours, refresh tokens as long as they are used. */
const lifetimes = { accessMs: 6 * 3_600_000, refreshMs: 10 * 365 * 86_400_000 };

const labels: Readonly<Record<string, string>> = {
  read: 'Public profile',
  'activity:read': 'Activities that are not private',
  'activity:read_all': 'All activities, private ones too',
  'profile:read_all': 'The whole profile',
};

type Take = ReturnType<typeof consentEndpoint>['take'];

/** The consent page, the token endpoint and the revocation endpoint. */
export function activitynetOauth(world: ActivitynetWorld): Route[] {
  const { own } = world;
  const consents = consentEndpoint({
    title: 'Strava (simulated)',
    client_id: () => own.activitynet.client_id,
    needsPkce: false,
    redirectOrigins: world.redirectOrigins,
    clock: world.clock,
    scopes: (request) => wanted(request).map((value) => ({ value, label: labels[value] ?? value })),
    users: () => userChoices(world, hasAccount),
    userOf: (choice) => userOfForm(world, choice),
    extra: (scope) => ({ scope: ['read', ...scope.filter((one) => one !== 'read')].join(',') }),
  });
  const path = '/activitynet/oauth';
  return [
    route('GET', `${path}/authorize`, consents.showPage),
    route('POST', `${path}/authorize`, consents.decide),
    route('POST', `${path}/token`, (request) => exchange(world, request, consents.take), 'token'),
    route('POST', `${path}/deauthorize`, (request) => revoke(world, request), 'token'),
  ];
}

function wanted({ query, form }: HttpRequest): string[] {
  const scope = query.get('scope') ?? form.get('scope') ?? 'read';
  return scope.split(/[, ]+/).filter((one) => Object.hasOwn(labels, one));
}

function exchange(world: ActivitynetWorld, request: HttpRequest, take: Take): Reply {
  const { form } = request;
  if (!isClient(request, world.own.activitynet))
    return failure(401, 'Authorization Error', 'Application', 'client_id', 'invalid');
  if (form.get('grant_type') === 'refresh_token') return renewed(world, form.get('refresh_token') ?? '');
  const consent = form.get('grant_type') === 'authorization_code' ? take(form) : null;
  if (consent === null) return failure(400, 'Bad Request', 'AuthorizationCode', 'code', 'invalid');
  const account = link(world, consent.user);
  const grant = issue(account, world.clock, lifetimes, ['read', ...consent.scope]);
  const [firstname, lastname] = world.user(account.person).traits.title;
  return tokens(world, grant, { athlete: { id: account.athlete_id, firstname, lastname } });
}

function renewed(world: ActivitynetWorld, refreshToken: string): Reply {
  const fresh = refresh(world.own.activitynet_accounts, world.clock, lifetimes, refreshToken);
  if (fresh === null) return failure(400, 'Bad Request', 'RefreshToken', 'refresh_token', 'invalid');
  return tokens(world, fresh.grant, {});
}

// The expiry is a time of the wall clock, because the application uses that clock.
function tokens(
  { store, clock }: ActivitynetWorld,
  { access_token, refresh_token }: Grant,
  more: object,
): Reply {
  store.save();
  const expires_in = Math.floor(clock.wallMsFor(lifetimes.accessMs) / 1000);
  const expires_at = Math.floor(Date.now() / 1000) + expires_in;
  const json = { token_type: 'Bearer', access_token, refresh_token, expires_at, expires_in, ...more };
  return { status: 200, headers: { 'Cache-Control': 'no-store' }, json };
}

function revoke(world: ActivitynetWorld, request: HttpRequest): Reply {
  const accounts: readonly ActivitynetAccount[] = world.own.activitynet_accounts;
  const token = bearerOf(request) ?? request.form.get('access_token');
  const found = ownerOf(accounts, world.clock, token);
  if (found === null || !found.holder.authorized)
    return failure(401, 'Authorization Error', 'Athlete', 'access_token', 'invalid');
  deauthorize(world, found.holder);
  return { status: 200, json: { access_token: found.grant.access_token } };
}
