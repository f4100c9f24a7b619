import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { z } from 'zod';
import { apiAt } from '../../../sandbox/connect/api.ts';
import { type Sandbox, startSandbox } from '../../../sandbox/server/server.ts';
import { quarterOf } from '../../../sandbox/simulation/clock.ts';
import { userTraits } from '../../../sandbox/simulation/simulated-users.ts';
import { environmentOf, settingsOf } from '../../../stack/sandbox/sandbox.ts';
import { pointAt } from '../../../stack/sandbox/sandbox-users.ts';
import { activitynetOf, devicemakerOf } from '../../sandbox/application.ts';
import { compared } from '../../sandbox/compare.ts';
import type { ProductWithSandbox } from '../../sandbox/product-with-sandbox.ts';
import { ask, developer } from '../../support/api.ts';
import { freshDatabase } from '../../support/servers/database.ts';
import { credentialsOf } from './api-data.ts';
import { commonSettings } from './product-processes.ts';

/** The product with its log, and both providers with a simulated clock. */
export interface SandboxRun extends ProductWithSandbox {
  /** All that the product wrote so far. */
  log(): string;
  /** What must not be in it: tokens and secrets of both providers and of ours, those that ended too. */
  readonly secrets: ReadonlySet<string>;
}

const Ready = z.object({ url: z.string() });
const tellEveryMs = 20;
/** The providers' clock stays ahead of the wall clock during the whole run. */
const aheadMs = 3_600_000;

/** Starts all of it on an empty database; it ends with the test. */
export async function startRun(t: Test, seed: string): Promise<SandboxRun> {
  const startMs = quarterOf(Date.now()) + aheadMs;
  const sandbox = await startSandbox({ seed, speed: 0, startMs, limits: { batchWindowMs: 1000 } });
  t.teardown(() => sandbox.stop());
  const database = await freshDatabase(t);
  const env = {
    ...commonSettings,
    ...environmentOf(settingsOf(sandbox.access)),
    ...{ DATABASE_URL: database.url, PORT: '0', LOG_LEVEL: 'debug', LOG_FORMAT: 'json' },
    EVENT_DELETE: 'remove', // as the ledger has it: what was taken away has no samples any more
    ...{ ADMIN_EMAIL: developer.email, ADMIN_PASSWORD: developer.password },
  };
  const product = await startProduct(t, sandbox, env);
  const { key, token } = await credentialsOf(product.url);
  const secrets = new Set([
    key,
    token,
    developer.password,
    developer.email,
    sandbox.access.settings.ACTIVITYNET_VERIFY_TOKEN ?? '',
  ]);
  secrets.add(devicemakerOf(sandbox).client_secret).add(activitynetOf(sandbox).client_secret);
  gather(t, sandbox, secrets);
  const { signal } = new AbortController();
  await pointAt(sandbox, product.url, signal);
  const api = apiAt({ baseUrl: product.url, fetch, signal });
  return {
    sandbox,
    log: product.log,
    secrets,
    connecting: {
      ...{ api, apiKey: key, sandboxUrl: sandbox.access.url, seed, who: [...userTraits.keys()], fetch },
      providers: compared,
    },
    api: {
      url: product.url,
      apiKey: key,
      async expect(status, path) {
        const answer = await ask(product.url, `/api/v1${path}`, { key });
        if (answer.status !== status) throw new Error(`${path}: ${answer.status}, not ${status}`);
        return answer.body;
      },
    },
  };
}

async function startProduct(t: Test, { world }: Sandbox, env: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'pulsebus-log-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const output = openSync(file, 'w');
  const program = join(import.meta.dirname, 'sandbox-product.ts');
  const child = spawn(process.execPath, ['--max-semi-space-size=16', program], {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
    stdio: ['ignore', output, output, 'ipc'],
  });
  const ended = once(child, 'exit');
  const tell = setInterval(() => child.send({ shows_ms: world.clock.nowMs() }, () => undefined), tellEveryMs);
  t.teardown(async () => {
    clearInterval(tell);
    child.kill('SIGKILL');
    await ended;
  });
  const log = () => readFileSync(file, 'utf8');
  const early = ended.then(([code]) => Promise.reject(new Error(`the product ended with ${code}: ${log()}`)));
  const [ready] = await Promise.race([once(child, 'message'), early]);
  early.catch(() => undefined);
  return { url: Ready.parse(ready).url, log };
}

// Tokens are replaced during the run, so each is recorded while it is valid.
function gather(t: Test, { providers }: Sandbox, secrets: Set<string>): void {
  const look = () => {
    for (const { grants } of providers.flatMap((one) => one.tokenHolders()))
      for (const { access_token, refresh_token } of grants) secrets.add(access_token).add(refresh_token);
  };
  const timer = setInterval(look, tellEveryMs);
  t.teardown(() => clearInterval(timer));
}
