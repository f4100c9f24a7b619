import { z } from 'zod';
import type { Config } from '../../../config.ts';
import { parseJson } from '../../../domain/json/json-bounds.ts';
import type { GrantByRequest, GrantInTokenAnswer, OAuth } from '../../../domain/provider/provider.ts';
import type { ProviderAnswer, ProviderApi } from '../../../mixins/provider-api/provider-api.ts';
import {
  type FreshTokens,
  isInvalidGrant,
  type ProviderClient,
  plainAnswer,
  readTokens,
  requestTokens,
} from '../../../mixins/provider-api/token-endpoint.ts';
import { oauthOf, type ProviderName } from '../../../providers/all.ts';
import { apiPath, scopesIn } from '../../../providers/listed.ts';
import { apiUrlOf } from '../rules/clients.ts';
import type { Attempt } from '../tables/attempts.ts';

/** The result of a code exchange: the tokens and the whole answer of the provider. */
type Exchanged =
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

/** The connected account and the scope that the user granted. */
export type Granted =
  | {
      readonly kind: 'granted';
      readonly account: string;
      readonly scope: string[];
      readonly isEnough: boolean;
    }
  | { readonly kind: 'refused' | 'unavailable' };

type Tokens = Extract<Exchanged, { kind: 'tokens' }>;
type UncheckedGrant =
  | Omit<Extract<Granted, { kind: 'granted' }>, 'isEnough'>
  | Exclude<Granted, { kind: 'granted' }>;

interface Asking {
  readonly api: ProviderApi;
  readonly apiUrl: string;
  readonly apiHeaders: Readonly<Record<string, string>>;
  /** The scope in the callback's address; the user may have deselected parts of it. */
  readonly appended: string | undefined;
}

/** Reads what was granted, from the token answer or by requests with the new token. */
export async function findGranted(provider: ProviderName, asking: Asking, tokens: Tokens): Promise<Granted> {
  const { grant, isScopeEnough, scope } = oauthOf(provider);
  const granted =
    grant.from === 'requests'
      ? await requestGrant(provider, grant, asking, { ...tokens, requested: scope })
      : readGrant(grant, asking.appended, tokens, scope);
  return granted.kind === 'granted' ? { ...granted, isEnough: isScopeEnough(granted.scope) } : granted;
}

const Scoped = z.object({ scope: z.string().max(4096) });

// By the OAuth standard, a scope that is not returned equals the requested one.
function readGrant(
  { readAccount }: GrantInTokenAnswer,
  appended: string | undefined,
  { body }: Tokens,
  requested: string | null,
): UncheckedGrant {
  const account = readAccount(body);
  if (account === null) return { kind: 'refused' };
  return { kind: 'granted', account, scope: scopeIn(body, appended ?? null, requested) };
}

function scopeIn(body: unknown, appended: string | null, requested: string | null): string[] {
  const answered = Scoped.safeParse(body).data?.scope;
  return scopesIn([appended ?? answered ?? requested ?? '']);
}

async function requestGrant(
  provider: ProviderName,
  { accountPath, readAccount, scope }: GrantByRequest,
  { api, apiUrl, apiHeaders: headers, appended }: Asking,
  { tokens: { access_token }, body, requested }: Tokens & { readonly requested: string | null },
): Promise<UncheckedGrant> {
  const send = async (url: URL) =>
    plainAnswer(provider, await api.request({ url, token: access_token, headers, timeoutMs: 5000 }));
  const [account, granted] = await Promise.all([
    ask(send, apiPath(apiUrl, accountPath), readAccount),
    scope === null
      ? { kind: 'read' as const, value: scopeIn(body, appended ?? null, requested) }
      : ask(send, apiPath(apiUrl, scope.path), scope.read),
  ]);
  if (account.kind !== 'read') return { kind: account.kind };
  if (granted.kind !== 'read') return { kind: granted.kind };
  return { kind: 'granted', account: account.value, scope: granted.value };
}

async function ask<T>(
  send: (url: URL) => Promise<ProviderAnswer>,
  url: URL,
  read: (text: string) => T | null,
): Promise<{ readonly kind: 'read'; readonly value: T } | { readonly kind: 'refused' | 'unavailable' }> {
  const answer = await send(url);
  const value = answer.status === 200 ? read(answer.text) : null;
  if (value !== null) return { kind: 'read', value };
  const isRefused = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  return { kind: isRefused ? 'refused' : 'unavailable' };
}

/**
 * Registers an account with the application, if the provider requires it. Null: the account is registered, or the
 * provider requires no registration.
 */
export async function register(
  { config, api }: { readonly config: Config; readonly api: ProviderApi },
  provider: ProviderName,
  connected: { readonly userId: string; readonly account: string; readonly tokens: FreshTokens },
): Promise<'refused' | 'unavailable' | null> {
  const { registration }: OAuth = oauthOf(provider);
  if (registration === undefined) return null;
  const { path, json, knownStatus } = registration;
  const url = apiPath(apiUrlOf(config, provider), path);
  const { access_token: token } = connected.tokens;
  const { status } = await api.request({ url, token, json: json(connected), timeoutMs: 5000 });
  if ((status >= 200 && status < 300) || status === knownStatus) return null;
  return status >= 400 && status < 500 && status !== 429 ? 'refused' : 'unavailable';
}
