import { z } from 'zod';
import type { ApplicationRoute, ListedWorld } from '../listed/listed.ts';
import { failure } from '../listed/records.ts';
import { ok, type Reply, withBody } from '../server/http.ts';
import { secret } from '../server/store.ts';

const Body = z.object({ url: z.url(), events: z.array(z.string()).min(1) });
const path = '/v3/webhooks';
const id = 'webhook1';

/** The webhook of the application. Its secret is shown once, and its address must answer an unsigned ping. */
export function webhookRoutes(world: ListedWorld): ApplicationRoute[] {
  const { own, store, clock, outbox } = world;
  const saved = (reply: Reply): Reply => {
    store.save();
    clock.at(clock.nowMs(), outbox.pump);
    return reply;
  };
  const events = ['EXERCISE', 'SLEEP', 'CONTINUOUS_HEART_RATE', 'ACTIVITY_SUMMARY'];
  return [
    {
      method: 'GET',
      path,
      handle: () =>
        ok({
          data: own.webhook === null ? [] : [{ id, url: own.webhook, events, active: !own.webhook_off }],
        }),
    },
    {
      method: 'POST',
      path,
      handle: (request) =>
        withBody(Body, request, async ({ url }) => {
          if (own.webhook !== null) return failure(409, 'a webhook exists');
          if (!(await answersPing(url))) return failure(400, 'no answer to the ping');
          Object.assign(own, { webhook: url, webhook_off: false, secret: secret() });
          const data = { id, url, events, signature_secret_key: own.secret };
          return saved({ status: 201, json: { data } });
        }),
    },
    {
      method: 'POST',
      path: `${path}/activate`,
      handle() {
        own.webhook_off = false;
        return saved(ok({}));
      },
    },
    {
      method: 'PATCH',
      path: `${path}/:id`,
      handle: (request) =>
        withBody(Body, request, ({ url }) => {
          own.webhook = url;
          return saved(ok({ data: { id, url, events } }));
        }),
    },
    {
      method: 'DELETE',
      path: `${path}/:id`,
      handle() {
        own.webhook = null;
        return saved({ status: 204 });
      },
    },
  ];
}

const answerWithinMs = 5000;

function answersPing(url: string): Promise<boolean> {
  const headers = { 'Content-Type': 'application/json' };
  const body = JSON.stringify({ timestamp: '2026-03-02T09:05:00Z', event: 'PING' });
  const signal = AbortSignal.timeout(answerWithinMs);
  return fetch(url, { method: 'POST', headers, body, signal, redirect: 'manual' }).then(
    ({ status }) => status === 200,
    () => false,
  );
}
