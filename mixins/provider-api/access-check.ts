import type { Config } from '../../config.ts';
import type { AccessAnswer, AccessQuestion } from '../../contracts/access-check.ts';
import type { AccessCheck } from '../../domain/provider/provider.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import { apiPath } from '../../providers/urls.ts';
import { apiHeadersOf, settingsOf } from '../../runtime/provider-settings.ts';
import { plainAnswer } from './plain-answer.ts';
import type { ProviderAnswer } from './provider-api.ts';
import type { Bearer, NoBearer, ProviderTokens } from './provider-tokens.ts';

/** Whether a provider has an endpoint that lists the granted permissions. */
export function knowsPermissions(provider: ProviderName): boolean {
  const { accessCheck } = providers[provider];
  return accessCheck !== null && accessCheck.scope !== null;
}

/** Dependencies of an access check. `send` returns null if the provider's limits leave no room for the read. */
export interface AccessAsking {
  readonly config: Config;
  readonly tokens: ProviderTokens;
  readonly send: (read: AccessRead, bearer: Bearer) => Promise<ProviderAnswer | null>;
}

/** The address of a read, its headers and its form; without a form the read is a GET. */
export interface AccessRead {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly form?: URLSearchParams;
}

/**
 * Checks one connection at its provider, including connections whose end is unconfirmed. A rejected token is refreshed
 * once, because only a rejection of a fresh token shows that the access has ended. Changes nothing but the stored
 * tokens.
 */
export async function askAccess(asking: AccessAsking, question: AccessQuestion): Promise<AccessAnswer> {
  const read = readOf(asking.config, question);
  if (read === null) return unknown;
  const { tokens } = asking;
  const send = async (bearer: Bearer) => {
    const sent = await asking.send(read, bearer);
    const answer = sent === null ? null : plainAnswer(question.provider, sent);
    if (answer?.status === 200) await tokens.worked(bearer);
    return answer;
  };
  const bearer = await tokens.bearer(question, { isCheck: true });
  if (bearer.kind !== 'token') return withoutToken(bearer);
  const first = await send(bearer);
  if (first?.status !== 401) return answerOf(first, question);
  const fresh = await tokens.bearer(question, { isCheck: true, refused: bearer.version });
  if (fresh.kind !== 'token') return withoutToken(fresh);
  return answerOf(await send(fresh), question);
}

const unknown: AccessAnswer = { access: 'unknown', scope: null };

function readOf(config: Config, { provider, about }: AccessQuestion): AccessRead | null {
  const accessCheck: AccessCheck | null = providers[provider].accessCheck;
  const { apiUrl } = settingsOf(config, provider);
  if (accessCheck === null || apiUrl === null) return null;
  const { accessPath, accessForm, scope } = accessCheck;
  const path = about === 'access' ? accessPath : scope?.path;
  if (path === undefined) return null;
  const read = { url: apiPath(apiUrl, path), headers: apiHeadersOf(config, provider) };
  return about === 'access' && accessForm !== undefined
    ? { ...read, form: new URLSearchParams(accessForm) }
    : read;
}

function withoutToken({ kind, reason }: NoBearer): AccessAnswer {
  if (kind === 'later') return unknown;
  return { access: reason === 'TOKEN_REFUSED' ? 'ended' : 'no_token', scope: null };
}

const refusals: readonly number[] = [401, 403, 404];

function answerOf(answer: ProviderAnswer | null, question: AccessQuestion): AccessAnswer {
  if (answer === null) return unknown;
  const { accessCheck } = providers[question.provider];
  if (answer.status === 200 || accessCheck?.isWithheld(answer) === true) return granted(answer, question);
  return refusals.includes(answer.status) ? { access: 'ended', scope: null } : unknown;
}

function granted({ text }: ProviderAnswer, { provider, about }: AccessQuestion): AccessAnswer {
  if (about === 'access') return { access: 'granted', scope: null };
  const scope = providers[provider].accessCheck?.scope?.read(text) ?? null;
  return scope === null ? unknown : { access: 'granted', scope };
}
