import type { Config } from '../../config.ts';
import type { AccessAnswer, AccessQuestion } from '../../contracts/access-check.ts';
import { askAccess } from '../../mixins/access-check.ts';
import type { ProviderApi } from '../../mixins/provider-api.ts';
import type { ProviderQuota } from '../../mixins/provider-quota.ts';
import type { ProviderTokens } from '../../mixins/provider-tokens.ts';

interface Checking {
  readonly config: Config;
  readonly api: ProviderApi;
  readonly budget: ProviderQuota;
  readonly tokens: ProviderTokens;
}

const timeoutMs = 8000;

/** Asks the activity platform about one connection. Its reads leave the same share to live events as history does. */
export function checkAccess(
  { config, api, budget, tokens }: Checking,
  question: AccessQuestion,
): Promise<AccessAnswer> {
  const send = async (url: URL, { token }: { readonly token: string }) => {
    const ticket = await budget.charge(1, 'history');
    if (ticket === null) return null;
    const answer = await api.request({ url, token, timeoutMs });
    const { status, headers, unsent = false } = answer;
    await budget.settle(ticket, { status, headers, unsent });
    return answer;
  };
  return askAccess({ config, tokens, send }, question);
}
