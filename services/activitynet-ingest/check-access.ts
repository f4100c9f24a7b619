import type { Config } from '../../config.ts';
import type { AccessAnswer, AccessQuestion } from '../../contracts/access-check.ts';
import { type AccessRead, askAccess } from '../../mixins/provider-api/access-check.ts';
import type { ProviderApi } from '../../mixins/provider-api/provider-api.ts';
import type { ProviderQuota } from '../../mixins/provider-api/provider-quota.ts';
import type { ProviderTokens } from '../../mixins/provider-api/provider-tokens.ts';

interface Checking {
  readonly config: Config;
  readonly api: ProviderApi;
  readonly quota: ProviderQuota;
  readonly tokens: ProviderTokens;
}

const timeoutMs = 8000;

/**
 * Checks one connection at the activity platform. Its reads are reserved with the share of backfill, so that live
 * events keep theirs.
 */
export function checkAccess(
  { config, api, quota, tokens }: Checking,
  question: AccessQuestion,
): Promise<AccessAnswer> {
  const send = async (read: AccessRead, { token }: { readonly token: string }) => {
    const reservation = await quota.reserve(1, 'backfill');
    if (reservation === null) return null;
    const answer = await api.request({ ...read, token, timeoutMs });
    const { status, headers, unsent = false } = answer;
    await quota.settle(reservation, { status, headers, unsent });
    return answer;
  };
  return askAccess({ config, tokens, send }, question);
}
