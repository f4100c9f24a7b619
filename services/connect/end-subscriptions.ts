import type { Config } from '../../config.ts';
import type { FormRequest, SubscriptionEnding } from '../../domain/provider/provider.ts';
import { plainAnswer } from '../../mixins/provider-api/plain-answer.ts';
import { sendOnce } from '../../mixins/provider-api/provider-api.ts';
import type { ProviderName } from '../../providers/all.ts';
import { apiPath } from '../../providers/urls.ts';
import { apiHeadersOf } from '../../runtime/provider-settings.ts';
import { apiUrlOf } from './client.ts';

/** The provider and a token of the account whose subscriptions end. */
export interface Subscribed {
  readonly config: Config;
  readonly provider: ProviderName;
  readonly token: string;
}

/** The time-out of all requests together, which with a refresh fits into the time-out of the action. */
const allMs = 4500;
const done = 204;
const unreadable = 502;

/** Ends the subscriptions of an account. Returns the status that decides: 204, or that of a request that is sent again later. */
export async function endSubscriptions(
  { config, provider, token }: Subscribed,
  { list, requests }: SubscriptionEnding,
): Promise<number> {
  const signal = AbortSignal.timeout(allMs);
  const apiUrl = apiUrlOf(config, provider);
  const headers = apiHeadersOf(config, provider);
  const send = ({ path, form }: FormRequest) =>
    sendOnce({ url: apiPath(apiUrl, path), token, headers, form: new URLSearchParams(form), signal });
  const listed = await send(list);
  const { status } = plainAnswer(provider, listed);
  if (status !== 200) return status;
  const ends = requests(listed);
  if (ends === null) return unreadable;
  for (const request of ends) {
    const ended = plainAnswer(provider, await send(request));
    if (!isSettled(ended.status)) return ended.status;
  }
  return done;
}

/** Success and permanent failures end a revocation. Temporary failures are retried. */
export function isSettled(status: number): boolean {
  return status >= 200 && status < 500 && status !== 408 && status !== 429;
}
