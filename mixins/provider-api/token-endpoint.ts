import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { StoredClient } from '../../contracts/users/schemas.ts';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { OAuth, Provider } from '../../domain/provider/provider.ts';
import { dayMs } from '../../domain/time/time.ts';
import { oauthOf, type ProviderName, providers } from '../../providers/all.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';
import type { Cipher } from './cipher.ts';
import { type ProviderAnswer, type ProviderRequest, sendOnce } from './provider-api.ts';

/** Timeout of a token request. */
const exchangeMs = 10_000;
const yearMs = 365 * dayMs;

/**
 * Sends a token request of a client in the provider's dialect. It is not retried here: after a lost answer, the code or the refresh
 * token may be invalid already.
 */
export async function requestTokens(
  config: Config,
  provider: ProviderName,
  client: ProviderClient,
  grant: Readonly<Record<string, string>>,
): Promise<ProviderAnswer> {
  const oauth = oauthOf(provider);
  const credentials = authenticated(oauth, grant, client);
  const answer = await sendOnce({ url: oauth.tokenUrl(config), timeoutMs: exchangeMs, ...credentials });
  return plainAnswer(provider, answer);
}

/** The form of a token request and, where it is not in the form, the client that sends it. */
export function authenticated(
  { clientAuthentication, tokenFields }: Pick<OAuth, 'clientAuthentication' | 'tokenFields'>,
  grant: Readonly<Record<string, string>>,
  { clientId: id, clientSecret: secret }: ProviderClient,
): Pick<ProviderRequest, 'form' | 'client'> {
  const form = new URLSearchParams({ ...tokenFields, ...grant });
  if (clientAuthentication === 'basic' && id !== undefined && secret !== undefined)
    return { form, client: { id, secret } };
  if (id !== undefined) form.set('client_id', id);
  if (secret !== undefined) form.set('client_secret', secret);
  return { form };
}

/** Exchanges a refresh token for new tokens, with the client that it was issued to. */
export async function refreshTokens(
  config: Config,
  provider: ProviderName,
  client: ProviderClient,
  refreshToken: string,
): Promise<Exchange> {
  const grant = { grant_type: 'refresh_token', refresh_token: refreshToken };
  return readTokens(await requestTokens(config, provider, client, grant), Date.now());
}

const Fresh = z.object({
  access_token: z.string().min(1).max(8192),
  refresh_token: z.string().min(1).max(8192).nullish(),
  expires_at: z.number().positive().nullish(),
  expires_in: z.number().positive().nullish(),
});
const Refusal = z.object({
  error: z.string().optional().catch(undefined),
  errors: z
    .array(z.object({ resource: z.string().optional() }))
    .optional()
    .catch(undefined),
});

/** Tokens of a token answer. If the refresh token is null, the previous one stays valid. */
export interface FreshTokens {
  readonly access_token: string;
  readonly refresh_token: string | null;
  readonly expires_at_ms: number | null;
}

/** The result of a token exchange. `refused` is permanent, `later` is temporary. */
export type Exchange =
  | { readonly kind: 'fresh'; readonly tokens: FreshTokens }
  | { readonly kind: 'refused' | 'later' };

/** The form of an error code of RFC 6749. Frameworks put the words of a status into the same member. */
const codeForm = /^[a-z][a-z_]*$/;
const ours =
  /^(invalid_client|unauthorized_client|invalid_request|unsupported_|temporarily_unavailable|server_error)/;

/**
 * Reads the answer of a token endpoint. A rejection of our client or of the request is not a rejection of the user's
 * token. Nor is a 400 that names no error: providers answer so while they are maintained, and to two refreshes at once.
 */
export function readTokens(
  { status, text }: Pick<ProviderAnswer, 'status' | 'text'>,
  nowMs: number,
): Exchange {
  const body = jsonOrNull(text);
  if (status >= 200 && status < 300) {
    const fresh = Fresh.safeParse(body);
    return fresh.success ? { kind: 'fresh', tokens: tokensOf(fresh.data, nowMs) } : { kind: 'later' };
  }
  if (status !== 400 && status !== 401) return { kind: 'later' };
  const { error, errors = [] } = Refusal.safeParse(body).data ?? {};
  const code = error !== undefined && codeForm.test(error) ? error : null;
  const isOurs =
    (code !== null && ours.test(code)) || errors.some(({ resource }) => resource === 'Application');
  const isUnnamed = status === 400 && code === null && errors.every(({ resource }) => resource === undefined);
  return { kind: isOurs || isUnnamed ? 'later' : 'refused' };
}

/** Whether a refusal says that the code or the refresh token is not valid, which includes that it has expired. */
export function isInvalidGrant(text: string): boolean {
  return Refusal.safeParse(jsonOrNull(text)).data?.error === 'invalid_grant';
}

// One provider sends the time at which the token ends, the other its lifetime. The value is capped at a year.
function tokensOf(fresh: z.infer<typeof Fresh>, nowMs: number): FreshTokens {
  const { access_token, refresh_token, expires_at, expires_in } = fresh;
  const endMs = expires_at ? expires_at * 1000 : expires_in ? nowMs + expires_in * 1000 : null;
  return {
    access_token,
    refresh_token: refresh_token ?? null,
    expires_at_ms: endMs === null ? null : Math.min(endMs, nowMs + yearMs),
  };
}

/** An answer with the status and the body that the provider means. Errors in the body of a 200 become a status. */
export function plainAnswer(provider: ProviderName, answer: ProviderAnswer): ProviderAnswer {
  const description: Provider = providers[provider];
  return inPlainHttp(description, answer);
}

/** The same for a given description of a provider. No answer stays no answer. */
export function inPlainHttp(
  { plainReply }: Pick<Provider, 'plainReply'>,
  answer: ProviderAnswer,
): ProviderAnswer {
  if (plainReply === undefined || answer.status === 0) return answer;
  return { ...answer, ...plainReply({ status: answer.status, text: answer.text }) };
}

/** An OAuth client at a provider, in clear. It must not appear in a log, an answer or a row. */
export interface ProviderClient {
  readonly clientId: string | undefined;
  readonly clientSecret: string | undefined;
}

/** The client of the installation. */
export function installationClient(config: Config, provider: ProviderName): ProviderClient {
  const { clientId, clientSecret } = settingsOf(config, provider);
  return { clientId, clientSecret };
}

/**
 * The client of a project, in clear; null if its secret was erased. There is no replacement: its codes and tokens must not be
 * sent to another client. @throws if no configured ENCRYPTION_KEY decrypts the secret
 */
export function openClient(
  cipher: Cipher,
  { id, client_id, client_secret }: StoredClient,
): ProviderClient | null {
  if (client_secret === null) return null;
  return { clientId: client_id, clientSecret: cipher.decrypt(client_secret, id) };
}
