import type { Config } from '../../../config.ts';
import { isError } from '../../../domain/errors.ts';
import type { ProviderAnswer, ProviderApi } from '../../../mixins/provider-api/provider-api.ts';
import {
  type Bearer,
  type ProviderTokens,
  sendWithToken,
} from '../../../mixins/provider-api/provider-tokens.ts';
import type { Environment } from '../../../runtime/environment.ts';
import { parseExact } from '../rules/events.ts';
import type { QuotaReservation, ReadQuota, Work } from '../tables/budget.ts';
import type { FetchPace } from './pace.ts';

/** Dependencies of reading from the provider. */
export interface Reading {
  readonly config: Config;
  readonly api: ProviderApi;
  readonly quota: ReadQuota;
  readonly tokens: ProviderTokens;
  readonly pace: FetchPace;
}

/** The user and the kind of work that a read is for. `signal` aborts it. */
interface Reader {
  readonly user_id: string;
  readonly work: Work;
  readonly signal: AbortSignal;
}

/**
 * The result of a read. `found`: the body, with the time at which the connection was made. `wait`: not an error (the
 * quota is used up, the provider asks to wait, or the process stops). `failed`: a temporary error. `gone`: the
 * connection has ended. `refused`: a permanent error.
 */
export type ReadResult =
  | { readonly kind: 'found'; readonly body: unknown; readonly connectedMs: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'failed' | 'gone' | 'refused'; readonly reason: string };

/** A read that found nothing. */
export type Unfound = Exclude<ReadResult, { kind: 'found' }>;

/** Reads a path of the provider's API. */
export type Read = (path: string, query?: Readonly<Record<string, string>>) => Promise<ReadResult>;

// The streams of a day at one sample a second are 3 MB.
const mostBytes = 64 * 1024 * 1024;

/**
 * Reserves reads and uses them: a fetch does not begin if only one of its two reads could be sent. Those that were not sent
 * are released. Returns null if the quota has too few left.
 */
export async function withReads<T>(
  reading: Reading,
  reader: Reader,
  reads: number,
  use: (read: Read) => Promise<T>,
): Promise<T | null> {
  const { quota } = reading;
  const reserved = await quota.reserve(reads, reader.work);
  if (reserved === null) return null;
  let left = reads;
  // A reservation expires with its rate-limit window. Reads in the next window need a new one.
  const takeReservation = async (): Promise<QuotaReservation | null> => {
    if (left > 0 && (await quota.holds(reserved))) {
      left -= 1;
      return reserved;
    }
    return quota.reserve(1, reader.work);
  };
  try {
    return await use((path, query = {}) =>
      readWithToken(reading, reader, urlOf(reading.config, path, query), takeReservation),
    );
  } finally {
    await quota.release(reserved, left);
  }
}

function urlOf({ ACTIVITYNET_API_URL }: Config, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(`${ACTIVITYNET_API_URL.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

type TakeReservation = () => Promise<QuotaReservation | null>;

// Each try needs a reservation. If only a retry cannot be reserved, the last answer counts, so that a failing job is delayed and
// does not use the first read after each pause.
function readWithToken(
  { api, quota, tokens }: Reading,
  { user_id, signal }: Reader,
  url: URL,
  takeReservation: TakeReservation,
): Promise<ReadResult> {
  const sendTry = async (send: () => Promise<ProviderAnswer>) => {
    const reservation = await takeReservation();
    if (reservation === null) return null;
    const answer = await send();
    const { status, headers, unsent = false } = answer;
    await quota.settle(reservation, { status, headers, unsent });
    return answer;
  };
  return sendWithToken<ReadResult>(tokens, { user_id, provider: 'activitynet' }, signal, {
    async send(bearer) {
      const answer = await api.request({ url, token: bearer.token, signal, mostBytes, sendTry });
      if (answer.status === 200) await tokens.worked(bearer);
      return isUnauthorized(answer) ? null : resultOf(answer, bearer, signal);
    },
    without: ({ kind, reason }) => ({ kind: kind === 'none' ? 'gone' : 'failed', reason }),
  });
}

// The provider also answers 401 if the athlete did not grant this scope. The token is still valid then.
function isUnauthorized({ status, text }: ProviderAnswer): boolean {
  return status === 401 && !/_permission"/.test(text);
}

const exact = new Set(['id']);

function resultOf(
  { status, text, tries }: ProviderAnswer,
  { connected_at }: Bearer,
  signal: AbortSignal,
): ReadResult {
  if (tries === 0 || status === 429) return { kind: 'wait' };
  if (status === 0 || status >= 500) {
    const reason = status === 0 ? 'NO_ANSWER' : `HTTP_${status}`;
    return signal.aborted ? { kind: 'wait' } : { kind: 'failed', reason };
  }
  if (status === 404) return { kind: 'missing' };
  if (status === 401 || status === 403) return { kind: 'refused', reason: 'NOT_ALLOWED' };
  if (status !== 200) return { kind: 'refused', reason: `HTTP_${status}` };
  try {
    return { kind: 'found', body: parseExact(text, exact), connectedMs: Date.parse(connected_at) };
  } catch {
    return { kind: 'failed', reason: 'NOT_JSON' };
  }
}

/** The scope without which the provider neither lists nor returns private activities. */
const allActivities = 'activity:read_all';

/** A connection that may read private activities. */
export interface ReadingAll {
  readonly connection_id: string;
  readonly connectedMs: number;
}

/**
 * The connection of a user if it is active and may read private activities. Null otherwise: activities that it does not
 * find may exist.
 */
export async function readsAll(
  { call }: Pick<Environment, 'call'>,
  user_id: string,
): Promise<ReadingAll | null> {
  const whose = { user_id, provider: 'activitynet' as const };
  try {
    const { status, scope } = await call('users.connection', whose);
    if (status !== 'active' || !scope.includes(allActivities)) return null;
    const { connection_id, connected_at } = await call('users.tokens', whose);
    return { connection_id, connectedMs: Date.parse(connected_at) };
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND') || isError(error, 'CONNECTION_NOT_FOUND')) return null;
    throw error;
  }
}
