import { type BrokerOptions, ServiceBroker, type ServiceSchema } from 'moleculer';
import type { Config } from '../config.ts';
import { drainBeforeStop } from './drain.ts';
import { provideConfig } from './environment.ts';
import { logLine } from './log-line.ts';
import { openMetrics } from './metrics.ts';
import { endMetrics, serveMetrics } from './metrics-server.ts';
import { openTracer, tracerOf } from './tracing.ts';

/** What a broker needs beside the settings. */
export interface BrokerChoice {
  readonly config: Config;
  readonly nodeID?: string;
  readonly services?: readonly ServiceSchema[];
  /** Brokers of different namespaces do not see each other on one bus. */
  readonly namespace?: string;
}

/**
 * Options of every broker of the product. Heartbeats of 1 s with a time-out of 3 s bound what a killed node
 * costs its callers to 3.4 s (measured; 10 s and an error with Moleculer's defaults). Validation is switched
 * off because contracts are checked inside the handlers: `params` would be broadcast to every node.
 */
export function brokerOptions(config: Config, nodeID?: string): BrokerOptions {
  return {
    namespace: config.NAMESPACE,
    ...(nodeID === undefined ? {} : { nodeID }),
    transporter:
      config.NATS_URL === undefined ? null : { type: 'NATS', options: natsOptions(config.NATS_URL) },
    logger: {
      type: 'Console',
      options: {
        formatter: config.LOG_FORMAT === 'json' ? logLine : 'short',
        colors: config.LOG_FORMAT === 'short',
      },
    },
    logLevel: config.LOG_LEVEL,
    validator: false,
    requestTimeout: 5000,
    retryPolicy: { enabled: true, retries: 0, delay: 100, maxDelay: 1000, factor: 2 },
    heartbeatInterval: 1,
    heartbeatTimeout: 3,
    tracking: { enabled: true, shutdownTimeout: 2000 },
    // The pause between telling the others that we go and going: what they sent meanwhile is still answered.
    registry: { preferLocal: true, stopDelay: Math.min(500, config.DRAIN_MS) },
    created(broker) {
      provideConfig(broker, config);
      drainBeforeStop(broker);
      openTracer(broker, config);
      if (config.METRICS_PORT !== undefined) openMetrics(broker);
    },
    async started(broker) {
      if (config.METRICS_PORT !== undefined) await serveMetrics(broker, config);
    },
    async stopped(broker) {
      await endMetrics(broker);
      await tracerOf(broker)?.stop();
    },
  };
}

/** NATS_URL as options of the client, which takes credentials as options only. */
export function natsOptions(text: string) {
  const url = new URL(text);
  const user = decodeURIComponent(url.username);
  const pass = decodeURIComponent(url.password);
  const credentials = pass === '' ? (user === '' ? {} : { token: user }) : { user, pass };
  return { servers: `${url.protocol}//${url.host}`, ...credentials, maxReconnectAttempts: -1 };
}

/** Makes a broker with its settings and services; nothing runs until it is started. */
export function createBroker({ config, nodeID, services = [], namespace }: BrokerChoice): ServiceBroker {
  // Whoever makes a broker ends it: Moleculer's own signal handlers exit before the rest is stopped.
  const options = { ...brokerOptions(config, nodeID), skipProcessEventRegistration: true };
  const broker = new ServiceBroker(namespace === undefined ? options : { ...options, namespace });
  for (const service of services) broker.createService(service);
  return broker;
}
