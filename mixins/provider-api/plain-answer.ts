import type { Provider } from '../../domain/provider/provider.ts';
import { type ProviderName, providers } from '../../providers/all.ts';
import type { ProviderAnswer } from './provider-api.ts';

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
