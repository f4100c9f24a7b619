import pRetry from 'p-retry';
import type { Config } from '../../config.ts';
import type { ProviderAnswer, ProviderApi } from '../../mixins/provider-api.ts';
import type { ProviderQuota, Ticket, Work } from '../../mixins/provider-quota.ts';
import type { Bearer, NoBearer, ProviderTokens } from '../../mixins/provider-tokens.ts';
import { parseExact } from './exact-json.ts';
import type { FetchPace } from './pace.ts';

/** What reading of the provider takes. */
export interface Reading {
  readonly config: Config;
  readonly api: ProviderApi;
  readonly budget: ProviderQuota;
  readonly tokens: ProviderTokens;
  readonly pace: FetchPace;
}

/** Who reads, for what, and until when. */
export interface Reader {
  readonly user_id: string;
  readonly work: Work;
  readonly signal: AbortSignal;
}

/**
 * What a read came to: `found`, with the time of the link that it was read for; `wait` is nobody's fault (the budget is used up, the provider asks for patience, a stop),
 * `failed` may heal, `gone` is a link that is over, `refused` is for good.
 */
export type ReadResult =
  | { readonly kind: 'found'; readonly body: unknown; readonly connectedMs: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'wait' }
  | { readonly kind: 'failed' | 'gone' | 'refused'; readonly reason: string };

/** A read that found nothing. */
export type Unfound = Exclude<ReadResult, { kind: 'found' }>;

/** Reads of one activity, paid for together: it is not begun when only one of the two could be sent. */
export interface ReadReservation {
  read(path: string, query?: Readonly<Record<string, string>>): Promise<ReadResult>;
  /** How many reads were sent. */
  sent(): number;
  /** Gives back what was not needed. */
  close(): Promise<void>;
}

// Streams of a day at a sample a second are 3 MB.
const mostBytes = 64 * 1024 * 1024;
const longestPauseMs = 3000;

/** Pays for reads; null where the budget does not have them now. */
export async function reserveReads(
  reading: Reading,
  reader: Reader,
  reads: number,
): Promise<ReadReservation | null> {
  const { budget } = reading;
  const paid = await budget.charge(reads, reader.work);
  if (paid === null) return null;
  let left = reads;
  let sent = 0;
  // A reservation that was filled in a window that has passed is worth nothing in the next one: it is filled anew.
  const pay = async (): Promise<Ticket | null> => {
    if (left > 0 && (await budget.holds(paid))) {
      left -= 1;
      return paid;
    }
    return budget.charge(1, reader.work);
  };
  const counted = async () => {
    const ticket = await pay();
    sent += ticket === null ? 0 : 1;
    return ticket;
  };
  return {
    sent: () => sent,
    read: (path, query = {}) => readWithToken(reading, reader, urlOf(reading.config, path, query), counted),
    close: () => budget.refund(paid, left),
  };
}

function urlOf({ ACTIVITYNET_API_URL }: Config, path: string, query: Readonly<Record<string, string>>): URL {
  const url = new URL(`${ACTIVITYNET_API_URL.replace(/\/$/, '')}${path}`);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return url;
}

type Pay = () => Promise<Ticket | null>;

// A token that is refused is refreshed once; refused fresh, the link is over.
async function readWithToken(reading: Reading, reader: Reader, url: URL, pay: Pay): Promise<ReadResult> {
  const { tokens } = reading;
  const owner = { user_id: reader.user_id, provider: 'activitynet' as const };
  const { signal } = reader;
  const bearer = await tokens.bearer(owner, { signal });
  if (bearer.kind !== 'token') return withoutToken(bearer);
  const first = await persist(reading, reader, { url, bearer, pay });
  if (first === null || !isUnauthorized(first)) return resultOf(first, bearer, signal);
  const fresh = await tokens.bearer(owner, { signal, refused: bearer.version });
  if (fresh.kind !== 'token') return withoutToken(fresh);
  const second = await persist(reading, reader, { url, bearer: fresh, pay });
  if (second === null || !isUnauthorized(second)) return resultOf(second, fresh, signal);
  await tokens.expire(fresh);
  return { kind: 'gone', reason: 'TOKEN_REFUSED' };
}

// 401 also says that the owner did not allow this read: then the token is as good as it was.
function isUnauthorized({ status, text }: ProviderAnswer): boolean {
  return status === 401 && !/_permission"/.test(text);
}

function withoutToken({ kind, reason }: NoBearer): ReadResult {
  return { kind: kind === 'none' ? 'gone' : 'failed', reason };
}

interface Request {
  readonly url: URL;
  readonly bearer: Bearer;
  readonly pay: Pay;
}

/** Thrown to p-retry only. */
class Unanswered extends Error {}

// Null: not sent, because there is nothing to pay with. Where only the next try cannot be paid for, the last answer
// stands: a job that fails has to step back, or it would be the one that asks after each pause.
async function persist(
  reading: Reading,
  { signal }: Reader,
  request: Request,
): Promise<ProviderAnswer | null> {
  const { pace } = reading;
  let last: ProviderAnswer | null = null;
  const attempt = async () => {
    const ticket = await request.pay();
    if (ticket === null) return last;
    last = await send(reading, request, ticket, signal);
    if (isFailure(last)) throw new Unanswered(`status ${last.status}`);
    return last;
  };
  const options = {
    retries: pace.retries,
    minTimeout: pace.firstPauseMs,
    maxTimeout: longestPauseMs,
    randomize: true,
    signal,
    shouldRetry: ({ error }: { error: Error }) => error instanceof Unanswered,
  };
  return pRetry(attempt, options).catch((error: unknown) => {
    if (error instanceof Unanswered || signal.aborted) return last;
    throw error; // the database is away
  });
}

function isFailure({ status }: ProviderAnswer): boolean {
  return status === 0 || status >= 500;
}

async function send(
  { api, budget }: Reading,
  { url, bearer }: Request,
  ticket: Ticket,
  signal: AbortSignal,
): Promise<ProviderAnswer> {
  const answer = await api.request({ url, token: bearer.token, signal, mostBytes });
  const { status, headers, unsent = false } = answer;
  await budget.settle(ticket, { status, headers, unsent });
  return answer;
}

const exact = new Set(['id']);

function resultOf(answer: ProviderAnswer | null, { connected_at }: Bearer, signal: AbortSignal): ReadResult {
  if (answer === null || answer.status === 429) return { kind: 'wait' };
  const { status, text } = answer;
  if (isFailure(answer)) {
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
