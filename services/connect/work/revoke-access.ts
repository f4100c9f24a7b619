import type { Config } from '../../../config.ts';
import type { FormRequest, Revocation, SubscriptionEnding } from '../../../domain/provider/provider.ts';
import { sendOnce } from '../../../mixins/provider-api/provider-api.ts';
import {
  type FreshTokens,
  type ProviderClient,
  plainAnswer,
  refreshTokens,
} from '../../../mixins/provider-api/token-endpoint.ts';
import { oauthOf, type ProviderName } from '../../../providers/all.ts';
import { apiPath } from '../../../providers/listed.ts';
import { apiHeadersOf } from '../../../runtime/provider-settings.ts';
import { apiUrlOf } from '../rules/clients.ts';

/** The result of a revocation. Unless `done`, it is retried later, with `tokens` if they were refreshed. */
interface Revoked {
  readonly done: boolean;
  readonly tokens: FreshTokens | null;
}

/** The client that ends its access. `removed`: it has no secret any more. */
interface Sender {
  readonly config: Config;
  readonly client: ProviderClient | 'removed';
}

/** An account at a provider. */
interface AccountAt {
  readonly provider: ProviderName;
  readonly account: string;
}

/** The time-out of one request; three requests fit into the time-out of the action. */
const callMs = 4000;

/**
 * Revokes our access to an account, or ends its subscriptions where only the user can end the access. An expired token is
 * refreshed first. If the provider refuses a fresh token, the access has ended already. Tokens of a removed client are not
 * refreshed, because only that client may. `client` is the one that the tokens were issued to.
 */
export async function revokeAccess(
  sender: Sender,
  account: AccountAt,
  { access_token, refresh_token, expires_at_ms }: FreshTokens,
  nowMs: number,
): Promise<Revoked> {
  const { provider } = account;
  const { config, client } = sender;
  if (oauthOf(provider).revocation === null) return { done: true, tokens: null };
  // Without a refresh token the old one is tried: its stated end is an estimate.
  const isOver = expires_at_ms !== null && expires_at_ms <= nowMs && refresh_token !== null;
  const first = isOver ? 401 : await requestRevocation(sender, account, access_token);
  if (first !== 401 || refresh_token === null) return { done: isSettled(first), tokens: null };
  if (client === 'removed') return { done: true, tokens: null };
  const exchange = await refreshTokens(config, provider, client, refresh_token);
  if (exchange.kind !== 'fresh') return { done: exchange.kind === 'refused', tokens: null };
  const { tokens } = exchange;
  const isDone = isSettled(await requestRevocation(sender, account, tokens.access_token));
  return { done: isDone, tokens: { ...tokens, refresh_token: tokens.refresh_token ?? refresh_token } };
}

async function requestRevocation(
  { config, client }: Sender,
  { provider, account }: AccountAt,
  token: string,
): Promise<number> {
  const headers = apiHeadersOf(config, provider);
  const { revocation } = oauthOf(provider);
  if (revocation === null) return done;
  if ('ends' in revocation) return endSubscriptions({ config, provider, token }, revocation);
  const { method, sendsTokenInForm } = revocation;
  const { tokenField = 'access_token', tokenQuery, sendsClientInForm }: Revocation = revocation;
  const url: (settings: Config, account: string) => URL = revocation.url;
  const form = new URLSearchParams(sendsTokenInForm ? { [tokenField]: token } : {});
  if (sendsClientInForm === true) {
    // Without its secret the client cannot prove itself, and nobody else may end its access.
    if (client === 'removed') return done;
    form.set('client_id', client.clientId ?? '');
    form.set('client_secret', client.clientSecret ?? '');
  }
  const how = method === 'POST' ? { form } : { method };
  const bearer = sendsClientInForm === true ? {} : { token };
  const address = url(config, account);
  if (tokenQuery !== undefined) address.searchParams.set(tokenQuery, token);
  const answer = await sendOnce({ url: address, ...bearer, headers, ...how, timeoutMs: callMs });
  return plainAnswer(provider, answer).status;
}

/** The time-out of all requests together, which with a refresh fits into the time-out of the action. */
const allMs = 4500;
const done = 204;
const unreadable = 502;

/** Ends the subscriptions of an account. Returns 204, or the status of the request that has to be retried. */
async function endSubscriptions(
  {
    config,
    provider,
    token,
  }: { readonly config: Config; readonly provider: ProviderName; readonly token: string },
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
function isSettled(status: number): boolean {
  return status >= 200 && status < 500 && status !== 408 && status !== 429;
}
