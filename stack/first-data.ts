import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SingleBar } from 'cli-progress';
import type { ServiceBroker } from 'moleculer';
import type { Config } from '../config.ts';
import { dayMs } from '../domain/time.ts';
import { typedCall } from '../mixins/environment.ts';
import { sendFirstData } from '../sandbox/first-data.ts';
import { writePrivate } from './secrets.ts';
import type { StartPage } from './start-page.ts';

/** What showing the synthetic people needs. */
export interface FirstData {
  readonly broker: ServiceBroker;
  readonly config: Config;
  readonly url: string;
  readonly dataDir: string;
  readonly signal: AbortSignal;
  say(line: string): void;
}

const daysOfHistory = 30;
const seed = 'first light';

/**
 * With the sandbox on, two synthetic people get their 30 days through the push webhook, over HTTP like anybody's.
 * Returns what the start page shows of them, null while the sandbox is off.
 */
export async function showFirstData(choice: FirstData): Promise<StartPage['example']> {
  if (!sandboxIsOn(choice.config)) return null;
  const keyFile = join(choice.dataDir, 'sandbox.key');
  const apiKey = await sandboxKey(choice, keyFile);
  const progress = progressOf(choice.say);
  const nowMs = Date.now();
  const clientId = choice.config.DEVICEMAKER_CLIENT_ID ?? 'sandbox';
  const { people } = await sendFirstData({
    baseUrl: choice.url,
    apiKey,
    clientId,
    days: daysOfHistory,
    seed,
    nowMs,
    signal: choice.signal,
    onProgress: progress.update,
  }).finally(progress.stop);
  const [first] = people;
  const daysAgo = (days: number) => new Date(nowMs - days * dayMs).toISOString().slice(0, 10);
  return first === undefined ? null : { keyFile, userId: first.user_id, day: daysAgo(1), from: daysAgo(7) };
}

/** `auto` is on as long as nobody configured a real provider. */
function sandboxIsOn({
  SANDBOX,
  DEVICEMAKER_CLIENT_SECRET,
  DEVICEMAKER_CLIENT_ID,
  ACTIVITYNET_CLIENT_ID,
}: Config): boolean {
  if (SANDBOX !== 'auto') return SANDBOX === 'on';
  return [DEVICEMAKER_CLIENT_SECRET, DEVICEMAKER_CLIENT_ID, ACTIVITYNET_CLIENT_ID].every(
    (one) => one === undefined,
  );
}

// The key of an earlier start is used as long as it is alive.
async function sandboxKey({ broker, url }: FirstData, file: string): Promise<string> {
  const known = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
  const probe =
    known === '' ? null : await fetch(`${url}/api/v1/users?limit=1`, { headers: { 'X-API-Key': known } });
  if (probe !== null && probe.status !== 401) return known;
  const call = typedCall(broker);
  const [developer] = await call('auth.listDevelopers', {});
  if (developer === undefined) throw new Error('there is no developer account to make a key for');
  const caller = { kind: 'developer' as const, id: developer.id, developer_id: developer.id, user_id: null };
  const { key } = await call('auth.createKey', { name: 'Sandbox' }, { meta: { caller } });
  writePrivate(file, `${key}\n`);
  return key;
}

function progressOf(say: (line: string) => void) {
  if (!process.stdout.isTTY) {
    let shown = -1;
    const update = (done: number, total: number) => {
      const tenth = Math.floor((done / Math.max(1, total)) * 10);
      if (tenth === shown) return;
      shown = tenth;
      say(`  Synthetic people: ${done} of ${total} deliveries`);
    };
    return { update, stop: () => undefined };
  }
  const bar = new SingleBar({
    format: '  Synthetic people {bar} {value}/{total} deliveries',
    hideCursor: true,
  });
  bar.start(1, 0);
  const update = (done: number, total: number) => {
    bar.setTotal(total);
    bar.update(done);
  };
  return { update, stop: () => bar.stop() };
}
