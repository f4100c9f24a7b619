import { setTimeout as sleep } from 'node:timers/promises';
import { type Ask, bearerOf, type Reply, type Route } from './http.ts';
import type { Provider } from './simulation.ts';
import { endEarly } from './tokens.ts';
import type { World } from './world.ts';

/** Serves a request of a provider's own API under the faults that are on. */
export async function serveWithFaults(
  world: World,
  provider: Provider,
  route: Route,
  ask: Ask,
): Promise<Reply> {
  if (route.faults === undefined) return route.handle(ask);
  const slow = world.faults.strike('delay', provider.name);
  if (slow !== null) await sleep(slow.delay_ms);
  const before = faultBefore(world, route, provider, ask);
  if (before !== null) return before;
  const reply = await route.handle(ask);
  return withFaultAfter(world, route, provider, reply);
}

function faultBefore({ faults }: World, route: Route, provider: Provider, ask: Ask): Reply | null {
  if (faults.strike('error', provider.name) !== null)
    return { status: faults.chance.pick([500, 502, 503]), text: 'Something went wrong.' };
  if (route.faults === 'token') return null;
  if (faults.strike('rate_limit', provider.name) !== null)
    return { status: 429, headers: provider.retryAfter, json: { errorMessage: 'Too many requests.' } };
  if (route.faults === 'api' && faults.strike('expiry', provider.name) !== null)
    endEarly(provider.granters(), bearerOf(ask));
  return null;
}

// The answer to a token request is never lost: the old refresh token has ended, so the connection would end too.
function withFaultAfter({ faults }: World, route: Route, { name }: Provider, reply: Reply): Reply {
  if (route.faults === 'token') return reply;
  if (faults.strike('lost', name) !== null) return { ...reply, cut: true };
  if (route.faults === 'callback' && reply.status === 200 && faults.strike('garbage', name) !== null)
    return { status: 200, html: '<!doctype html><title>Maintenance</title>' };
  return reply;
}
