import { z } from 'zod';
import { type HttpRequest, ok, type Reply, type Route, route } from '../server/http.ts';
import { secret } from '../server/store.ts';
import { isClient } from '../server/tokens.ts';
import { hashOf } from '../simulation/random.ts';
import { failure } from './accounts.ts';
import type { ActivitynetWorld } from './state.ts';

/** The receiver has two seconds to echo the challenge. */
const answerWithinMs = 2000;
const path = '/activitynet/api/v3/push_subscriptions';

/** The routes of the only subscription of an application. */
export function activitynetSubscriptions(world: ActivitynetWorld): Route[] {
  const { own } = world;
  return [
    route('POST', path, (request) => subscribe(world, request)),
    route('GET', path, () => ok(own.subscription === null ? [] : [shown(own.subscription)])),
    route('DELETE', `${path}/:id`, ({ params }) => {
      if (String(own.subscription?.id) !== params.id) return failure(404, 'Record Not Found');
      own.subscription = null;
      world.store.save();
      return { status: 204 };
    }),
  ];
}

/** The id of the application's subscription, which is always the same. */
export function subscriptionIdOf({ store }: Pick<ActivitynetWorld, 'store'>): number {
  return 100_000 + (hashOf(`${store.state.seed}/subscription`) % 900_000);
}

async function subscribe(world: ActivitynetWorld, request: HttpRequest): Promise<Reply> {
  const { own } = world;
  if (!isClient(request, own.activitynet))
    return failure(401, 'Authorization Error', 'Application', 'client_id', 'invalid');
  const callback_url = request.form.get('callback_url') ?? '';
  const verify_token = request.form.get('verify_token') ?? '';
  if (!URL.canParse(callback_url))
    return failure(400, 'Bad Request', 'PushSubscription', 'callback url', 'invalid');
  if (own.subscription !== null && own.subscription.callback_url !== callback_url)
    return failure(400, 'Bad Request', 'PushSubscription', 'subscription', 'already exists');
  if (!(await echoes(callback_url, verify_token)))
    return failure(
      400,
      'Bad Request',
      'PushSubscription',
      'callback url',
      'GET to callback URL does not return 200',
    );
  own.subscription = { id: subscriptionIdOf(world), callback_url, verify_token };
  world.store.save();
  await world.outbox.pump();
  return { status: 201, json: shown(own.subscription) };
}

function shown({ id, callback_url }: { id: number; callback_url: string }) {
  return { id, callback_url };
}

const Echo = z.object({ 'hub.challenge': z.string() });

async function echoes(callbackUrl: string, verifyToken: string): Promise<boolean> {
  const challenge = secret(12);
  const url = new URL(callbackUrl);
  url.searchParams.set('hub.mode', 'subscribe');
  url.searchParams.set('hub.challenge', challenge);
  url.searchParams.set('hub.verify_token', verifyToken);
  try {
    const response = await fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(answerWithinMs) });
    const echo = Echo.safeParse(await response.json());
    return response.status === 200 && echo.success && echo.data['hub.challenge'] === challenge;
  } catch {
    return false;
  }
}
