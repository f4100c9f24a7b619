import { loadConfig } from '../../config.ts';
import { action, contract, Nothing } from '../../domain/contract.ts';
import { type ProviderTokens, providerTokens } from '../../mixins/provider-api/provider-tokens.ts';
import { createBroker } from '../../runtime/broker.ts';
import { implement } from '../../runtime/implement.ts';
import users from '../../services/users/users.service.ts';

// A process with the tokens of users, for a test that kills it: settings come as JSON in the first argument. For each user id
// that its parent sends, it reads the account at the provider with a token of the user, and returns the status.

const { settings, namespace } = JSON.parse(process.argv[2] ?? '');
const config = loadConfig(settings);
const { promise, resolve } = Promise.withResolvers<ProviderTokens>();
const holding = contract('holder', {
  nothing: action({ summary: 'Nothing', params: Nothing, returns: Nothing }),
});
const holder = implement(holding, {
  uses: { tokens: providerTokens() },
  actions: { nothing: () => ({}) },
  started: async ({ tokens }) => {
    resolve(tokens);
    return undefined;
  },
});
const broker = createBroker({
  config,
  nodeID: `child-${process.pid}`,
  services: [users, holder],
  namespace,
});
await broker.start();
const tokens = await promise;

process.on('message', async (user_id: string) => {
  const bearer = await tokens.bearer({ user_id, provider: 'devicemaker' });
  if (bearer.kind !== 'token') return process.send?.(0);
  const { status } = await fetch(`${config.DEVICEMAKER_API_URL}/user/id`, {
    headers: { authorization: `Bearer ${bearer.token}` },
  });
  if (status === 200) await tokens.worked(bearer);
  process.send?.(status);
});
