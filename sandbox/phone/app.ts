import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';

/**
 * Plays the app on a phone by the rules of the Open Wearables SDKs:
 * - items go out in chunks (2,000 in the foreground, 100 in the background), and the anchor moves on a 2xx only;
 * - a lost answer, a time-out, a 5xx: the chunk is sent again, after Retry-After where there is one;
 * - 401: the tokens are renewed once and the chunk is repeated, then the upload ends and keeps its data;
 * - any other 4xx: the chunk is skipped for ever (`skipped`).
 *
 * Faults, each with a share of chunks: `lostAnswers` (the connection is cut while the server works, so that the chunk
 * comes twice), `repeated` (an answered chunk is sent again), `unordered` (chunks in random order). Data has its own:
 * `days.ts`.
 */
export interface AppFaults {
  readonly lostAnswers: number;
  readonly repeated: number;
  readonly unordered: boolean;
}

/** No faults. */
export const noFaults: AppFaults = { lostAnswers: 0, repeated: 0, unordered: false };

/** Where an app uploads to, and how. */
export interface AppAccess {
  /** The origins of gateways; another one is taken after a failure. */
  readonly origins: readonly string[];
  readonly userId: string;
  /** The credential: a bare token as on iOS, or another header. */
  readonly headers: () => Record<string, string>;
  /** Renews the tokens; false if they are refused. */
  readonly renew?: () => Promise<boolean>;
  readonly random: () => number;
  readonly fetch: typeof fetch;
  readonly signal: AbortSignal;
}

/** What became of an upload. */
export interface AppReport {
  sent: number;
  again: number;
  skipped: number;
  setAside: number;
  /** The upload ended with 401, and the rest stays on the phone. */
  isLoggedOut: boolean;
}

/** The lists of a body. */
export interface PhoneData {
  readonly records?: readonly object[];
  readonly sleep?: readonly object[];
  readonly workouts?: readonly object[];
  readonly deleted?: readonly object[];
}

/** The size of chunks in the foreground. */
export const foregroundChunk = 2000;
const answerWithinMs = 60_000;
const mostAttempts = 1000;
const longestWaitMs = 2000;

const Answer = z.object({ set_aside: z.number() });

/** Uploads data in chunks. Resolves when each chunk is answered, skipped, or refused for good. */
export async function upload(
  access: AppAccess,
  provider: string,
  data: PhoneData,
  {
    chunk = foregroundChunk,
    faults = noFaults,
  }: { readonly chunk?: number; readonly faults?: AppFaults } = {},
): Promise<AppReport> {
  const report: AppReport = { sent: 0, again: 0, skipped: 0, setAside: 0, isLoggedOut: false };
  const bodies = chunksOf(data, chunk).map((part) => bodyOf(provider, part));
  if (faults.unordered) shuffle(bodies, access.random);
  for (const body of bodies) {
    await sendChunk(access, body, report, faults);
    if (report.isLoggedOut) break;
    if (access.random() < faults.repeated) await sendChunk(access, body, report, noFaults);
  }
  return report;
}

/** Reports the progress of a first upload. */
export async function sendEvents(
  access: AppAccess,
  provider: string,
  events: readonly object[],
): Promise<void> {
  const body = JSON.stringify({ provider, sdkVersion, events });
  await post(access, 'logs', body, access.origins[0] ?? '', access.signal).catch(() => null);
}

const sdkVersion = '0.11.1';

function bodyOf(provider: string, data: PhoneData): string {
  return JSON.stringify({ provider, sdkVersion, syncTimestamp: new Date().toISOString(), data });
}

function chunksOf(data: PhoneData, size: number): PhoneData[] {
  const lists = [
    ...pieces(data.records ?? [], size).map((records) => ({ records })),
    ...pieces(data.sleep ?? [], size).map((sleep) => ({ sleep })),
    ...pieces(data.workouts ?? [], size).map((workouts) => ({ workouts })),
    ...pieces(data.deleted ?? [], size).map((deleted) => ({ deleted })),
  ];
  return lists.map((one) => ({ records: [], sleep: [], workouts: [], ...one }));
}

function pieces<T>(items: readonly T[], size: number): (readonly T[])[] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

async function sendChunk(
  access: AppAccess,
  body: string,
  report: AppReport,
  faults: AppFaults,
): Promise<void> {
  let hasRenewed = false;
  let losesAnswer = access.random() < faults.lostAnswers;
  for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
    access.signal.throwIfAborted();
    report[attempt === 0 ? 'sent' : 'again'] += 1;
    const origin = access.origins[attempt % access.origins.length] ?? '';
    const response = await attemptOnce(access, body, origin, losesAnswer);
    losesAnswer = false;
    if (response?.status === 401) {
      report.isLoggedOut = hasRenewed || (await access.renew?.()) !== true;
      if (report.isLoggedOut) return;
      hasRenewed = true;
    } else if (response !== null && response.status < 300) {
      report.setAside += Answer.safeParse(response.body).data?.set_aside ?? 0;
      return;
    } else if (response !== null && response.status < 500) {
      report.skipped += 1;
      return;
    } else
      await sleep(Math.min(longestWaitMs, response?.retryMs ?? 100), undefined, { signal: access.signal });
  }
  throw new Error('the upload was never taken');
}

interface Replied {
  readonly status: number;
  readonly body: unknown;
  readonly retryMs: number;
}

// Null: no answer, so the app does not learn whether the chunk was stored.
async function attemptOnce(
  access: AppAccess,
  body: string,
  origin: string,
  losesAnswer: boolean,
): Promise<Replied | null> {
  const within = losesAnswer ? 1 + access.random() * 60 : answerWithinMs;
  const signal = AbortSignal.any([access.signal, AbortSignal.timeout(Math.ceil(within))]);
  try {
    return await post(access, 'sync', body, origin, signal);
  } catch {
    return null;
  }
}

async function post(
  { fetch, userId, headers }: AppAccess,
  path: 'sync' | 'logs',
  body: string,
  origin: string,
  signal: AbortSignal,
): Promise<Replied> {
  const response = await fetch(`${origin}/api/v1/sdk/users/${userId}/${path}`, {
    method: 'POST',
    body,
    signal,
    headers: { 'content-type': 'application/json', ...headers() },
  });
  const retryMs = 1000 * Number(response.headers.get('retry-after') ?? 0.1);
  const text = await response.text();
  return { status: response.status, body: text.startsWith('{') ? JSON.parse(text) : null, retryMs };
}

function shuffle(list: unknown[], random: () => number): void {
  for (let at = list.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other], list[at]];
  }
}
