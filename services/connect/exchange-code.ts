import type { Config } from '../../config.ts';
import { parseJson } from '../../domain/json/json-bounds.ts';
import type { ProviderAnswer } from '../../mixins/provider-api/provider-api.ts';
import type { ProviderClient } from '../../mixins/provider-api/provider-client.ts';
import {
  type FreshTokens,
  isInvalidGrant,
  readTokens,
  requestTokens,
} from '../../mixins/provider-api/token-endpoint.ts';
import type { Attempt } from './queries/insert-attempt.ts';

/** The result of a code exchange: the tokens and the whole answer of the provider. */
export type Exchanged =
  | { readonly kind: 'tokens'; readonly tokens: FreshTokens; readonly body: unknown }
  | { readonly kind: 'refused' | 'late' | 'unavailable' };

/**
 * Exchanges a code for tokens with the client that the user agreed to, without a retry: the code may be consumed although the answer was lost, and a second
 * exchange may revoke the tokens of the first.
 */
export async function exchangeCode(
  config: Config,
  attempt: Pick<Attempt, 'callbackUri' | 'provider'>,
  client: ProviderClient,
  proof: { readonly code: string; readonly verifier: string | null },
): Promise<Exchanged> {
  const answer = await requestTokens(config, attempt.provider, client, {
    grant_type: 'authorization_code',
    code: proof.code,
    redirect_uri: attempt.callbackUri,
    ...(proof.verifier === null ? {} : { code_verifier: proof.verifier }),
  });
  const read = readTokens(answer, Date.now());
  if (read.kind === 'fresh') return { kind: 'tokens', tokens: read.tokens, body: parseJson(answer.text) };
  return { kind: refusalOf(answer) };
}

// RFC 6749 names a code that has expired `invalid_grant`. Codes of some providers live for seconds only.
function refusalOf({ status, text }: ProviderAnswer): 'refused' | 'late' | 'unavailable' {
  if (status < 400 || status >= 500 || status === 429) return 'unavailable';
  return isInvalidGrant(text) ? 'late' : 'refused';
}
