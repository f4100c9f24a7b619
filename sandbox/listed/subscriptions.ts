import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Notifications } from '../../domain/provider/notifications.ts';
import type { ApplicationSubscription } from '../../domain/provider/pulled-provider.ts';
import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import { type HttpRequest, ok, type Reply, route } from '../server/http.ts';
import { secret } from '../server/store.ts';
import { isClient } from '../server/tokens.ts';
import { hashOf } from '../simulation/random.ts';
import type { Described } from './described.ts';
import type { ListedState, ListedSubscription, ListedWorld, Subscriptions } from './listed.ts';
import { failure } from './records.ts';

const lastsMs = 90 * 86_400_000;
const answerWithinMs = 5000;
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** Null: the description has no subscriptions of the application. */
export function subscriptionsOf(
  { name, apiPath, pull, notifications: signed, subscription: form = {} }: Described,
  world: ListedWorld,
  settings: object,
): Subscriptions | null {
  const { subscription } = pull;
  if (subscription?.of !== 'application' || signed === null) return null;
  const notifications: Notifications = signed;
  const { own, store, clock, outbox } = world;
  const path = `/${name}${apiPath}${subscription.check(settings).path}`;
  const wrapped = (value: unknown) => (form.member === undefined ? value : { [form.member]: value });
  const shown = ({ id, body, ends_ms }: ListedSubscription) => ({
    ...body,
    id,
    active: !own.webhook_off,
    expiration_time: new Date(ends_ms).toISOString().slice(0, -1),
  });

  async function create(body: Item): Promise<Reply> {
    const known = own.subscriptions.find((one) => sameBut(one.body, body));
    if (known !== undefined && known.ends_ms > Date.now()) return failure(409, 'exists');
    if (!(await isVerified(notifications, body, form.ping))) return failure(400, 'verification_failed');
    own.subscriptions = own.subscriptions.filter((one) => one !== known);
    const made = addTo(own, body);
    if (form.secret !== undefined) own.secret = secret();
    const more = form.secret === undefined ? {} : { [form.secret]: own.secret };
    return { status: 201, json: wrapped({ ...shown(made), ...more }) };
  }

  /** A request below the path: one that names a subscription changes it with a body, and renews it without one. */
  async function change(request: HttpRequest, body: unknown): Promise<Reply> {
    const named = own.subscriptions.find(({ id }) => request.path.split('/').includes(id));
    if (named === undefined) {
      own.webhook_off = false;
      return ok({});
    }
    if (request.method === 'DELETE') {
      own.subscriptions = own.subscriptions.filter((one) => one !== named);
      if (own.subscriptions.length === 0) own.webhook = null;
      return { status: 204 };
    }
    if (!isItem(body)) named.ends_ms = Date.now() + lastsMs;
    else if (notifications.challenge !== undefined && !(await isVerified(notifications, body, form.ping)))
      return failure(400, 'verification_failed');
    else {
      named.body = { ...named.body, ...body };
      own.webhook = addressIn(named.body) ?? own.webhook;
    }
    return ok(wrapped(shown(named)));
  }

  const handle = async (request: HttpRequest): Promise<Reply> => {
    if (!isProven(request, subscription, settings)) return failure(401, 'invalid_client');
    const isList = request.path === path;
    const body = jsonOrNull(request.text);
    if (isList && request.method === 'GET') return ok(wrapped(own.subscriptions.map(shown)));
    const reply = isList && isItem(body) ? await create(body) : await change(request, body);
    store.save();
    clock.at(clock.nowMs(), outbox.pump);
    return reply;
  };

  return {
    routes: methods.flatMap((method) => [route(method, path, handle), route(method, `${path}/*`, handle)]),
    pointAt(url) {
      const none = { status: 200, headers: {}, text: JSON.stringify(wrapped([])) };
      const wanted = subscription.renewals(settings, none, url, Date.now());
      own.subscriptions = [];
      for (const { json } of wanted) if (isItem(json)) addTo(own, json);
    },
    concerns: (event) =>
      own.subscriptions.some(
        ({ body, ends_ms }) =>
          ends_ms > Date.now() &&
          Object.entries(body).every(
            ([name, value]) => isAddress(value) || !(name in event) || event[name] === value,
          ),
      ),
  };
}

function addTo(own: ListedState, body: Item): ListedSubscription {
  const named = Object.entries(body).filter(([, value]) => !isAddress(value));
  const id = String(hashOf(JSON.stringify([own.client.client_id, ...named])));
  const made = { id, body: { ...body }, ends_ms: Date.now() + lastsMs };
  own.subscriptions.push(made);
  own.webhook = addressIn(body) ?? own.webhook;
  own.webhook_off = false;
  return made;
}

const isAddress = (value: unknown): value is string =>
  typeof value === 'string' && /^https?:/.test(value) && URL.canParse(value);
const addressIn = (body: Item): string | undefined => Object.values(body).find(isAddress);

/** Whether two subscriptions are of the same events, maybe at different addresses. */
function sameBut(one: Item, other: Item): boolean {
  const named = (body: Item) =>
    JSON.stringify(
      Object.entries(body)
        .filter(([, value]) => !isAddress(value))
        .sort(),
    );
  return named(one) === named(other);
}

function isProven(request: HttpRequest, { proof }: ApplicationSubscription, settings: object): boolean {
  const proven = proof(settings, Date.now());
  if (proven === null || 'form' in proven) return false;
  if ('client' in proven) {
    const { id: client_id, secret: client_secret } = proven.client;
    return isClient(request, { client_id, client_secret });
  }
  return Object.entries(proven.headers).every(([name, value]) => request.headers[name] === value);
}

/** Whether an address answers the check of the description: a challenge, or a body that it knows to be one. */
async function isVerified({ challenge }: Notifications, body: Item, ping?: Item): Promise<boolean> {
  const url = new URL(addressIn(body) ?? '');
  const signal = AbortSignal.timeout(answerWithinMs);
  if (challenge === undefined) {
    if (ping === undefined) return true;
    const headers = { 'Content-Type': 'application/json' };
    const init = { method: 'POST', headers, body: JSON.stringify(ping), signal, redirect: 'manual' } as const;
    return fetch(url, init).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
  const text = String(hashOf(`${url.href}/${Date.now()}`));
  url.searchParams.set(challenge.token, String(body[challenge.token]));
  url.searchParams.set(challenge.challenge, text);
  const answer = await fetch(url, { signal, redirect: 'manual' })
    .then((response) => response.json())
    .catch(() => null);
  return z.object({ challenge: z.literal(text) }).safeParse(answer).success;
}
