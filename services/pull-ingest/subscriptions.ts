import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type {
  ApplicationSubscription,
  PullRequest,
  SubscriptionState,
} from '../../domain/provider/pulled-provider.ts';
import { type PulledName, pullOf } from '../../providers/all.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';
import { addressOf } from './address.ts';
import { noteSubscription, selectSubscription } from './queries/subscription.ts';
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
  const { config } = deps;
  const token = await applicationToken(deps, subscription, signal);
  if (token === null) return null;
  if (token === 'unknown') return 'unknown';
  const send = async (request: PullRequest) => {
    const http = toHttp(settingsOf(config, provider).apiUrl, request);
    const { status, headers, text } = await deps.api.request({ ...http, token, signal });
    return { status, headers: Object.fromEntries(headers), text };
  };
  const state = subscription.read(await send(subscription.check(config)));
  const address = addressOf(config, provider);
  const renewal = state === 'active' || address === null ? null : subscription.renew(config, address, state);
  if (renewal === null) return state;
  await send(renewal);
  return subscription.read(await send(subscription.check(config)));
}

async function applicationToken(
  { config, api }: Sending,
  subscription: ApplicationSubscription,
  signal: AbortSignal,
): Promise<string | 'unknown' | null> {
  const request = subscription.token(config, Date.now());
  if (request === null) return null;
  const { status, text } = await api.request({
    ...{ url: request.url, form: new URLSearchParams(request.form), signal },
  });
  const read = TokenAnswer.safeParse(status === 200 ? jsonOrNull(text) : null);
  return read.success ? read.data.access_token : 'unknown';
}
