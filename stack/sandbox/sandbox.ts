// The simulated providers. They run on a thread of their own and are reached over HTTP like real ones.
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Config, loadConfig } from '../../config.ts';
import { settingsOf as realSettings } from '../../runtime/provider-settings.ts';
import { simulations } from '../../sandbox/all.ts';
import { outsideTwins } from '../../sandbox/outside.ts';
import { SandboxAccess } from '../../sandbox/simulation/simulation.ts';
import type { Lifetime } from '../machine/run-until-signal.ts';

/** The settings that lead the services to the sandbox instead of the real providers. */
export type ProviderSettings = Readonly<Record<string, Config[keyof Config]>>;

/** A running sandbox. */
export interface RunningSandbox {
  readonly access: SandboxAccess;
  readonly settings: ProviderSettings;
}

/** The seed of the synthetic users of `npm start`. */
export const sandboxSeed = 'first light';
/** A real provider collects backfill requests for five minutes, which is too long for a first start. */
const batchWindowMs = 300;
const stopWithinMs = 5000;
/** A sandbox that is not ready by then is left out, because the services start with its settings. */
const readyWithinMs = 60_000;
/** Megabytes. A month of six users takes 120. Without a limit the heap grows to 470. */
const resourceLimits = { maxOldGenerationSizeMb: 320, maxYoungGenerationSizeMb: 12 };

/** Starts the sandbox if it is enabled. Returns null otherwise, and if it cannot be started, which it says. */
export async function startSandbox(
  config: Config,
  dataDir: string,
  { started, say }: Pick<Lifetime, 'started'> & { say(line: string): void },
): Promise<RunningSandbox | null> {
  if (!sandboxIsOn(config)) return null;
  for (const problem of outsideTwins.problems)
    say(`Warning: PROVIDERS: ${problem}. The sandbox leaves it out.`);
  const thread = new Worker(new URL('../../sandbox/server/thread.ts', import.meta.url), {
    resourceLimits,
    workerData: {
      seed: sandboxSeed,
      file: join(dataDir, 'sandbox.json'),
      speed: config.SANDBOX_SPEED,
      batch_window_ms: batchWindowMs,
      redirect_origins: config.PUBLIC_URL === undefined ? [] : [new URL(config.PUBLIC_URL).origin],
    },
  });
  const ended = once(thread, 'exit');
  started(() => stop(thread, ended));
  const late = AbortSignal.timeout(readyWithinMs);
  try {
    const [message] = await Promise.race([
      once(thread, 'message', { signal: late }),
      ended.then(() => Promise.reject(new Error('it ended before it was ready'))),
    ]);
    const access = SandboxAccess.parse(message);
    thread.on('error', (error) => say(`The sandbox failed: ${error.message}`));
    return { access, settings: settingsOf(access) };
  } catch (error) {
    await thread.terminate();
    const reason = late.aborted ? `it was not ready within ${readyWithinMs / 1000} s` : String(error);
    say(`The sandbox is not started: ${reason}. Everything else works; the next start tries again.`);
    return null;
  }
}

/** `auto` is on where all services run, while no credentials of a real provider are set. */
export function sandboxIsOn(config: Config): boolean {
  if (config.SANDBOX !== 'auto') return config.SANDBOX === 'on';
  const isReal = simulations.some(({ name }) => {
    const { clientId, clientSecret } = realSettings(config, name);
    return clientId !== undefined || clientSecret !== undefined;
  });
  return config.SERVICES.length === 0 && !isReal;
}

// The sandbox writes its file before it ends.
async function stop(thread: Worker, ended: Promise<unknown>): Promise<void> {
  thread.postMessage('stop');
  const late = setTimeout(() => void thread.terminate(), stopWithinMs);
  await ended.catch(() => undefined);
  clearTimeout(late);
}

/** The settings that lead to a sandbox. */
export function settingsOf({ url, settings }: SandboxAccess): ProviderSettings {
  const environment = { ...settings, SANDBOX_URL: url };
  return Object.fromEntries(
    Object.entries(loadConfig(environment)).filter(([name]) => Object.hasOwn(environment, name)),
  );
}

/** The same settings as an environment has them, for services in processes of their own. */
export function environmentOf(settings: ProviderSettings): Record<string, string> {
  const texts = Object.entries(settings).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(',') : String(value),
  ]);
  return Object.fromEntries(texts);
}
