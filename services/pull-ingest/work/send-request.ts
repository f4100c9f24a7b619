import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../../../config.ts';
import type { Pull, PullFailure, PullReply, PullRequest } from '../../../domain/provider/pulled-provider.ts';
import type { Database } from '../../../mixins/database/database.ts';
import type { ProviderApi } from '../../../mixins/provider-api/provider-api.ts';
import {
  type Bearer,
  type ProviderTokens,
  sendWithToken,
} from '../../../mixins/provider-api/provider-tokens.ts';
import { type PulledName, pullOf } from '../../../providers/all.ts';
import { apiPath } from '../../../providers/listed.ts';
import { apiHeadersOf, inRegion, settingsOf } from '../../../runtime/provider-settings.ts';
import { type Limited, limitsOf, scopeOf } from '../rules/pulled.ts';
import { pauseScope, reserveRequest } from '../tables/rates.ts';
import type { PullServicePace } from './pace.ts';

/** Dependencies of requests. */
export interface Sending {
  readonly config: Config;
  readonly database: Database;
  readonly api: ProviderApi;
  readonly tokens: ProviderTokens;
  readonly pace: PullServicePace;
}

/** The account of a request. */
export interface Account {
  readonly provider: PulledName;
  readonly connection_id: string;
  readonly user_id: string;
  readonly isPast?: boolean;
}

/**
 * The result of a request. `wait`: no request was sent, or the provider asks to wait. `gone`: the connection has ended.
 * Otherwise the provider's failure.
 */
export type Sent =
  | { readonly kind: 'reply'; readonly reply: PullReply }
  | { readonly kind: 'wait'; readonly waitMs: number }
  | { readonly kind: 'gone' | 'later' | 'withheld' | 'missing' | 'refused'; readonly reason: string };

/** A page has at most this size. */
const mostBytes = 32 * 1024 * 1024;
const limitedWaitMs = 30_000;

/** Sends a request with the token of an account, within all limits. */
export function sendRequest(
  sending: Sending,
  account: Account,
  request: PullRequest,
  signal: AbortSignal,
): Promise<Sent> {
  const { user_id, provider } = account;
  return sendWithToken<Sent>(sending.tokens, { user_id, provider }, signal, {
    send: (bearer) => sendWith(sending, account, { request, bearer, signal }),
    without: ({ kind, reason }) => ({ kind: kind === 'none' ? 'gone' : 'later', reason }),
  });
}

interface Attempt {
  readonly request: PullRequest;
  readonly bearer: Bearer;
  readonly signal: AbortSignal;
}

// Null: the provider refuses the token.
async function sendWith(
  installation: Sending,
  account: Account,
  { request, bearer, signal }: Attempt,
): Promise<Sent | null> {
  const config = inRegion(installation.config, account.provider, bearer.region ?? null);
  const sending = { ...installation, config };
  const limited = { ...account, client_id: bearer.client_id };
  const waitMs = await reserve(sending, limited, signal);
  if (waitMs > 0) return { kind: 'wait', waitMs };
  const { status, headers, text } = await sending.api.request({
    ...toHttp(config, account.provider, request),
    token: bearer.token,
    signal,
    mostBytes,
  });
  const reply = { status, headers: Object.fromEntries(headers), text };
  const failure = failureOf(pullOf(account.provider), reply);
  if (failure !== null) return settle(sending, limited, failure);
  await sending.tokens.worked(bearer);
  return { kind: 'reply', reply };
}

/** A request of a provider's API as an HTTP request. */
export function toHttp(
  config: Config,
  provider: PulledName,
  { path, query = {}, form, json, method, headers = {} }: PullRequest,
) {
  const url = apiPath(settingsOf(config, provider).apiUrl, path);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  return {
    url,
    ...(form === undefined ? {} : { form: new URLSearchParams(form) }),
    ...(json === undefined ? {} : { json }),
    ...(method === undefined ? {} : { method }),
    headers: { ...apiHeadersOf(config, provider), ...headers },
  };
}

/** What an answer means, or that there was none. */
function failureOf(pull: Pull, reply: PullReply): PullFailure | null {
  return reply.status === 0 ? { kind: 'later', reason: 'NO_ANSWER' } : pull.failure(reply, Date.now());
}

async function settle(
  { config, database }: Sending,
  limited: Limited,
  failure: PullFailure,
): Promise<Sent | null> {
  if (failure.kind === 'limited') {
    const waitMs = failure.waitMs ?? limitedWaitMs;
    await pauseScope(database, scopeOf(config, limited, failure.of), waitMs);
    return { kind: 'wait', waitMs };
  }
  const { kind, reason } = failure;
  return kind === 'unauthorized' ? null : { kind, reason };
}

// Short waits are waited for, so that the pages of a part that were read are not read again.
async function reserve(
  { config, database, pace }: Sending,
  limited: Limited,
  signal: AbortSignal,
): Promise<number> {
  const limits = limitsOf(config, limited);
  for (;;) {
    const waitMs = await reserveRequest(database, limits);
    if (waitMs === 0 || waitMs > pace.waitMostMs || signal.aborted) return waitMs;
    await wait(waitMs, signal);
  }
}

/** Waits, or returns early when the signal aborts. */
async function wait(ms: number, signal: AbortSignal): Promise<void> {
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}
