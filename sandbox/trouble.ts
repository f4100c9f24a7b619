import { setTimeout as sleep } from 'node:timers/promises';
import type { ProviderName } from './faults.ts';
import { type Ask, bearerOf, type Reply, type Route } from './http.ts';
import { endEarly } from './tokens.ts';
import type { World } from './world.ts';

/** Serves a request of a provider's own API through the troubles that are on. */
export async function serveWithFaults(world: World, route: Route, ask: Ask): Promise<Reply> {
  const provider = ask.path.startsWith('/activitynet') ? 'activitynet' : 'devicemaker';
  if (route.faults === undefined) return route.handle(ask);
  const slow = world.faults.strike('delay', provider);
  if (slow !== null) await sleep(slow.delay_ms);
  const before = troubleBefore(world, route, provider, ask);
  if (before !== null) return before;
  const reply = await route.handle(ask);
  return troubleAfter(world, route, provider, reply);
}

function troubleBefore(
  { faults, store }: World,
  route: Route,
  provider: ProviderName,
  ask: Ask,
): Reply | null {
  if (faults.strike('error', provider) !== null)
    return { status: faults.chance.pick([500, 502, 503]), text: 'Something went wrong.' };
  if (route.faults === 'token') return null;
  if (faults.strike('rate_limit', provider) !== null)
    return { status: 429, headers: retryAfter[provider], json: { errorMessage: 'Too many requests.' } };
  if (route.faults === 'api' && faults.strike('expiry', provider) !== null)
    endEarly([...store.book.devicemaker_accounts, ...store.book.activitynet_accounts], bearerOf(ask));
  return null;
}

// The activity platform never says how long.
const retryAfter = { devicemaker: { 'Retry-After': '1' }, activitynet: {} } as const;

// A token's answer is never lost: the old refresh token is dead by then, and with it the whole connection would be.
function troubleAfter({ faults }: World, route: Route, provider: ProviderName, reply: Reply): Reply {
  if (route.faults === 'token') return reply;
  if (faults.strike('lost', provider) !== null) return { ...reply, cut: true };
  if (route.faults === 'callback' && reply.status === 200 && faults.strike('garbage', provider) !== null)
    return { status: 200, html: '<!doctype html><title>Maintenance</title>' };
  return reply;
}
