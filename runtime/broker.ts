import { type BrokerOptions, ServiceBroker, type ServiceSchema } from 'moleculer';
import type { Config } from '../config.ts';
import { nodeIdOf, roleOfUrl } from './bus/permissions.ts';
import { BusTransporter } from './bus/transporter.ts';
import { drainBeforeStop } from './drain.ts';
import { provideConfig } from './environment.ts';
import { loggerOptions } from './telemetry/logger.ts';
import { telemetry } from './telemetry/telemetry.ts';

/** Parameters of a broker beside the settings. */
export interface BrokerChoice {
  readonly config: Config;
  readonly nodeID?: string;
  readonly services?: readonly ServiceSchema[];
  /** Brokers of different namespaces on one bus are isolated. */
  readonly namespace?: string;
}

/**
 * Options of every broker of the product. Heartbeats of 1 s with a timeout of 3 s limit the effect of a killed node on
 * its callers to 3.4 s (measured; 10 s and an error with Moleculer's defaults). Moleculer's validation is off because
 * contracts are validated in the handlers: `params` would be broadcast to every node.
 */
export function brokerOptions(config: Config, nodeID?: string): BrokerOptions {
  return {
    namespace: config.NAMESPACE,
    ...busOptions(config, nodeID),
    logger: loggerOptions(config),
    logLevel: config.LOG_LEVEL,
    validator: false,
    requestTimeout: 5000,
    retryPolicy: { enabled: true, retries: 0, delay: 100, maxDelay: 1000, factor: 2 },
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    tracking: { enabled: true, shutdownTimeout: 2000 },
    // Pause between announcing the stop and stopping. Calls that arrive meanwhile are still answered.
    registry: { preferLocal: true, stopDelay: Math.min(500, config.DRAIN_MS) },
    created(broker) {
      provideConfig(broker, config);
      drainBeforeStop(broker);
      expectMissingServices(broker);
    },
    middlewares: [telemetry(config)],
  };
}

function busOptions(config: Config, nodeID: string | undefined): BrokerOptions {
  if (config.NATS_URL === undefined)
    return { transporter: null, ...(nodeID === undefined ? {} : { nodeID }) };
  const role = roleOfUrl(config.NATS_URL);
  const transporter = new BusTransporter(config, role);
  return { transporter, nodeID: nodeIdOf(role, nodeID) };
}

/** Creates a broker with its settings and services. Nothing runs until it is started. */
export function createBroker({ config, nodeID, services = [], namespace }: BrokerChoice): ServiceBroker {
  // The creator stops the broker: Moleculer's own signal handlers exit before other parts are stopped.
  const options = { ...brokerOptions(config, nodeID), skipProcessEventRegistration: true };
  const broker = new ServiceBroker(namespace === undefined ? options : { ...options, namespace });
  for (const service of services) broker.createService(service);
  return broker;
}

/** Processes of a cluster start one after another, and callers try again. */
const startingMs = 60_000;

// Moleculer warns at each call of a service that no node has.
function expectMissingServices({ logger }: ServiceBroker): void {
  const warn = logger.warn.bind(logger);
  logger.warn = (...said: unknown[]) => {
    const isExpected =
      performance.now() < startingMs && /^Service '.*' is not (registered|available)/.test(String(said[0]));
    return isExpected ? logger.debug(...said) : warn(...said);
  };
}
