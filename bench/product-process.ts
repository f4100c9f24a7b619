// Runs services of the product in a process of the bench, with the settings that it was started with.
import { loadConfig } from '../config.ts';
import type { Caller } from '../contracts/auth/schemas.ts';
import { defaultProject } from '../domain/access.ts';
import { createBroker } from '../runtime/broker.ts';
import { typedCall } from '../runtime/environment.ts';
import { collector } from '../runtime/idle-memory.ts';
import { gatewayUrl } from '../services/api-gateway/api-gateway.service.ts';
import { firstAccount } from '../stack/database/first-account.ts';
import { loadServices } from '../stack/processes/services.ts';
import { signInLink } from '../stack/sandbox/sign-in-link.ts';
import { answerParent, ownUsage } from './parent.ts';

const config = loadConfig();
const broker = createBroker({
  config,
  services: await loadServices(config.SERVICES),
  nodeID: `bench-${process.pid}`,
  namespace: 'bench',
});
await broker.start();
answerParent(
  {
    usage: ownUsage,
    heap() {
      collector()();
      return process.memoryUsage().heapUsed;
    },
    entrance: gatewayAccess,
    'sign-in': async () => signInLink(broker, gatewayUrl(broker), (await firstDeveloper()).email),
  },
  () => broker.stop(),
);

/** The URL of this process's gateway, and an API key. */
async function gatewayAccess() {
  await broker.waitForServices(['auth', 'users', 'timeseries'], 20_000);
  if (config.DATABASE_URL !== undefined) await firstAccount(config.DATABASE_URL, config, null);
  const developer = await firstDeveloper();
  const call = typedCall(broker);
  const caller: Caller = {
    kind: 'developer',
    id: developer.id,
    developer_id: developer.id,
    user_id: null,
    project_id: defaultProject,
    role: 'owner',
    scopes: null,
  };
  const { key } = await call('auth.createKey', { name: 'Bench' }, { meta: { caller } });
  return { url: gatewayUrl(broker), key };
}

async function firstDeveloper() {
  const [developer] = await typedCall(broker)('auth.listDevelopers', {});
  if (developer === undefined) throw new Error('there is no developer');
  return developer;
}
