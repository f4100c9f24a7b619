import { z } from 'zod';
import { isError } from '../../../domain/errors.ts';
import { jsonOrNull } from '../../../domain/json/json.ts';
import type {
  AccountSubscription,
  ApplicationProof,
  ApplicationSubscription,
  PullRequest,
  SubscriptionState,
} from '../../../domain/provider/pulled-provider.ts';
import { type PulledName, pullOf } from '../../../providers/all.ts';
import { addressOf, isReachable } from '../rules/notification-address.ts';
import { pulledNamed } from '../rules/pulled.ts';
import {
  claimSubscribing,
  deleteUser,
  noteSubscribed,
  type SubscribingConnection,
} from '../tables/connections.ts';
import { noteSubscription, readSecret, selectSubscription, storeSecret } from '../tables/subscriptions.ts';
import type { ReadingDeps } from './read-jobs.ts';
import { type Account, type Sending, sendRequest, toHttp } from './send-request.ts';

const TokenAnswer = z.object({ access_token: z.string().min(1) });

/**
 * Checks the subscription of the application at a provider, if it is due, and creates or renews it. The state is stored, and
 * every change of it is logged.
 */
export async function checkSubscription(
  deps: ReadingDeps,
  provider: PulledName,
  signal: AbortSignal,
): Promise<void> {
  const { subscription } = pullOf(provider);
  if (subscription?.of !== 'application') return;
  const previous = await selectSubscription(deps.database, provider);
  if (previous?.state === 'active' && previous.checked_at.getTime() + subscription.everyMs > Date.now())
    return;
  const state = await checkedState(deps, provider, subscription, signal);
  if (state === null) return;
  if (state !== previous?.state) deps.logger.warn('subscription.changed', { provider, state });
  await noteSubscription(deps.database, provider, state);
}

async function checkedState(
  deps: ReadingDeps,
  provider: PulledName,
  subscription: ApplicationSubscription,
  signal: AbortSignal,
): Promise<SubscriptionState | null> {
  const { config, database } = deps;
  const proof = subscription.proof(config, Date.now());
  if (proof === null) return null;
  if (!isReachable(config, provider)) return 'no_address';
  const credentials = 'form' in proof ? await applicationToken(deps, proof, signal) : proof;
  if (credentials === null) return 'unknown';
  const send = async (request: PullRequest) => {
    const { headers: own, ...http } = toHttp(config, provider, request);
    const headers = 'headers' in credentials ? { ...own, ...credentials.headers } : own;
    const answer = await deps.api.request({ ...http, ...credentials, headers, signal });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: answer.text };
  };
  const address = addressOf(config, provider);
  const check = async () => {
    const reply = await send(subscription.check(config));
    return { reply, state: subscription.read(config, reply, address ?? '', Date.now()) };
  };
  let { reply, state } = await check();
  if (address === null) return state;
  const authentication = pullOf(provider).notifications?.authentication;
  const isSecretStored = authentication?.by === 'hmac' && authentication.secret === 'stored';
  // Without the stored secret no signature can be checked: the subscription is made anew.
  if (isSecretStored && state !== 'unknown' && (await readSecret(config, database, provider)) === null) {
    for (const request of subscription.endings?.(reply) ?? []) await send(request);
    ({ reply, state } = await check());
  }
  if (state === 'active') return state;
  const renewals = subscription.renewals(config, reply, address, Date.now());
  for (const request of renewals) {
    const answer = await send(request);
    const secret = subscription.secretOf?.(answer) ?? null;
    if (secret !== null) await storeSecret({ config, database }, provider, secret);
  }
  return renewals.length === 0 ? state : (await check()).state;
}

async function applicationToken(
  { api }: Sending,
  { url, form }: Extract<ApplicationProof, { form: unknown }>,
  signal: AbortSignal,
): Promise<{ readonly token: string } | null> {
  const { status, text } = await api.request({ url, form: new URLSearchParams(form), signal });
  const read = TokenAnswer.safeParse(status === 200 ? jsonOrNull(text) : null);
  return read.success ? { token: read.data.access_token } : null;
}

const perPart = 10;

/** Checks the subscriptions of connections that are due. Returns whether more may be due. */
export async function accountSubscriptions(deps: ReadingDeps, signal: AbortSignal): Promise<boolean> {
  const due = await claimSubscribing(deps.database, perPart);
  for (const connection of due) await check(deps, connection, signal);
  return due.length === perPart;
}

// Without success the connection is due again in five minutes.
async function check(
  deps: ReadingDeps,
  connection: SubscribingConnection,
  signal: AbortSignal,
): Promise<void> {
  const { connection_id, provider, user_id } = connection;
  const name = pulledNamed(provider);
  const subscription = name === undefined ? null : pullOf(name).subscription;
  if (name === undefined || subscription?.of !== 'account')
    return noteSubscribed(deps.database, connection, longestMs);
  const account: Account = { provider: name, connection_id, user_id };
  const outcome = await complete(deps, subscription, account, signal).catch((error: unknown) => {
    if (isError(error, 'USER_NOT_FOUND')) return userGone;
    throw error;
  });
  if (outcome === userGone) await deleteUser(deps.database, user_id, null);
  deps.logger.info('pull.subscribed', { provider, connection_id, outcome });
  if (outcome === 'done') await noteSubscribed(deps.database, connection, subscription.everyMs);
}

const userGone = 'USER_GONE';
const longestMs = 30 * 86_400_000;

async function complete(
  deps: ReadingDeps,
  subscription: AccountSubscription,
  account: Account,
  signal: AbortSignal,
): Promise<string> {
  const { config, call } = deps;
  const { user_id, provider } = account;
  const { scope } = await call('users.connection', { user_id, provider });
  const address = addressOf(config, provider);
  if (address === null) return 'NO_ADDRESS';
  const listed = await sendRequest(deps, account, subscription.list(config, address), signal);
  if (listed.kind !== 'reply') return listed.kind;
  const missing = subscription.missing(config, listed.reply, { address, scope });
  if (missing === null) return 'UNREADABLE';
  for (const request of missing) {
    const sent = await sendRequest(deps, account, request, signal);
    if (sent.kind !== 'reply') return sent.kind;
  }
  return 'done';
}
