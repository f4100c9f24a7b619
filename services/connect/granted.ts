import { z } from 'zod';
import type { GrantByRequest, GrantInTokenAnswer } from '../../domain/provider/provider.ts';
import { plainAnswer } from '../../mixins/provider-api/plain-answer.ts';
import type { ProviderAnswer, ProviderApi } from '../../mixins/provider-api/provider-api.ts';
import { oauthOf, type ProviderName } from '../../providers/all.ts';
import { scopesIn } from '../../providers/scopes.ts';
import { apiPath } from '../../providers/urls.ts';
import type { Exchanged } from './exchange-code.ts';

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
type Found = Omit<Extract<Granted, { kind: 'granted' }>, 'isEnough'> | Exclude<Granted, { kind: 'granted' }>;

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
  const found =
    grant.from === 'requests'
      ? await requestGrant(provider, grant, asking, { ...tokens, requested: scope })
      : readGrant(grant, asking.appended, tokens, scope);
  return found.kind === 'granted' ? { ...found, isEnough: isScopeEnough(found.scope) } : found;
}

const Scoped = z.object({ scope: z.string().max(4096) });

// By the OAuth standard, a scope that is not returned equals the requested one.
function readGrant(
  { readAccount }: GrantInTokenAnswer,
  appended: string | undefined,
  { body }: Tokens,
  requested: string | null,
): Found {
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
): Promise<Found> {
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
