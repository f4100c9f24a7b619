import { loadConfig } from '../config.ts';
import { createBroker } from '../runtime/broker.ts';
import { checkServers } from './reachable.ts';
import { runUntilSignal } from './run-until-signal.ts';
import { loadServices } from './services.ts';

/** Processes that start together with their servers may be ready first. */
const patienceMs = 30_000;

/** One process of a cluster: the services that SERVICES names, on the bus and database that the settings name. */
await runUntilSignal(async ({ started }) => {
  if (process.argv.includes('--with-parent')) endWithParent();
  const config = loadConfig();
  await checkServers(config, patienceMs);
  const broker = createBroker({ config, services: await loadServices(config.SERVICES) });
  started(() => broker.stop());
  await broker.start();
});

// The parent holds the other end of the input. If the parent dies, even by kill -9, this process stops as after a
// signal.
function endWithParent(): void {
  process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGTERM'));
}
