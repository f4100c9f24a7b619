import type { Config } from '../../config.ts';
import { sendOnce } from '../../mixins/provider-api.ts';
import { type FreshTokens, refreshTokens } from '../../mixins/token-endpoint.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import { clientOf } from './client.ts';

/** What came of it: the provider knows, or has ended our access itself; or later once more, with these tokens. */
export interface Revoked {
  readonly done: boolean;
  readonly tokens: FreshTokens | null;
}

/** Three calls have to fit into the time that the action has. */
const callMs = 4000;

/**
 * Gives up our access to an account. A token that has ended is refreshed for it; one that is refused although it is
 * fresh is the end that was wanted.
 */
export async function deauthorize(
  config: Config,
  provider: ProviderName,
  { access_token, refresh_token, expires_at_ms }: FreshTokens,
  nowMs: number,
): Promise<Revoked> {
  const isOver = expires_at_ms !== null && expires_at_ms <= nowMs;
  const first = isOver ? 401 : await tell(config, provider, access_token);
  if (first !== 401 || refresh_token === null) return { done: isSettled(first), tokens: null };
  const exchange = await refreshTokens(config, provider, refresh_token);
  if (exchange.kind !== 'fresh') return { done: exchange.kind === 'refused', tokens: null };
  const { tokens } = exchange;
  const done = isSettled(await tell(config, provider, tokens.access_token));
  return { done, tokens: { ...tokens, refresh_token: tokens.refresh_token ?? refresh_token } };
}

async function tell(config: Config, provider: ProviderName, token: string): Promise<number> {
  clientOf(config, provider);
  const { url, method, sendsTokenInForm } = providers[provider].oauth.revocation;
  const form = new URLSearchParams(sendsTokenInForm ? { access_token: token } : {});
  const how = method === 'POST' ? { form } : { method };
  return (await sendOnce({ url: url(config), token, ...how, timeoutMs: callMs })).status;
}

// Nobody there, a refusal, or success: all of them end it. What may heal is tried again.
function isSettled(status: number): boolean {
  return status >= 200 && status < 500 && status !== 408 && status !== 429;
}
