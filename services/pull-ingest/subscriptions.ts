import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type {
  ApplicationProof,
  ApplicationSubscription,
  PullRequest,
  SubscriptionState,
} from '../../domain/provider/pulled-provider.ts';
import { type PulledName, pullOf } from '../../providers/all.ts';
import { addressOf } from './address.ts';
import { noteSubscription, readSecret, selectSubscription, storeSecret } from './queries/subscription.ts';
import { type Sending, toHttp } from './send-request.ts';
import type { ReadingDeps } from './work-reading.ts';

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
  const known = await selectSubscription(deps.database, provider);
  if (known?.state === 'active' && known.checked_at.getTime() + subscription.everyMs > Date.now()) return;
  const state = await checkedState(deps, provider, subscription, signal);
  if (state === null) return;
  if (state !== known?.state) deps.logger.warn('subscription.changed', { provider, state });
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
  const shown = 'form' in proof ? await applicationToken(deps, proof, signal) : proof;
  if (shown === null) return 'unknown';
  const send = async (request: PullRequest) => {
    const { headers: own, ...http } = toHttp(config, provider, request);
    const headers = 'headers' in shown ? { ...own, ...shown.headers } : own;
    const answer = await deps.api.request({ ...http, ...shown, headers, signal });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: answer.text };
  };
  const address = addressOf(config, provider);
  const check = async () => {
    const reply = await send(subscription.check(config));
    return { reply, state: subscription.read(config, reply, address ?? '', Date.now()) };
  };
  let { reply, state } = await check();
  if (address === null) return state;
  const { authentication } = pullOf(provider).notifications;
  const isSecretStored = authentication.by === 'hmac' && authentication.secret === 'stored';
  // Nothing that is signed with a secret that is not known could be accepted.
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
