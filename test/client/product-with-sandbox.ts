import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import { apiAt } from '../../sandbox/connect/api.ts';
import { backfillProgress, connectUsers } from '../../sandbox/connect/connect-users.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { environmentOf, settingsOf } from '../../stack/sandbox/sandbox.ts';
import { pointAt } from '../../stack/sandbox/sandbox-users.ts';
import { startApi } from '../support/api.ts';

/** The product, and the sandbox, with one user whose last days have arrived. */
export interface ClientProduct {
  readonly url: string;
  readonly apiKey: string;
  /** The user with data of the device maker. */
  readonly userId: string;
}

/** Starts both in this process. Webhook endpoints may be at `origins`. */
export async function startClientProduct(t: Test, origins: readonly string[]): Promise<ClientProduct> {
  const sandbox = await startSandbox({ seed: 'a seed', limits: { batchWindowMs: 300 } });
  t.teardown(() => sandbox.stop());
  const { url, apiKey } = await startApi(t, {
    ...environmentOf(settingsOf(sandbox.access)),
    BACKFILL_DAYS: '8', // some types are measured once a week, and one without data is waited for
    RATE_LIMIT_API_KEY: '100000',
    IMPORT_RETENTION_DAYS: '1',
    WEBHOOK_ENDPOINT_ORIGINS: origins.join(','),
  });
  return { url, apiKey, userId: await connect(url, apiKey, sandbox) };
}

async function connect(url: string, apiKey: string, sandbox: Awaited<ReturnType<typeof startSandbox>>) {
  const { signal } = new AbortController();
  await pointAt(sandbox, url, signal);
  const api = apiAt({ baseUrl: url, fetch, signal });
  const connecting = { api, apiKey, sandboxUrl: sandbox.access.url, seed: 'a seed', who: [0], fetch };
  const connected = await connectUsers(connecting);
  while ((await backfillProgress(connecting, connected)).running > 0) await sleep(200);
  return connected[0]?.user_id ?? '';
}
