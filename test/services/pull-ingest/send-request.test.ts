import { randomUUID } from 'node:crypto';
import t from 'tap';
import { loadConfig } from '../../../config.ts';
import { pulledNames, pullOf } from '../../../providers/all.ts';
import { limitsOf, scopeOf } from '../../../services/pull-ingest/rules/pulled.ts';
import { pauseScope, reserveRequest } from '../../../services/pull-ingest/tables/rates.ts';
import { pullPace } from '../../../services/pull-ingest/work/pace.ts';
import { sendRequest } from '../../../services/pull-ingest/work/send-request.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);
const config = loadConfig({});
const halfMinuteMs = 30_000;

/** An account of the health data platform, whose requests are answered with a status. */
function accountOf(status: number, headers: Readonly<Record<string, string>> = {}) {
  const account = { provider: 'googlehealth', connection_id: randomUUID(), user_id: randomUUID() } as const;
  const { connection_id } = account;
  const connected_at = '2026-01-01T00:00:00Z';
  const bearerOf = (version: number) => ({
    ...{ kind: 'token' as const, token: `token ${version}`, connection_id, connected_at, version },
  });
  const [asked, expired]: string[][] = [[], []];
  const sending = {
    ...{ database, config, pace: pullPace },
    tokens: {
      bearer: async (_: unknown, { refused = 0 } = {}) => bearerOf(refused + 1),
      worked: async () => {},
      expire: async ({ token }: { readonly token: string }) => void expired?.push(token),
    },
    api: {
      async request({ token = '' }: { readonly token?: string }) {
        asked?.push(token);
        return { status, headers: new Headers(headers), text: '{}', tries: 1 };
      },
    },
  };
  const send = () => sendRequest(sending, account, { path: '/v4' }, new AbortController().signal);
  return { asked, expired, send };
}

t.test('a connection whose fresh token is refused as well has ended', async (t) => {
  const { asked, expired, send } = accountOf(401);
  t.same(await send(), { kind: 'gone', reason: 'TOKEN_REFUSED' });
  t.same(asked, ['token 1', 'token 2']);
  t.same(expired, ['token 2']);
});

t.test('after a 429 nothing is sent for half a minute, or for as long as the answer says', async (t) => {
  for (const [headers, leastMs] of [
    [{}, halfMinuteMs],
    [{ 'retry-after': '90' }, 3 * halfMinuteMs],
  ] as const) {
    const { asked, send } = accountOf(429, headers);
    t.same(await send(), { kind: 'wait', waitMs: leastMs });
    const next = await send();
    t.ok(next.kind === 'wait' && next.waitMs > leastMs - 20_000, JSON.stringify(next));
    t.equal(asked?.length, 1);
  }
});

t.test('of several waits the longest counts', async (t) => {
  const limit = { scope: 'waits', intervalMs: 1, burst: 10 };
  for (const seconds of [1, 3600, 2]) await pauseScope(database, 'waits', seconds * 1000);
  t.ok((await reserveRequest(database, [limit])) > 3_000_000);
});

t.test('accounts share the limits of the application, and have their own beside it', async (t) => {
  const [one, other] = [randomUUID(), randomUUID()];
  for (const provider of pulledNames)
    for (const { of } of pullOf(provider).limits)
      t.equal(
        scopeOf(config, { provider, connection_id: one }, of) ===
          scopeOf(config, { provider, connection_id: other }, of),
        of === 'application',
        `${provider} ${of}`,
      );
});

t.test('clients of projects have limits of their own', async (t) => {
  const connection_id = randomUUID();
  const scopes = [undefined, 'one', 'other'].map((client_id) =>
    scopeOf(config, { provider: 'withings', connection_id, client_id }, 'application'),
  );
  t.equal(new Set(scopes).size, 3);
});

t.test('a burst and the even rate after it stay within the limit of a window', async (t) => {
  for (const provider of pulledNames)
    for (const [index, { requests, windowMs }] of pullOf(provider).limits.entries()) {
      const { burst = 0, intervalMs = 0 } =
        limitsOf(config, { provider, connection_id: randomUUID() })[index] ?? {};
      t.ok(burst + windowMs / intervalMs < requests(config), `${provider} ${index}`);
    }
});
