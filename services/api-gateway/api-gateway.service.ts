import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Service, ServiceBroker, ServiceSchema } from 'moleculer';
import ApiGateway, { type ApiSettingsSchema, type IncomingRequest } from 'moleculer-web';
import proxyAddr from 'proxy-addr';
import type { Config } from '../../config.ts';
import { contracts } from '../../contracts/all.ts';
import { apiGateway } from '../../contracts/api-gateway.ts';
import { ServiceError } from '../../domain/errors.ts';
import { type Database, database } from '../../mixins/database.ts';
import { typedCall } from '../../mixins/environment.ts';
import { implement } from '../../mixins/implement.ts';
import { inbox } from '../../mixins/inbox.ts';
import { failureToSend, sendFailure, sendJson, setWindow } from './answer.ts';
import { sendDocs } from './docs.ts';
import { addressWindows, type Edge, limited, serve } from './edge.ts';
import { apiPrefix, type Endpoint, endpoints } from './endpoints.ts';
import { createFront } from './front.ts';
import { openapiDocument } from './openapi.ts';

type Next = (error: unknown) => void;
type Handler = (req: IncomingRequest, res: ServerResponse, next?: Next) => void;

const edges = new WeakMap<ServiceBroker, Edge>();
const servers = new WeakMap<ServiceBroker, Server>();
const stopping = new WeakSet<ServiceBroker>();

/** Where the gateway of a broker listens, as `http://host:port`. @throws while it does not. */
export function gatewayUrl(broker: ServiceBroker): string {
  const address = servers.get(broker)?.address();
  if (address === null || address === undefined || typeof address === 'string')
    throw new Error('the gateway does not listen');
  const host = address.family === 'IPv6' ? `[${address.address}]` : address.address;
  return `http://${host === '0.0.0.0' ? '127.0.0.1' : host}:${address.port}`;
}

const service = implement(apiGateway, {
  uses: { database: database(), inbox: inbox() },
  actions: {
    // Over HTTP the edge streams it; the bus has no back-pressure, so that there is nothing to call.
    export: () => {
      throw new ServiceError('NOT_IMPLEMENTED', 'An export is read over HTTP.');
    },
    health: () => ({ status: 'ok' as const }),
    ready: async ({ broker, database }) => readiness(broker, database),
  },
  async started(environment) {
    const { broker, config, inbox, logger } = environment;
    const edge: Edge = {
      config,
      inbox,
      windows: addressWindows(config),
      addressOf: addressReader(config),
      url: () => gatewayUrl(broker),
    };
    edges.set(broker, edge);
    const router: unknown = Reflect.get(broker.getLocalService(apiGateway.name) ?? {}, 'express');
    if (typeof router !== 'function') throw new Error('moleculer-web is not there');
    const server = createFront(edge, router.call(broker.getLocalService(apiGateway.name)));
    await listen(server, config);
    servers.set(broker, server);
    logger.info('gateway.listening', { url: gatewayUrl(broker) });
    return async () => {
      stopping.add(broker);
      await close(server);
    };
  },
});

async function readiness(broker: ServiceBroker, database: Database) {
  const services = Object.fromEntries(contracts.map(({ name }) => [name, hasService(broker, name)]));
  const databaseAnswers = await database.query('select 1').then(
    () => true,
    () => false,
  );
  const all = { ...services, database: databaseAnswers };
  if (stopping.has(broker) || Object.values(all).includes(false)) {
    const away = Object.keys(all).filter((name) => Reflect.get(all, name) === false);
    throw new ServiceError(
      'SERVICE_UNAVAILABLE',
      stopping.has(broker) ? 'Stopping.' : `Away: ${away.join(', ')}.`,
    );
  }
  return { status: 'ok' as const, services: all };
}

function hasService({ registry }: ServiceBroker, name: string): boolean {
  return registry.getServiceList({ onlyAvailable: true }).some((one) => one.name === name);
}

function addressReader({ TRUSTED_PROXIES }: Config) {
  const trust = proxyAddr.compile([...TRUSTED_PROXIES]);
  return (req: IncomingMessage) => proxyAddr(req, trust) ?? 'unknown';
}

function listen(server: Server, { PORT, HOST }: Config): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(PORT, HOST, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

// Requests in flight are answered; idle connections are closed at once.
function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}

/** A route's handler: the router found it, the edge does the rest. */
function handlerOf(endpoint: Endpoint): Handler {
  return (req, res, next) => {
    const edge = edgeOf(req);
    const call = typedCall(req.$ctx);
    serve(edge, { req, res, endpoint, path: pathOf(endpoint, req), query: req.query, call }).catch(
      (error: unknown) => next?.(error),
    );
  };
}

// The router merges query and path into one object, the path over the query: names of the path are the path's.
function pathOf({ route }: Endpoint, req: IncomingRequest): Record<string, string> {
  const names = [...route.path.matchAll(/:([a-z_]+)/g)].flatMap(([, name]) => name ?? []);
  return Object.fromEntries(names.map((name) => [name, String(req.$params[name])]));
}

function edgeOf(req: IncomingRequest): Edge {
  const edge = edges.get(req.$ctx.broker);
  if (edge === undefined) throw new ServiceError('SERVICE_UNAVAILABLE');
  return edge;
}

function counted(answer: (req: IncomingRequest, res: ServerResponse) => void): Handler {
  return (req, res, next) => {
    const { windows, addressOf } = edgeOf(req);
    const window = windows.rest.hit(addressOf(req), Date.now());
    setWindow(res, window);
    if (window.allowed) answer(req, res);
    else next?.(limited(res, window));
  };
}

const document = openapiDocument();
const docs = counted((req, res) => {
  if (!sendDocs(res, req.$params.file)) sendFailure(res, failureToSend(new ServiceError('ROUTE_NOT_FOUND')));
});

function answerFailure(this: Service, req: IncomingRequest, res: ServerResponse, error: unknown): void {
  const failure = failureToSend(error);
  if (failure.code === 'INTERNAL' && failureToSend(error).code !== Reflect.get(Object(error), 'type')) {
    const { name, stack } = error instanceof Error ? error : { name: typeof error, stack: '' };
    const frames = (stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
    this.logger.error('request.failed', {
      request_id: req.headers['x-request-id'],
      name,
      frames: frames.slice(0, 6),
    });
  }
  sendFailure(res, failure);
}

const shared = {
  mappingPolicy: 'restrict' as const,
  bodyParsers: false,
  logging: false,
  onError: answerFailure,
};

/** moleculer-web with the routes of the contracts; the server in front of it is ours (front.ts). */
const schema: ServiceSchema<ApiSettingsSchema> = {
  ...service,
  mixins: [ApiGateway],
  settings: {
    ...service.settings,
    server: false,
    logRequest: null,
    logResponse: null,
    logRequestParams: null,
    logRouteRegistration: null,
    qsOptions: { depth: 0, arrayLimit: 100, parameterLimit: 200 },
    onError: answerFailure,
    routes: [
      {
        ...shared,
        path: apiPrefix,
        aliases: Object.fromEntries([
          ...endpoints.map((one) => [`${one.route.method} ${one.route.path.slice(1)}`, handlerOf(one)]),
          ['GET openapi.json', counted((_, res) => sendJson(res, 200, document))],
        ]),
      },
      { ...shared, path: '/docs', aliases: { 'GET /': docs, 'GET /:file': docs } },
    ],
  },
};
export default schema;
