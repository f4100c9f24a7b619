import { consentEndpoint } from '../server/consent.ts';
import { bearerOf, type HttpRequest, type Reply, type Route, route } from '../server/http.ts';
import { isClient, issue, ownerOf, refresh } from '../server/tokens.ts';
import { userChoices, userOfForm } from '../server/user-choice.ts';
import { hashOf } from '../simulation/random.ts';
import { clientIn, type ListedAccount, type ListedWorld, type PlayedRegion } from './listed.ts';
import { failure } from './records.ts';

const hourMs = 3_600_000;
const lifetimes = {
  rotates: { accessMs: hourMs, refreshMs: 90 * 24 * hourMs },
  lasts: { accessMs: 10 * 365 * 24 * hourMs, refreshMs: 0 },
};

/** In each region the consent page, on which a user may deselect scopes, the endpoint for tokens, and what needs one. */
export const accessRoutes = (world: ListedWorld): Route[] =>
  world.spec.regions.flatMap((region) => routesIn(world, region));

function routesIn(world: ListedWorld, region: PlayedRegion): Route[] {
  const { spec, own } = world;
  const consents = consentEndpoint({
    title: `${spec.title} (simulated)`,
    client_id: () => clientIn(own.client, region).client_id,
    needsPkce: spec.needsPkce,
    redirectOrigins: world.redirectOrigins,
    clock: world.clock,
    scopes: ({ query, form }) =>
      (query.get('scope') ?? form.get('scope') ?? '')
        .split(/[\s,]+/)
        .filter((one) => spec.scopes.includes(one))
        .map((value) => ({ value, label: value })),
    users: () => userChoices(world, spec.hasAccount),
    userOf: (choice) => userOfForm(world, choice),
    extra: (scope) => ({ scope: scope.join(' ') }),
  });
  const base = `/${spec.name}${region.prefix}`;
  // Handlers see the path as it is without a region.
  const unprefixed = (request: HttpRequest): HttpRequest => ({
    ...request,
    path: `/${spec.name}${request.path.slice(base.length)}`,
  });
  return [
    route('GET', `${base}${spec.authorizePath}`, consents.showPage),
    route('POST', `${base}${spec.authorizePath}`, consents.decide),
    route(
      'POST',
      `${base}${spec.tokenPath}`,
      (request) => exchange(world, region, request, consents.take),
      'token',
    ),
    ...(spec.revocation === null
      ? []
      : [route('POST', `${base}${spec.revocation.path}`, (request) => revoked(world, region, request))]),
    ...spec
      .routes(world)
      .map((one) =>
        route(
          one.method,
          `${base}${one.path}`,
          (request) => served(world, region, unprefixed(request), one),
          'api',
        ),
      ),
  ];
}

function exchange(
  world: ListedWorld,
  region: PlayedRegion,
  request: HttpRequest,
  take: ReturnType<typeof consentEndpoint>['take'],
): Reply {
  const { spec, own, clock, store } = world;
  const { form } = request;
  if (!isClient(request, clientIn(own.client, region), spec.clientAuthentication))
    return failure(401, 'invalid_client');
  if (form.get('grant_type') === 'refresh_token') {
    const holders = own.accounts.filter((one) => one.region === region.name);
    const fresh = refresh(holders, clock, lifetimes[spec.refresh], form.get('refresh_token') ?? '');
    if (fresh !== null) named(world, fresh.holder, fresh.grant);
    store.save();
    if (fresh === null || !fresh.holder.authorized) return failure(400, 'invalid_grant');
    return tokens(world, fresh.holder, fresh.grant);
  }
  const consent = form.get('grant_type') === 'authorization_code' ? take(form) : null;
  if (consent === null) return failure(400, 'invalid_grant');
  const account = link(world, region, consent.user);
  const grant = issue(account, clock, lifetimes[spec.refresh], consent.scope);
  named(world, account, grant);
  store.save();
  return tokens(world, account, grant);
}

function named({ spec }: ListedWorld, account: ListedAccount, grant: ListedAccount['grants'][number]): void {
  grant.access_token = spec.accessToken(account, grant.access_token);
}

function tokens(
  { spec, clock }: ListedWorld,
  account: ListedAccount,
  { access_token, refresh_token, scope }: ListedAccount['grants'][number],
): Reply {
  const expires_in = Math.floor(clock.wallMsFor(lifetimes[spec.refresh].accessMs) / 1000);
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    json: {
      token_type: 'bearer',
      access_token,
      expires_in,
      scope: scope.join(' '),
      ...(spec.refresh === 'rotates' ? { refresh_token } : {}),
      ...spec.tokenFields(account),
    },
  };
}

/** Connects a user's account to the application. */
function link({ spec, own, clock, user }: ListedWorld, region: PlayedRegion, person: number): ListedAccount {
  const id = String(10_000_000 + (hashOf(`${user(person).seed}/${spec.name}`) % 80_000_000));
  const known = own.accounts.find((one) => one.id === id);
  const account = known ?? {
    id,
    person,
    authorized: false,
    region: region.name,
    registered: false,
    grants: [],
    live_ms: 0,
    deleted: [],
    versions: {},
    recorded: [],
  };
  if (known === undefined) own.accounts.push(account);
  // A user with accounts in several regions has tokens of the last one only.
  if (account.region !== region.name) Object.assign(account, { region: region.name, grants: [] });
  if (!account.authorized) account.live_ms = clock.nowMs();
  account.authorized = true;
  return account;
}

/** The answer to a revocation that the client proves in its form. An unknown token is no error (RFC 7009, 2.2). */
function revoked(world: ListedWorld, region: PlayedRegion, request: HttpRequest): Reply {
  const { spec, own } = world;
  if (!isClient(request, clientIn(own.client, region), 'form')) return failure(401, 'invalid_client');
  const token = request.form.get(spec.revocation?.tokenField ?? '');
  const account = own.accounts.find(({ grants }) => grants.some((one) => one.access_token === token));
  if (account !== undefined) endAccess(world, account);
  return { status: 200, json: {} };
}

/** Ends the access of the application to an account. */
export function endAccess({ store }: Pick<ListedWorld, 'store'>, account: ListedAccount): void {
  account.authorized = false;
  account.grants = [];
  store.save();
}

function served(
  world: ListedWorld,
  region: PlayedRegion,
  request: HttpRequest,
  { scope, handle }: ReturnType<ListedWorld['spec']['routes']>[number],
): Reply {
  const found = ownerOf(world.own.accounts, world.clock, bearerOf(request));
  if (found === null || !found.holder.authorized || found.holder.region !== region.name)
    return failure(401, 'unauthorized');
  if (scope !== null && !found.grant.scope.includes(scope)) return failure(403, 'insufficient_scope');
  return handle(found.holder, request, found.grant.scope);
}
