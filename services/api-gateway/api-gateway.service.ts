import cluster from 'node:cluster';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import ApiGateway, { type ApiSettingsSchema } from 'moleculer-web';
import proxyAddr from 'proxy-addr';
import type { Config } from '../../config.ts';
import { apiGateway } from '../../contracts/api-gateway.ts';
import { ServiceError } from '../../domain/errors.ts';
import { database } from '../../mixins/database/database.ts';
import { inbox } from '../../mixins/inbox/inbox.ts';
import { receivedCounts } from '../../mixins/inbox/received-counts.ts';
import { jobs } from '../../mixins/jobs/jobs.ts';
import { onDrain } from '../../runtime/drain.ts';
import { loggedCodeOf } from '../../runtime/failure.ts';
import { freeDisk } from '../../runtime/free-disk.ts';
import { implement } from '../../runtime/implement.ts';
import { startPeriodicTask } from '../../runtime/jobs/periodic-task.ts';
import { metricsOf } from '../../runtime/telemetry/metrics.ts';
import { assetsOf } from './actions/connect-page/connect-page.ts';
import { readiness } from './actions/readiness.ts';
import { answerFailure, gatewayRoutes, providePipeline } from './actions/routes.ts';
import { close, createGatewayServer, drain, httpHandler } from './actions/server.ts';
import { emptyAnswersOfUser } from './tables/idempotent-answers.ts';
import { AccessCounts } from './work/access-counts.ts';
import type { Pipeline } from './work/exchange.ts';
import { cleaningHandler, idempotency } from './work/idempotency.ts';
import { recordRequests, schemeOf } from './work/telemetry.ts';
import { webhookAccess, webhookCapacity } from './work/webhook-admission.ts';
import { addressWindows } from './work/windows.ts';

interface Sender {
  sendError(req: IncomingMessage, res: ServerResponse, error: unknown): void;
}

const accessesEveryMs = 1000;

const urls = new WeakMap<ServiceBroker, string>();
const stopping = new WeakSet<ServiceBroker>();

/** Where the gateway of a broker listens, as `http://host:port`. @throws before it does. */
export function gatewayUrl(broker: ServiceBroker): string {
  const url = gatewayUrlOrNull(broker);
  if (url === null) throw new Error('the gateway does not listen');
  return url;
}

/** Where the gateway of a broker listens; null without a gateway. */
export function gatewayUrlOrNull(broker: ServiceBroker): string | null {
  return urls.get(broker) ?? null;
}

// Read once: a closing server has no address, but still has requests in flight.
function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the gateway does not listen');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${address.port}`;
}

const service = implement(apiGateway, {
  uses: { database: database(), inbox: inbox(), jobs: jobs(), received: receivedCounts() },
  actions: {
    // The request pipeline streams these three over HTTP. They cannot be called over the bus, which has no back-pressure.
    export: () => {
      throw new ServiceError('NOT_IMPLEMENTED', 'An export is read over HTTP.');
    },
    download: () => {
      throw new ServiceError('NOT_IMPLEMENTED', 'A download is read over HTTP.');
    },
    workoutStreams: () => {
      throw new ServiceError('NOT_IMPLEMENTED', 'The streams of a workout are read over HTTP.');
    },
    health: () => ({ status: 'ok' as const }),
    forgetUser: ({ database, params }) => emptyAnswersOfUser(database, params.user_id),
    ready: ({ broker, database }) => readiness(broker, database, stopping.has(broker)),
  },
  async started(environment) {
    const { broker, config, database, inbox, jobs, logger, received } = environment;
    assetsOf(config); // a logo that cannot be used stops the start
    const idempotent = idempotency(database, config, logger);
    const pipeline: Pipeline = {
      config,
      database,
      logger,
      inbox,
      capacity: webhookCapacity(config, { inbox, freeBytes: freeDisk(config), logger }),
      received,
      idempotency: idempotent,
      accesses: new AccessCounts({
        send: (batch) => environment.call('auth.noteAccesses', batch),
        logger,
        now: Date.now,
      }),
      windows: addressWindows(config),
      webhooks: webhookAccess(config),
      addressOf: addressReader(config),
      isStopping: () => stopping.has(broker),
      url: () => gatewayUrl(broker),
    };
    providePipeline(broker, pipeline);
    const router: unknown = Reflect.get(broker.getLocalService(apiGateway.name) ?? {}, 'express');
    if (typeof router !== 'function') throw new Error('moleculer-web is not there');
    const routed = router.call(broker.getLocalService(apiGateway.name));
    const server = createGatewayServer(pipeline, routed, recordRequests(metricsOf(broker), schemeOf(config)));
    const metrics = metricsOf(broker);
    metrics.onScrape(async () => {
      metrics.set('pulsebus_http_connections', {}, await openConnections(server));
      metrics.set('pulsebus_webhook_body_bytes', {}, pipeline.capacity.heldBytes());
    });
    const stopCleaning = await jobs.start([cleaningHandler(idempotent)], { pollMs: 10_000 });
    const stopCounting = startPeriodicTask({
      name: 'gateway.accesses',
      everyMs: accessesEveryMs,
      work: () => pipeline.accesses.write(),
      logger,
    });
    await listen(server, config);
    urls.set(broker, urlOf(server));
    onDrain(broker, async () => {
      stopping.add(broker);
      await drain(server, config.DRAIN_MS);
      await writeRest(pipeline);
    });
    logger.info('gateway.listening', { url: gatewayUrl(broker) });
    return async () => {
      stopping.add(broker);
      await Promise.all([stopCleaning(), stopCounting()]);
      await close(server);
    };
  },
});

function openConnections(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

// The services still run while the gateway drains.
async function writeRest({ accesses, logger }: Pipeline): Promise<void> {
  await accesses.write().catch((error: unknown) => {
    logger.warn('gateway.reads_not_recorded', { code: loggedCodeOf(error) });
  });
}

function addressReader({ TRUSTED_PROXIES }: Config) {
  const trust = proxyAddr.compile([...TRUSTED_PROXIES]);
  return (req: IncomingMessage) => proxyAddr(req, trust) ?? 'unknown';
}

// Workers on Linux listen on one port each by themselves, and the kernel distributes the connections. node:cluster does so
// elsewhere; it can lose a connection when a worker is killed.
function listen(server: Server, { PORT: port, HOST: host }: Config): Promise<void> {
  const reusePort = cluster.isWorker && process.platform === 'linux';
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host, reusePort }, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

/** moleculer-web with the routes of the contracts, behind the HTTP server of server.ts. */
const schema: ServiceSchema<ApiSettingsSchema> = {
  name: service.name,
  mixins: [service, ApiGateway],
  methods: {
    httpHandler,
    // Replaces the handler of moleculer-web, which logs the message and data of every failure before onError.
    errorHandler(this: Service & Sender, req: IncomingMessage, res: ServerResponse, error: unknown) {
      this.sendError(req, res, error);
    },
  },
  settings: {
    server: false,
    logRequest: null,
    logResponse: null,
    logRequestParams: null,
    logRouteRegistration: null,
    qsOptions: { depth: 0, arrayLimit: 200, parameterLimit: 200 },
    onError: answerFailure,
    routes: gatewayRoutes,
  },
};
export default schema;
