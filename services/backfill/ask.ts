import type { Config } from '../../config.ts';
import type { ProviderAnswer, ProviderApi } from '../../mixins/provider-api.ts';
import type { Bearer, ProviderTokens } from '../../mixins/provider-tokens.ts';
import type { BegunStep } from './queries/begin-step.ts';
import type { RunLease } from './queries/claim-runs.ts';
import { type Verdict, verdictOf, verdictWithout } from './verdict.ts';

/** What asking takes. */
export interface Asking {
  readonly config: Config;
  readonly api: ProviderApi;
  readonly tokens: ProviderTokens;
  readonly signal: AbortSignal;
}

/** Asks the provider for one step's data, which comes later through the webhook. */
export async function ask(asking: Asking, run: RunLease, step: BegunStep): Promise<Verdict> {
  const { tokens, signal } = asking;
  const bearer = await tokens.bearer(run, { signal });
  if (bearer.kind !== 'token') return verdictWithout(bearer);
  if (Date.parse(bearer.connected_at) !== run.connected_at.getTime())
    return { kind: 'stop', reason: 'CONNECTION_REPLACED' };
  const verdict = await askWith(asking, step, bearer);
  if (verdict.kind !== 'unauthorized') return verdict;
  const fresh = await tokens.bearer(run, { signal, refused: bearer.version });
  if (fresh.kind !== 'token') return verdictWithout(fresh);
  const second = await askWith(asking, step, fresh);
  if (second.kind !== 'unauthorized') return second;
  await tokens.expire(fresh);
  return { kind: 'stop', reason: 'TOKEN_REFUSED' };
}

async function askWith({ api, config, signal }: Asking, step: BegunStep, bearer: Bearer): Promise<Verdict> {
  const url = historyUrl(config.DEVICEMAKER_API_URL, step);
  const answer: ProviderAnswer = await api.request({ url, token: bearer.token, signal });
  return verdictOf(answer, step.attempts > 1 || answer.tries > 1, Date.now());
}

/** The provider's paths are spelt as our types are; only its notifications know other spellings. */
export function historyUrl(
  base: string,
  { type, start_time, end_time }: Pick<BegunStep, 'type' | 'start_time' | 'end_time'>,
): URL {
  const url = new URL(`${base.replace(/\/$/, '')}/backfill/${encodeURIComponent(type)}`);
  url.searchParams.set('summaryStartTimeInSeconds', String(start_time.getTime() / 1000));
  url.searchParams.set('summaryEndTimeInSeconds', String(end_time.getTime() / 1000));
  return url;
}
