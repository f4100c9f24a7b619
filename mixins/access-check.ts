import { z } from 'zod';
import type { Config } from '../config.ts';
import type { AccessAnswer, AccessQuestion } from '../contracts/access-check.ts';
import type { ProviderName } from '../domain/wire.ts';
import type { ProviderAnswer } from './provider-api.ts';
import type { Bearer, NoBearer, ProviderTokens } from './provider-tokens.ts';

/** What a provider is asked to find out whether it still grants us access to an account. */
interface AccessFacts {
  readonly baseUrl: (config: Config) => string;
  /** A small read that needs nothing but a good token. */
  readonly access: string;
  /** A read that answers with the permissions; null where the provider sends no changes of them. */
  readonly permissions: string | null;
}

const facts: Readonly<Record<ProviderName, AccessFacts>> = {
  devicemaker: {
    baseUrl: (config) => config.DEVICEMAKER_API_URL,
    access: '/user/id',
    permissions: '/user/permissions',
  },
  activitynet: {
    baseUrl: (config) => config.ACTIVITYNET_API_URL,
    access: '/athlete/activities?page=1&per_page=1',
    permissions: null,
  },
};

/** Whether a provider can be asked what an account lets us read. */
export function knowsPermissions(provider: ProviderName): boolean {
  return facts[provider].permissions !== null;
}

/** What asking takes; `send` answers null where the provider's limits leave no room for the read. */
export interface AccessAsking {
  readonly config: Config;
  readonly tokens: ProviderTokens;
  readonly send: (url: URL, bearer: Bearer) => Promise<ProviderAnswer | null>;
}

/**
 * Asks a provider about one connection, also about one whose ending is unconfirmed. A token that is refused is
 * refreshed once: only a fresh one tells whether the access has ended. Changes nothing but the stored tokens.
 */
export async function askAccess(asking: AccessAsking, question: AccessQuestion): Promise<AccessAnswer> {
  const url = urlOf(asking.config, question);
  if (url === null) return unknown;
  const { tokens, send } = asking;
  const bearer = await tokens.bearer(question, { isCheck: true });
  if (bearer.kind !== 'token') return withoutToken(bearer);
  const first = await send(url, bearer);
  if (first?.status !== 401) return answerOf(first, question);
  const fresh = await tokens.bearer(question, { isCheck: true, refused: bearer.version });
  if (fresh.kind !== 'token') return withoutToken(fresh);
  return answerOf(await send(url, fresh), question);
}

const unknown: AccessAnswer = { access: 'unknown', scope: null };

function urlOf(config: Config, { provider, about }: AccessQuestion): URL | null {
  const { baseUrl, [about]: path } = facts[provider];
  return path === null ? null : new URL(`${baseUrl(config).replace(/\/$/, '')}${path}`);
}

function withoutToken({ kind, reason }: NoBearer): AccessAnswer {
  if (kind === 'later') return unknown;
  return { access: reason === 'TOKEN_REFUSED' ? 'ended' : 'no_token', scope: null };
}

const refusals: readonly number[] = [401, 403, 404];
// The activity platform answers 401 also where the token is good and its owner withholds this read.
const isWithheld = ({ status, text }: ProviderAnswer) => status === 401 && /_permission"/.test(text);

function answerOf(answer: ProviderAnswer | null, { about }: AccessQuestion): AccessAnswer {
  if (answer === null) return unknown;
  if (answer.status === 200 || isWithheld(answer)) return granted(answer, about);
  return refusals.includes(answer.status) ? { access: 'ended', scope: null } : unknown;
}

function granted({ text }: ProviderAnswer, about: AccessQuestion['about']): AccessAnswer {
  const scope = about === 'permissions' ? readPermissions(text) : null;
  return about === 'permissions' && scope === null ? unknown : { access: 'granted', scope };
}

const Names = z.array(z.string()).max(1000);
const Switches = z
  .record(z.string(), z.boolean())
  .transform((map) => Object.keys(map).filter((name) => map[name] === true));
const Permissions = z.union([
  Names,
  z.object({ permissions: z.union([Names, Switches]) }).transform((one) => one.permissions),
  Switches,
]);
const mostScopes = 100;
const longestScope = 100;

/** The permissions in an answer of the device maker: a list, or a map of switches; null where it has none. */
export function readPermissions(text: string): string[] | null {
  try {
    const names = Permissions.parse(JSON.parse(text)).flatMap((name) => name.split(/[\s,]+/));
    const usable = names.filter((name) => name !== '' && name.length <= longestScope && !name.includes('\0'));
    return [...new Set(usable)].slice(0, mostScopes);
  } catch {
    return null;
  }
}
