import cluster from 'node:cluster';
import { loadConfig } from '../../config.ts';
import { createBroker } from '../../runtime/broker.ts';
import { freeIdleMemory } from '../../runtime/idle-memory.ts';
import { gatewayUrlOrNull } from '../../services/api-gateway/api-gateway.service.ts';
import { leftOut } from '../machine/left-out.ts';
import { checkServers } from '../machine/reachable.ts';
import { type Lifetime, runUntilSignal } from '../machine/run-until-signal.ts';
import { loadServices } from './services.ts';
import { reportReady, startWorkers } from './workers.ts';

/** Processes that start together with their servers may be ready first. */
const patienceMs = 30_000;

/**
 * One process of a cluster: the services that SERVICES names, on the bus and database that the settings name. With
 * WORKERS it starts that many processes, which share its port. A worker is stopped by its primary: a terminal sends its
 * signals to all processes.
 */
await (cluster.isWorker ? runUntilSignal(run, undefined, ['SIGTERM']) : runUntilSignal(run));

async function run({ started }: Lifetime): Promise<void> {
  if (process.argv.includes('--with-parent')) endWithParent();
  freeIdleMemory();
  const config = loadConfig();
  for (const line of leftOut) console.warn(`Warning: ${line}`);
  if (config.WORKERS > 1)
    return void (await startWorkers({ config, environment: process.env, started, say: console.log }));
  await checkServers(config, patienceMs);
  const broker = createBroker({ config, services: await loadServices(config.SERVICES) });
  started(() => broker.stop());
  await broker.start();
  if (cluster.isWorker) reportReady(gatewayUrlOrNull(broker));
}

// The parent holds the other end of the input. If the parent dies, even by kill -9, this process stops as after a
// signal.
function endWithParent(): void {
  process.stdin.resume().once('close', () => process.kill(process.pid, 'SIGTERM'));
}
