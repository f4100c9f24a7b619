import { z } from 'zod';
import { bearerOf, type HttpRequest, ok, type Reply, type Route, route, withBody } from '../server/http.ts';
import { failure } from './api.ts';
import type { HealthWorld } from './state.ts';

const Body = z.object({
  endpointUri: z.url(),
  subscriberConfigs: z.array(z.unknown()).min(1),
  endpointAuthorization: z.object({ secret: z.string().min(1) }),
});

/** The subscriber of the application. At creation and change its address is checked. */
export function subscriberRoutes(world: HealthWorld): Route[] {
  const path = '/googlehealth/v4/projects/:project/subscribers';
  const asApplication = (serve: (request: HttpRequest) => Reply | Promise<Reply>) => (request: HttpRequest) =>
    bearerOf(request) === world.own.googlehealth.client_secret
      ? serve(request)
      : failure(401, 'UNAUTHENTICATED');
  return [
    route(
      'GET',
      path,
      asApplication(() => ok(shown(world))),
    ),
    route(
      'POST',
      path,
      asApplication((request) =>
        withBody(Body, request, (body) => create(world, request.query.get('subscriberId') ?? '', body)),
      ),
    ),
  ];
}

function shown({ own: { googlehealth_subscriber: one } }: HealthWorld) {
  if (one === null) return {};
  return { subscribers: [{ name: one.name, endpointUri: one.endpointUri, state: one.state }] };
}

async function create(world: HealthWorld, id: string, body: z.infer<typeof Body>): Promise<Reply> {
  const { secret } = body.endpointAuthorization;
  const [withSecret, without] = [
    await verification(body.endpointUri, secret),
    await verification(body.endpointUri),
  ];
  const isRight = (withSecret === 200 || withSecret === 201) && (without === 401 || without === 403);
  if (!isRight) return failure(400, 'FAILED_PRECONDITION');
  const name = `projects/1/subscribers/${id}`;
  world.own.googlehealth_subscriber = { name, endpointUri: body.endpointUri, secret, state: 'ACTIVE' };
  world.store.save();
  world.clock.at(world.clock.nowMs(), world.outbox.pump);
  return ok({ name, endpointUri: body.endpointUri, state: 'ACTIVE' });
}

const answerWithinMs = 5000;

async function verification(url: string, secret?: string): Promise<number> {
  const headers = {
    'Content-Type': 'application/json',
    ...(secret === undefined ? {} : { Authorization: secret }),
  };
  const body = JSON.stringify({ type: 'verification' });
  const signal = AbortSignal.timeout(answerWithinMs);
  return fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }).then(
    ({ status }) => status,
    () => 0,
  );
}
