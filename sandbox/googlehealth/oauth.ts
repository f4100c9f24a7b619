import { consentEndpoint } from '../server/consent.ts';
import { type HttpRequest, ok, type Reply, type Route, route } from '../server/http.ts';
import { isClient, issue, ownerOf } from '../server/tokens.ts';
import { userChoices, userOfForm } from '../server/user-choice.ts';
import { hashOf } from '../simulation/random.ts';
import type { Traits } from '../simulation/traits.ts';
import type { HealthAccount, HealthWorld } from './state.ts';

const prefix = 'https://www.googleapis.com/auth/googlehealth.';
const hourMs = 3_600_000;
/** Refresh tokens last as long as they are used. */
const lifetimes = { accessMs: hourMs, refreshMs: 10 * 365 * 24 * hourMs };

/** Whether a user has an account from the start. */
export function hasAccount({ key }: Traits): boolean {
  return key === 'island-hiker';
}

/** The consent page, on which a user may deselect scopes, and the endpoints for tokens and their revocation. */
export function healthOauth(world: HealthWorld): Route[] {
  const consents = consentEndpoint({
    title: 'Google Health (simulated)',
    client_id: () => world.own.googlehealth.client_id,
    needsPkce: true,
    redirectOrigins: world.redirectOrigins,
    clock: world.clock,
    scopes: ({ query, form }) =>
      (query.get('scope') ?? form.get('scope') ?? '')
        .split(' ')
        .filter((one) => one.startsWith(prefix))
        .map((value) => ({ value, label: value.slice(prefix.length) })),
    users: () => userChoices(world, hasAccount),
    userOf: (choice) => userOfForm(world, choice),
    extra: (scope) => ({ scope: scope.join(' ') }),
  });
  const path = '/googlehealth/oauth';
  return [
    route('GET', `${path}/authorize`, consents.showPage),
    route('POST', `${path}/authorize`, consents.decide),
    route('POST', `${path}/token`, (request) => exchange(world, request, consents.take), 'token'),
    route('POST', `${path}/revoke`, (request) => revoke(world, request), 'token'),
  ];
}

type Take = ReturnType<typeof consentEndpoint>['take'];

function exchange(world: HealthWorld, request: HttpRequest, take: Take): Reply {
  const { form } = request;
  if (form.get('grant_type') === 'urn:ietf:params:oauth:grant-type:jwt-bearer')
    return ok({ access_token: world.own.googlehealth.client_secret, token_type: 'Bearer', expires_in: 3600 });
  if (!isClient(request, world.own.googlehealth)) return refused('invalid_client', 401);
  if (form.get('grant_type') === 'refresh_token') return renewed(world, form.get('refresh_token') ?? '');
  const consent = form.get('grant_type') === 'authorization_code' ? take(form) : null;
  if (consent === null) return refused('invalid_grant');
  const account = link(world, consent.user);
  const { access_token, refresh_token } = issue(account, world.clock, lifetimes, consent.scope);
  world.store.save();
  return tokens(world, { access_token, refresh_token, scope: consent.scope.join(' ') });
}

// A refresh token stays the same.
function renewed(world: HealthWorld, refreshToken: string): Reply {
  for (const account of world.own.googlehealth_accounts) {
    const grant = account.grants.find((one) => one.refresh_token === refreshToken);
    if (grant === undefined || !account.authorized) continue;
    const fresh = issue(account, world.clock, lifetimes, grant.scope);
    account.grants = account.grants.map((one) =>
      one === fresh ? { ...fresh, refresh_token: refreshToken } : one,
    );
    world.store.save();
    return tokens(world, { access_token: fresh.access_token, scope: grant.scope.join(' ') });
  }
  return refused('invalid_grant');
}

function tokens({ clock }: HealthWorld, more: object): Reply {
  const expires_in = Math.floor(clock.wallMsFor(lifetimes.accessMs) / 1000);
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    json: { token_type: 'Bearer', expires_in, ...more },
  };
}

function refused(error: string, status = 400): Reply {
  return { status, json: { error } };
}

/** Connects a user's account to the application. */
function link(world: HealthWorld, user: number): HealthAccount {
  const { googlehealth_accounts: accounts } = world.own;
  const health_user_id = `health-${hashOf(`${world.user(user).seed}/health`)}`;
  const known = accounts.find((one) => one.health_user_id === health_user_id);
  const account = known ?? {
    health_user_id,
    person: user,
    authorized: false,
    grants: [],
    live_ms: 0,
    deleted: [],
    changed: {},
  };
  if (known === undefined) accounts.push(account);
  if (!account.authorized) account.live_ms = world.clock.nowMs();
  account.authorized = true;
  return account;
}

function revoke(world: HealthWorld, { form }: HttpRequest): Reply {
  const token = form.get('token');
  const { googlehealth_accounts: accounts } = world.own;
  const found =
    ownerOf(accounts, world.clock, token)?.holder ??
    accounts.find(({ grants }) => grants.some((one) => one.refresh_token === token));
  if (found === undefined) return refused('invalid_token');
  endAccess(world, found);
  return ok({});
}

/** Ends the access of the application to an account. */
export function endAccess({ store }: HealthWorld, account: HealthAccount): void {
  account.authorized = false;
  account.grants = [];
  store.save();
}
