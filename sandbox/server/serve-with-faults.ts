import { setTimeout as sleep } from 'node:timers/promises';
import type { Provider } from '../simulation/simulation.ts';
import type { World } from '../simulation/world.ts';
import { bearerOf, type HttpRequest, type Reply, type Route } from './http.ts';
import { expireEarly } from './tokens.ts';

/** Serves a request of a provider's API with the active faults. */
export async function serveWithFaults(
  world: World,
  provider: Provider,
  route: Route,
  request: HttpRequest,
): Promise<Reply> {
  if (route.faults === undefined) return route.handle(request);
  const slow = world.faults.trigger('delay', provider.name);
  if (slow !== null) await sleep(slow.delay_ms);
  const before = faultBefore(world, route, provider, request);
  if (before !== null) return before;
  const reply = await route.handle(request);
  return withFaultAfter(world, route, provider, reply);
}

function faultBefore(
  { faults }: World,
  route: Route,
  provider: Provider,
  request: HttpRequest,
): Reply | null {
  if (faults.trigger('error', provider.name) !== null)
    return { status: faults.chance.pick([500, 502, 503]), text: 'Something went wrong.' };
  if (route.faults === 'token') return null;
  if (faults.trigger('rate_limit', provider.name) !== null)
    return (
      provider.overLimit?.() ?? {
        status: 429,
        headers: provider.retryAfter,
        json: { errorMessage: 'Too many requests.' },
      }
    );
  if (route.faults === 'api' && faults.trigger('expiry', provider.name) !== null)
    expireEarly(provider.tokenHolders(), bearerOf(request));
  return null;
}

// The answer to a token request is never cut off, because the old refresh token is revoked and the connection would end.
function withFaultAfter({ faults }: World, route: Route, { name }: Provider, reply: Reply): Reply {
  if (route.faults === 'token') return reply;
  if (faults.trigger('lost', name) !== null) return { ...reply, cut: true };
  if (route.faults === 'callback' && reply.status === 200 && faults.trigger('garbage', name) !== null)
    return { status: 200, html: '<!doctype html><title>Maintenance</title>' };
  return reply;
}
