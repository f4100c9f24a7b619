import type { ServiceBroker } from 'moleculer';
import type { Config } from '../../config.ts';
import { createBroker } from '../../runtime/broker.ts';
import type { Lifetime } from '../machine/run-until-signal.ts';
import type { ProviderSettings } from '../sandbox/sandbox.ts';
import { memberEnvironment } from './member-environment.ts';
import type { Prepared } from './prepare.ts';
import { loadServices, serviceNames } from './services.ts';
import { startWorkers } from './workers.ts';

const startLimitMs = 60_000;

/** Parameters of starting the services of `npm start`. */
export interface ServicesChoice {
  readonly prepared: Prepared;
  /** The settings with those of the sandbox. */
  readonly config: Config;
  readonly simulated: ProviderSettings;
  readonly started: Lifetime['started'];
  say(line: string): void;
}

/** Running services: a broker that can call them, and the address of their gateway. */
export interface RunningServices {
  readonly broker: ServiceBroker;
  readonly url: string;
}

/** Starts the services in this process, or in WORKERS processes, which this process reaches over the bus. */
export async function startServices(choice: ServicesChoice): Promise<RunningServices> {
  const { config, prepared, say } = choice;
  if (config.WORKERS > 1 && prepared.stack.natsUrl !== null) return startInWorkers(choice);
  if (config.WORKERS > 1) say('Without a bus all services run in one process: WORKERS is 1.');
  const broker = createBroker({ config, services: await loadServices(config.SERVICES) });
  choice.started(() => broker.stop());
  await broker.start();
  // Where workers run the services, this process does not load the gateway.
  const { gatewayUrl } = await import('../../services/api-gateway/api-gateway.service.ts');
  return { broker, url: gatewayUrl(broker) };
}

async function startInWorkers({ prepared, config, simulated, started, say }: ServicesChoice) {
  const environment = { ...memberEnvironment(prepared, simulated), DRAIN_MS: String(config.DRAIN_MS) };
  const url = await startWorkers({ config, environment, started, say });
  if (url === null) throw new Error('the gateway does not listen');
  const broker = createBroker({ config: { ...config, METRICS_PORT: undefined }, services: [] });
  started(() => broker.stop());
  await broker.start();
  const services = config.SERVICES.length === 0 ? serviceNames : config.SERVICES;
  await broker.waitForServices([...services], startLimitMs);
  return { broker, url };
}
