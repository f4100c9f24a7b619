import { createServer, type Server } from 'node:http';
import type { ServiceBroker } from 'moleculer';
import type { Config } from '../../config.ts';
import { errorCodeOf } from '../../domain/error-code.ts';
import { metricsOf } from './metrics.ts';

const servers = new WeakMap<ServiceBroker, Server>();

/** Where the figures of a broker are, as `http://host:port/metrics`; null where they are not served. */
export function metricsUrl(broker: ServiceBroker): string | null {
  const address = servers.get(broker)?.address();
  if (address === null || address === undefined || typeof address === 'string') return null;
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${address.port}/metrics`;
}

/**
 * Serves the metrics of a broker at /metrics on a port of its own, which must be internal: every client that reaches
 * it may read. The start of the product checks the port. If another program
 * uses it later, that is logged, and metrics are unavailable, but not the service.
 */
export function serveMetrics(broker: ServiceBroker, { METRICS_PORT, HOST }: Config): Promise<void> {
  const server = createServer(async (req, res) => {
    const isOurs = (req.method === 'GET' || req.method === 'HEAD') && req.url?.split('?')[0] === '/metrics';
    if (!isOurs) return void res.writeHead(404).end();
    const text = await metricsOf(broker).text();
    res.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8' }).end(text);
  });
  servers.set(broker, server);
  return new Promise((resolve) => {
    server.once('error', (error) => {
      broker.logger.error('metrics.not_served', {
        setting: 'METRICS_PORT',
        port: METRICS_PORT,
        code: errorCodeOf(error),
      });
      resolve();
    });
    // exclusive: each worker of a primary process has a port of its own
    server.listen({ port: METRICS_PORT, host: HOST, exclusive: true }, () => {
      broker.logger.info('metrics.listening', { url: metricsUrl(broker) });
      resolve();
    });
  });
}

/** Ends what `serveMetrics` began. */
export function endMetrics(broker: ServiceBroker): Promise<void> {
  const server = servers.get(broker);
  servers.delete(broker);
  if (server?.listening !== true) return Promise.resolve();
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
