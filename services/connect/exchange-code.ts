import { z } from 'zod';
import { sendOnce } from '../../mixins/provider-api.ts';
import { type FreshTokens, readTokens } from '../../mixins/token-endpoint.ts';
import type { ProviderAccess } from './providers.ts';
import type { Attempt } from './queries/insert-attempt.ts';

/** What a code was worth: tokens, and the account where the provider tells it right away. */
export type Exchanged =
  | {
      readonly kind: 'tokens';
      readonly tokens: FreshTokens;
      readonly account: string | null;
      readonly scope: string | null;
    }
  | { readonly kind: 'refused' | 'unavailable' };

/** How long a token endpoint may take. */
const exchangeMs = 10_000;

const Beside = z.object({
  athlete: z
    .object({ id: z.union([z.int(), z.string().min(1).max(255)]) })
    .optional()
    .catch(undefined),
  scope: z.string().max(4096).optional().catch(undefined),
});

/**
 * Exchanges a code for tokens, once: a code whose answer was lost may be dead, and a second try with it may end the
 * tokens that the first one gave.
 */
export async function exchangeCode(
  tokenUrl: URL,
  access: ProviderAccess,
  attempt: Pick<Attempt, 'callbackUri'>,
  proof: { readonly code: string; readonly verifier: string | null },
): Promise<Exchanged> {
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    client_id: access.clientId,
    client_secret: access.clientSecret,
    code: proof.code,
    redirect_uri: attempt.callbackUri,
    ...(proof.verifier === null ? {} : { code_verifier: proof.verifier }),
  });
  const answer = await sendOnce({ url: tokenUrl, form, timeoutMs: exchangeMs });
  const read = readTokens(answer, Date.now());
  if (read.kind === 'fresh') return { kind: 'tokens', tokens: read.tokens, ...besideTokens(answer.text) };
  return {
    kind: answer.status >= 400 && answer.status < 500 && answer.status !== 429 ? 'refused' : 'unavailable',
  };
}

function besideTokens(text: string): { account: string | null; scope: string | null } {
  const { athlete, scope } = Beside.parse(JSON.parse(text));
  return { account: athlete === undefined ? null : String(athlete.id), scope: scope ?? null };
}

/** The scopes in a text, which providers separate by commas or blanks. */
export function scopesIn(text: string): string[] {
  const names = text
    .split(/[\s,]+/)
    .filter((name) => name !== '' && name.length <= 100 && !name.includes('\0'));
  return [...new Set(names)].slice(0, 100);
}
