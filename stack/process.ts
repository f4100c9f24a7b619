import { loadConfig } from '../config.ts';
import { createBroker } from '../runtime/broker.ts';
import { live } from './lifetime.ts';
import { checkServers } from './reachable.ts';
import { loadServices } from './services.ts';

/** Of processes that start together with their servers, some are there first. */
const patienceMs = 30_000;

/** One process of a cluster: the services that SERVICES names, on the bus and database that the settings name. */
await live(async ({ started }) => {
  if (process.argv.includes('--with-parent')) endWithParent();
  const config = loadConfig();
  await checkServers(config, patienceMs);
  const broker = createBroker({ config, services: await loadServices(config.SERVICES) });
  started(() => broker.stop());
  await broker.start();
});

// Whoever started us holds the other end of our input: when it dies, even by kill -9, we end as if told to.
function endWithParent(): void {
  process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGTERM'));
}
