import { randomUUID } from 'node:crypto';
import type { Logger } from 'moleculer';
import type { Config } from '../../config.ts';
import { isError } from '../../domain/errors.ts';
import type { BrowserAnswer } from '../../domain/wire.ts';
import type { Cipher } from '../../mixins/cipher.ts';
import type { Database } from '../../mixins/database.ts';
import type { ProviderApi } from '../../mixins/provider-api.ts';
import type { FreshTokens } from '../../mixins/token-endpoint.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { settingsOf } from '../../runtime/provider-settings.ts';
import { hashOf } from './authorize.ts';
import { clientOf } from './client.ts';
import { deauthorize } from './deauthorize.ts';
import { exchangeCode } from './exchange-code.ts';
import { findGranted, type Granted } from './granted.ts';
import { askForHistory } from './history.ts';
import { answerTo, type Outcome, unknownPage, usedPage } from './outcome.ts';
import { dropHistory, wantHistory } from './queries/history.ts';
import { type UsedAttempt, useAttempt } from './queries/use-attempt.ts';

/** What a provider put into the address that it sent the browser to. */
export interface Visit {
  readonly provider: ProviderName;
  readonly state?: string | undefined;
  readonly code?: string | undefined;
  readonly error?: string | undefined;
  readonly scope?: string | undefined;
}

/** What finishing a connection takes. */
export interface Deps {
  readonly config: Config;
  readonly database: Database;
  readonly cipher: Cipher;
  readonly call: Call;
  readonly api: ProviderApi;
  readonly logger: Logger;
}

/** Ends a person's way: uses the state up, makes the connection, and says where their browser goes. */
export async function finish(deps: Deps, visit: Visit): Promise<BrowserAnswer> {
  const { provider, state } = visit;
  const attempt = state === undefined ? null : await useAttempt(deps.database, hashOf(state), provider);
  if (attempt === null) return unknownPage;
  if (attempt.standing === 'used') return usedPage;
  const outcome = await outcomeOf(deps, visit, attempt);
  const reason = 'reason' in outcome ? outcome.reason : null;
  deps.logger.info('connect.finished', { provider, user_id: attempt.userId, status: outcome.status, reason });
  return answerTo(attempt, provider, outcome);
}

async function outcomeOf(deps: Deps, visit: Visit, attempt: UsedAttempt): Promise<Outcome> {
  if (attempt.standing === 'expired') return { status: 'failed', reason: 'link_expired' };
  if (visit.error === 'access_denied') return { status: 'denied', reason: 'access_denied' };
  if (visit.error !== undefined || visit.code === undefined)
    return { status: 'failed', reason: 'provider_refused' };
  try {
    return await connect(deps, visit, attempt, visit.code);
  } catch (error) {
    if (isError(error, 'USER_NOT_FOUND')) return { status: 'failed', reason: 'user_gone' };
    deps.logger.warn('connect.failed', {
      provider: visit.provider,
      user_id: attempt.userId,
      code: codeOf(error),
    });
    return { status: 'failed', reason: 'unavailable' };
  }
}

async function connect(deps: Deps, visit: Visit, attempt: UsedAttempt, code: string): Promise<Outcome> {
  const { config, cipher, api } = deps;
  const { provider } = attempt;
  clientOf(config, provider);
  const verifier = attempt.verifier === null ? null : cipher.decrypt(attempt.verifier, attempt.stateHash);
  const proof = { code, verifier };
  const { apiUrl } = settingsOf(config, provider);
  const exchanged = await exchangeCode(config, attempt, proof);
  if (exchanged.kind !== 'tokens') return { status: 'failed', reason: `provider_${exchanged.kind}` };
  const granted = await findGranted(provider, { api, apiUrl, appended: visit.scope }, exchanged);
  if (granted.kind !== 'granted') return { status: 'failed', reason: `provider_${granted.kind}` };
  if (!granted.isEnough) {
    await giveUp(deps, provider, granted.account, exchanged.tokens);
    return { status: 'failed', reason: 'permission_missing' };
  }
  await link(deps, attempt, granted, exchanged.tokens);
  return { status: 'connected' };
}

// Written down before the connection is there: a process that dies in between has asked for its history all the same.
async function link(
  deps: Deps,
  { userId: user_id, provider }: UsedAttempt,
  granted: Extract<Granted, { kind: 'granted' }>,
  tokens: FreshTokens,
): Promise<void> {
  const isHistoryWanted = deps.config.BACKFILL_ON_CONNECT;
  const wanted = { user_id, provider };
  if (isHistoryWanted) await wantHistory(deps.database, wanted);
  try {
    await linkOnce(deps, wanted, granted, tokens);
  } catch (error) {
    // Somebody else made the connection between our look and our link: now it has an id to seal the tokens for.
    if (isError(error, 'CONNECTION_EXISTS')) await linkOnce(deps, wanted, granted, tokens);
    else {
      await dropHistory(deps.database, wanted);
      throw error;
    }
  }
  if (isHistoryWanted) await askForHistory(deps, wanted);
}

async function linkOnce(
  { call, cipher }: Deps,
  { user_id, provider }: { readonly user_id: string; readonly provider: ProviderName },
  { account, scope }: Extract<Granted, { kind: 'granted' }>,
  { access_token, refresh_token, expires_at_ms }: FreshTokens,
): Promise<void> {
  const connections = await call('users.connections', { user_id });
  const connection_id = connections.find((one) => one.provider === provider)?.id ?? randomUUID();
  await call('users.link', {
    connection_id,
    user_id,
    provider,
    provider_user_id: account,
    access_token: cipher.encrypt(access_token, connection_id),
    refresh_token: refresh_token === null ? null : cipher.encrypt(refresh_token, connection_id),
    expires_at: expires_at_ms === null ? null : new Date(expires_at_ms).toISOString(),
    scope,
  });
}

// Access that is good for nothing; but it is one an account, and somebody may be connected to this one already.
async function giveUp(
  { config, call }: Deps,
  provider: ProviderName,
  account: string,
  tokens: FreshTokens,
): Promise<void> {
  const holders = await call('users.resolve', { provider, provider_user_ids: [account] }).catch(() => null);
  if (holders?.length === 0) await deauthorize(config, provider, tokens, Date.now());
}
