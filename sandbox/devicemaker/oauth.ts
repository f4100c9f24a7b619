import { consentEndpoint } from '../server/consent.ts';
import { type HttpRequest, type Reply, type Route, route } from '../server/http.ts';
import type { Grant } from '../server/store.ts';
import { isClient, issue, refresh } from '../server/tokens.ts';
import { userChoices, userOfForm } from '../server/user-choice.ts';
import { register } from './accounts.ts';
import { permissions } from './notification-parts.ts';
import type { DevicemakerWorld } from './state.ts';

const dayMs = 86_400_000;
/** Access tokens last a day, refresh tokens 90 days. */
const lifetimes = { accessMs: dayMs, refreshMs: 90 * dayMs };
const scope = ['PARTNER_WRITE', 'PARTNER_READ', 'CONNECT_READ', 'CONNECT_WRITE'];

const labels: Record<(typeof permissions)[number], string> = {
  ACTIVITY_EXPORT: 'Activities',
  HEALTH_EXPORT: 'Health and sleep',
  HISTORICAL_DATA_EXPORT: 'Data of the past',
  MCT_EXPORT: 'Menstrual cycle',
};

/** The consent page and the token endpoint. */
export function devicemakerOauth(world: DevicemakerWorld): Route[] {
  const { own } = world;
  const consents = consentEndpoint({
    title: 'Garmin (simulated)',
    client_id: () => own.devicemaker.client_id,
    needsPkce: true,
    redirectOrigins: world.redirectOrigins,
    clock: world.clock,
    scopes: () => permissions.map((value) => ({ value, label: labels[value] })),
    users: () => userChoices(world, () => true),
    userOf: (choice) => userOfForm(world, choice),
    extra: () => ({}),
  });
  const path = '/devicemaker/oauth2Confirm';
  return [
    route('GET', path, consents.showPage),
    route('POST', path, consents.decide),
    route('POST', '/devicemaker/oauth/token', (request) => exchange(world, request, consents.take), 'token'),
  ];
}

function exchange(
  world: DevicemakerWorld,
  request: HttpRequest,
  take: ReturnType<typeof consentEndpoint>['take'],
): Reply {
  const { form } = request;
  if (!isClient(request, world.own.devicemaker)) return failure(401, 'invalid_client');
  const kind = form.get('grant_type');
  if (kind === 'authorization_code') {
    const consent = take(form);
    if (consent === null) return failure(400, 'invalid_grant');
    const account = register(world, consent.user, consent.scope);
    return tokens(world, issue(account, world.clock, lifetimes, scope));
  }
  if (kind !== 'refresh_token') return failure(400, 'unsupported_grant_type');
  const accounts = world.own.devicemaker_accounts;
  const fresh = refresh(accounts, world.clock, lifetimes, form.get('refresh_token') ?? '');
  return fresh === null ? failure(400, 'invalid_grant') : tokens(world, fresh.grant);
}

function tokens({ store, clock }: DevicemakerWorld, { access_token, refresh_token }: Grant): Reply {
  store.save();
  const seconds = (ms: number) => Math.floor(clock.wallMsFor(ms) / 1000);
  return {
    status: 200,
    headers: { 'Cache-Control': 'no-store' },
    json: {
      access_token,
      token_type: 'bearer',
      expires_in: seconds(lifetimes.accessMs),
      refresh_token,
      refresh_token_expires_in: seconds(lifetimes.refreshMs),
      scope: scope.join(' '),
    },
  };
}

function failure(status: number, error: string): Reply {
  return { status, json: { error } };
}
