import { z } from 'zod';
import type { ListedState, ListedSubscription, ListedWorld } from '../listed/listed.ts';
import { failure } from '../listed/records.ts';
import { type HttpRequest, ok, type Reply, type Route, route, withBody } from '../server/http.ts';
import { hashOf } from '../simulation/random.ts';

const Body = z.object({
  callback_url: z.url(),
  verification_token: z.string().min(1),
  event_type: z.enum(['create', 'update', 'delete']),
  data_type: z.string().min(1),
});

const lastsMs = 90 * 86_400_000;
const path = '/oura/v2/webhook/subscription';

const shown = ({ id, url, type, event, ends_ms }: ListedSubscription) => ({
  id,
  callback_url: url,
  data_type: type,
  event_type: event,
  expiration_time: new Date(ends_ms).toISOString().slice(0, -1),
});

/** Whether the application is notified of an event. */
export function isSubscribed({ subscriptions }: ListedState, type: string, event: string): boolean {
  return subscriptions.some((one) => one.type === type && one.event === event && one.ends_ms > Date.now());
}

/** Subscribes to events of types, as the application does. */
export function subscribe(own: ListedState, url: string, types: readonly string[]): void {
  own.subscriptions = types.flatMap((type) =>
    Body.shape.event_type.options.map((event) => subscriptionOf(own, url, type, event)),
  );
}

function subscriptionOf({ client }: ListedState, url: string, type: string, event: string) {
  const id = String(hashOf(`${client.client_id}/${type}/${event}`));
  return { id, url, type, event, ends_ms: Date.now() + lastsMs };
}

/** Subscriptions of the application, with its id and secret. There is one for each type and event. */
export function subscriptionRoutes(world: ListedWorld): Route[] {
  const { own, store } = world;
  const { client_id, client_secret } = own.client;
  const served =
    (serve: (request: HttpRequest) => Reply | Promise<Reply>) => async (request: HttpRequest) => {
      const { 'x-client-id': id, 'x-client-secret': secret } = request.headers;
      if (id !== client_id || secret !== client_secret) return failure(401, 'invalid_client');
      const reply = await serve(request);
      store.save();
      return reply;
    };
  const found = ({ params }: HttpRequest, use: (one: ListedSubscription) => Reply | Promise<Reply>) => {
    const one = own.subscriptions.find(({ id }) => id === params.id);
    return one === undefined ? failure(404, 'not_found') : use(one);
  };
  return [
    route(
      'GET',
      path,
      served(() => ok(own.subscriptions.map(shown))),
    ),
    route(
      'POST',
      path,
      served((request) => withBody(Body, request, (body) => create(world, body))),
    ),
    route(
      'PUT',
      `${path}/renew/:id`,
      served((request) =>
        found(request, (one) => {
          one.ends_ms = Date.now() + lastsMs;
          return ok(shown(one));
        }),
      ),
    ),
    route(
      'PUT',
      `${path}/:id`,
      served((request) =>
        found(request, (one) => withBody(Body, request, (body) => change(world, one, body))),
      ),
    ),
    route(
      'DELETE',
      `${path}/:id`,
      served((request) =>
        found(request, (one) => {
          own.subscriptions = own.subscriptions.filter((other) => other !== one);
          return { status: 204 };
        }),
      ),
    ),
  ];
}

async function create({ own }: ListedWorld, body: z.infer<typeof Body>): Promise<Reply> {
  const { data_type: type, event_type: event, callback_url } = body;
  if (isSubscribed(own, type, event)) return failure(409, 'exists');
  if (!(await isVerified(body))) return failure(400, 'verification_failed');
  const made = subscriptionOf(own, callback_url, type, event);
  own.subscriptions = [...own.subscriptions.filter(({ id }) => id !== made.id), made];
  own.webhook = callback_url;
  return { status: 201, json: shown(made) };
}

async function change(
  { own }: ListedWorld,
  one: ListedSubscription,
  body: z.infer<typeof Body>,
): Promise<Reply> {
  if (!(await isVerified(body))) return failure(400, 'verification_failed');
  one.url = body.callback_url;
  own.webhook = one.url;
  return ok(shown(one));
}

const answerWithinMs = 5000;

async function isVerified({ callback_url, verification_token }: z.infer<typeof Body>): Promise<boolean> {
  const url = new URL(callback_url);
  const challenge = String(hashOf(`${callback_url}/${Date.now()}`));
  url.searchParams.set('verification_token', verification_token);
  url.searchParams.set('challenge', challenge);
  const answer = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs), redirect: 'manual' })
    .then((response) => response.json())
    .catch(() => null);
  return z.object({ challenge: z.literal(challenge) }).safeParse(answer).success;
}
