import type { Config } from '../../config.ts';
import type { ProviderAnswer, ProviderApi } from '../../mixins/provider-api/provider-api.ts';
import type { Bearer, ProviderTokens } from '../../mixins/provider-api/provider-tokens.ts';
import { providers } from '../../providers/all.ts';
import type { BegunStep } from './queries/begin-step.ts';
import type { RunLease } from './queries/claim-runs.ts';
import { type Verdict, verdictOf, verdictWithout } from './verdict.ts';

/** Dependencies of a request. */
export interface Asking {
  readonly config: Config;
  readonly api: ProviderApi;
  readonly tokens: ProviderTokens;
  readonly signal: AbortSignal;
}

/** Requests the data of one step from the provider, which delivers it later through the webhook. */
export async function ask(asking: Asking, run: RunLease, step: BegunStep): Promise<Verdict> {
  const { tokens, signal } = asking;
  const bearer = await tokens.bearer(run, { signal });
  if (bearer.kind !== 'token') return verdictWithout(bearer);
  if (Date.parse(bearer.connected_at) !== run.connected_at.getTime())
    return { kind: 'stop', reason: 'CONNECTION_REPLACED' };
  const verdict = await askWith(asking, run, step, bearer);
  if (verdict.kind !== 'unauthorized') return verdict;
  const fresh = await tokens.bearer(run, { signal, refused: bearer.version });
  if (fresh.kind !== 'token') return verdictWithout(fresh);
  const second = await askWith(asking, run, step, fresh);
  if (second.kind !== 'unauthorized') return second;
  await tokens.expire(fresh);
  return { kind: 'stop', reason: 'TOKEN_REFUSED' };
}

async function askWith(
  { api, config, signal, tokens }: Asking,
  { provider }: RunLease,
  step: BegunStep,
  bearer: Bearer,
): Promise<Verdict> {
  const { url: urlOf, refusals } = providers[provider].backfill;
  const { type, start_time, end_time } = step;
  const url = urlOf(config, { type, startMs: start_time.getTime(), endMs: end_time.getTime() });
  const answer: ProviderAnswer = await api.request({ url, token: bearer.token, signal });
  if (answer.status >= 200 && answer.status < 300) await tokens.worked(bearer);
  return verdictOf(answer, refusals, { isRetry: step.attempts > 1 || answer.tries > 1, nowMs: Date.now() });
}
