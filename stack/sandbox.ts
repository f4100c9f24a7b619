// The two simulated providers beside the services: on a thread of their own, reached over HTTP like real ones.
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { z } from 'zod';
import type { Config } from '../config.ts';
import type { Started } from './prepare.ts';

const Client = { client_id: z.string(), client_secret: z.string() };
const Access = z.object({
  url: z.string(),
  devicemaker: z.object({
    ...Client,
    api_url: z.string(),
    authorize_url: z.string(),
    token_url: z.string(),
  }),
  activitynet: z.object({ ...Client, api_url: z.string(), oauth_url: z.string(), subscription_id: z.int() }),
});

/** The settings that lead the services to the sandbox instead of the real providers. */
export type ProviderSettings = ReturnType<typeof settingsOf>;

/** A sandbox that runs, and where. */
export interface RunningSandbox {
  readonly access: z.infer<typeof Access>;
  readonly settings: ProviderSettings;
}

/** The people that every sandbox of `npm start` has. */
export const sandboxSeed = 'first light';
/** The real provider gathers requests for history through five minutes; nobody wants to watch that. */
const batchWindowMs = 300;
const stopWithinMs = 5000;
/** Megabytes: a month of six people is 80; without a bound the collector lets it grow to 470. */
const mostHeap = 384;

/** Starts the sandbox where it is wanted; null where it is not. */
export async function startSandbox(
  config: Config,
  dataDir: string,
  started: Started,
): Promise<RunningSandbox | null> {
  if (!sandboxIsOn(config)) return null;
  const thread = new Worker(new URL('../sandbox/thread.ts', import.meta.url), {
    resourceLimits: { maxOldGenerationSizeMb: mostHeap },
    workerData: {
      seed: sandboxSeed,
      file: join(dataDir, 'sandbox.json'),
      speed: config.SANDBOX_SPEED,
      batch_window_ms: batchWindowMs,
      redirect_origins: config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).origin],
    },
  });
  thread.on('error', (error) => console.error('The sandbox failed:', error.message));
  started(() => stop(thread));
  const access = Access.parse(await firstMessage(thread));
  return { access, settings: settingsOf(access) };
}

/** `auto` is on where all services run, as long as nobody configured a real provider. */
export function sandboxIsOn({
  SANDBOX,
  SERVICES,
  DEVICEMAKER_CLIENT_SECRET,
  DEVICEMAKER_CLIENT_ID,
  ACTIVITYNET_CLIENT_ID,
}: Config): boolean {
  if (SANDBOX !== 'auto') return SANDBOX === 'on';
  const real = [DEVICEMAKER_CLIENT_SECRET, DEVICEMAKER_CLIENT_ID, ACTIVITYNET_CLIENT_ID];
  return SERVICES.length === 0 && real.every((one) => one === undefined);
}

function firstMessage(thread: Worker): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  thread.once('message', resolve);
  thread.once('error', reject);
  thread.once('exit', () => reject(new Error('the sandbox ended before it was there')));
  return promise;
}

// It writes down who is connected before it ends.
async function stop(thread: Worker): Promise<void> {
  const ended = new Promise((resolve) => thread.once('exit', resolve));
  thread.postMessage('stop');
  const late = setTimeout(() => void thread.terminate(), stopWithinMs);
  await ended;
  clearTimeout(late);
}

/** The settings that lead to a sandbox. */
export function settingsOf({ url, devicemaker, activitynet }: z.infer<typeof Access>) {
  return {
    DEVICEMAKER_API_URL: devicemaker.api_url,
    DEVICEMAKER_AUTHORIZE_URL: devicemaker.authorize_url,
    DEVICEMAKER_TOKEN_URL: devicemaker.token_url,
    DEVICEMAKER_CLIENT_ID: devicemaker.client_id,
    DEVICEMAKER_CLIENT_SECRET: devicemaker.client_secret,
    DEVICEMAKER_CALLBACK_ORIGINS: [url],
    ACTIVITYNET_API_URL: activitynet.api_url,
    ACTIVITYNET_OAUTH_URL: activitynet.oauth_url,
    ACTIVITYNET_CLIENT_ID: activitynet.client_id,
    ACTIVITYNET_CLIENT_SECRET: activitynet.client_secret,
    ACTIVITYNET_SUBSCRIPTION_ID: activitynet.subscription_id,
    ACTIVITYNET_VERIFY_TOKEN: randomBytes(16).toString('hex'),
    ACTIVITYNET_REQUIRE_SIGNATURE: true,
    // Its accounts are synthetic: the plain address may say whose they are.
    WEBHOOK_PLAIN_ANSWERS: 'full' as const,
  };
}

/** The same settings as an environment has them, for services in processes of their own. */
export function environmentOf(settings: ProviderSettings): Record<string, string> {
  const texts = Object.entries(settings).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : String(value),
  ]);
  return Object.fromEntries(texts);
}
