import type { ServerResponse } from 'node:http';
import type { Service, ServiceBroker } from 'moleculer';
import type { IncomingRequest } from 'moleculer-web';
import { apiGateway } from '../../../contracts/api-gateway.ts';
import { apiPrefix } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { typedCall } from '../../../runtime/environment.ts';
import {
  consolePages,
  consolePrefix,
  type Endpoint,
  endpointAt,
  endpoints,
  pathParameters,
} from '../rules/endpoints.ts';
import { type OtherPath, pathsOfOpenWearables } from '../rules/open-wearables.ts';
import { openapiDocument } from '../rules/openapi.ts';
import { failureToSend, noteFailure, sendFailure, sendJson, setWindow } from '../work/answer.ts';
import { limited, type Pipeline } from '../work/exchange.ts';
import { serve } from '../work/request-pipeline.ts';
import { nameRoute, schemeOf, traceRequest } from '../work/telemetry.ts';
import { pageRoutes } from './connect-page/connect-page.ts';
import {
  consoleEndpoints,
  embedPage,
  oidcBegin,
  oidcCallback,
  passkeyBegin,
  readSession,
  serveConsole,
  serveEmbed,
  serveOidcBegin,
  serveOidcCallback,
  servePasskeyBegin,
  serveSession,
  serveSignIn,
  serveSignOut,
  signIn,
  signInByLink,
  signInByPasskey,
  signOut,
} from './console.ts';
import { sendConsoleFile, sendConsolePage } from './console-files.ts';
import { sendDocs, sendGuide, sendGuideImage } from './docs-page/docs.ts';
import { mcpEndpoint, serveMcp } from './mcp/mcp.ts';
import { faultEndpoints, serveFaults } from './sandbox-faults.ts';

type Next = (error: unknown) => void;
type Handler = (req: IncomingRequest, res: ServerResponse, next?: Next) => void;

const pipelines = new WeakMap<ServiceBroker, Pipeline>();

/** Sets what the routes of a broker's gateway pass their requests to. */
export function providePipeline(broker: ServiceBroker, pipeline: Pipeline): void {
  pipelines.set(broker, pipeline);
}

/** The handler of a route; it passes the request to the pipeline, with what its path states of the query. */
function handlerOf(endpoint: Endpoint, answer = serve, stated: OtherPath['query'] = {}): Handler {
  return (req, res, next) => {
    const pipeline = pipelineOf(req);
    nameRoute(req, endpoint.route.path);
    traceRequest(req, res, endpoint.route, schemeOf(pipeline.config));
    const call = typedCall(req.$ctx, apiGateway.name);
    const query = { ...req.query, ...stated };
    answer(pipeline, { req, res, endpoint, path: pathOf(endpoint, req), query, call }).catch(
      (error: unknown) => next?.(error),
    );
  };
}

// The router merges query and path into one object. The path takes precedence, so its names have the path's values.
function pathOf({ route }: Endpoint, req: IncomingRequest): Record<string, string> {
  return Object.fromEntries(pathParameters(route.path).map((name) => [name, String(req.$params[name])]));
}

function pipelineOf(req: IncomingRequest): Pipeline {
  const pipeline = pipelines.get(req.$ctx.broker);
  if (pipeline === undefined) throw new ServiceError('SERVICE_UNAVAILABLE');
  return pipeline;
}

function counted(answer: (req: IncomingRequest, res: ServerResponse) => void): Handler {
  const count = async (req: IncomingRequest, res: ServerResponse) => {
    const { windows, addressOf } = pipelineOf(req);
    nameRoute(req, 'documents');
    const window = await windows.rest.hit(addressOf(req), Date.now());
    setWindow(res, window);
    if (!window.allowed) throw limited(res, window);
    answer(req, res);
  };
  return (req, res, next) => void count(req, res).catch((error: unknown) => next?.(error));
}

let madeDocument: ReturnType<typeof openapiDocument> | undefined;
/** Made at the first request: it would take a tenth of a start. */
const document = () => {
  madeDocument ??= openapiDocument();
  return madeDocument;
};
const docs = counted((req, res) => {
  if (!sendDocs(req, res, document, req.$params.file))
    sendFailure(res, failureToSend(new ServiceError('ROUTE_NOT_FOUND')));
});
const guide = counted((req, res) => sendGuide(req, res, document, String(req.$params.guide)));
const guideImage = counted((req, res) => {
  if (!sendGuideImage(req, res, String(req.$params.file)))
    sendFailure(res, failureToSend(new ServiceError('ROUTE_NOT_FOUND')));
});

const consolePage = counted((_, res) => sendConsolePage(res));
const consoleFile = counted((req, res) => {
  if (!sendConsoleFile(req, res, String(req.$params.file)))
    sendFailure(res, failureToSend(new ServiceError('ROUTE_NOT_FOUND')));
});

/** Answers a failure, and logs it by its code. */
export function answerFailure(
  this: Service,
  req: IncomingRequest,
  res: ServerResponse,
  error: unknown,
): void {
  const failure = failureToSend(error);
  noteFailure(this.logger, req, error, failure);
  sendFailure(res, failure);
}

const shared = {
  mappingPolicy: 'restrict' as const,
  bodyParsers: false,
  logging: false,
  onError: answerFailure,
};

/** The routes of the contracts, the console, MCP, the connect page and the documentation, as moleculer-web takes them. */
export const gatewayRoutes = [
  {
    ...shared,
    path: apiPrefix,
    aliases: Object.fromEntries([
      ...endpoints.map((one) => [`${one.route.method} ${one.route.path.slice(1)}`, handlerOf(one)]),
      ...pathsOfOpenWearables.map(({ method, theirs, ours, query }) => [
        `${method} ${theirs.slice(1)}`,
        handlerOf(endpointAt(method, ours), serve, query),
      ]),
      ['GET openapi.json', counted((_, res) => sendJson(res, 200, document()))],
    ]),
  },
  {
    ...shared,
    path: consolePrefix,
    aliases: Object.fromEntries(
      consoleEndpoints.map((one) => [
        `${one.route.method} ${one.route.path.slice(1)}`,
        handlerOf(one, serveConsole),
      ]),
    ),
  },
  {
    ...shared,
    path: '/console',
    aliases: {
      'GET session': handlerOf(readSession, serveSession),
      'POST session': handlerOf(signIn, serveSignIn),
      'DELETE session': handlerOf(signOut, serveSignOut),
      'POST session/link': handlerOf(signInByLink, serveSignIn),
      'POST session/passkey/begin': handlerOf(passkeyBegin, servePasskeyBegin),
      'POST session/passkey': handlerOf(signInByPasskey, serveSignIn),
      'GET oidc': handlerOf(oidcBegin, serveOidcBegin),
      'GET oidc/callback': handlerOf(oidcCallback, serveOidcCallback),
      ...Object.fromEntries(
        faultEndpoints.map((one) => [
          `${one.route.method} ${one.route.path.slice(1)}`,
          handlerOf(one, serveFaults),
        ]),
      ),
      'GET embed/:token': handlerOf(embedPage, serveEmbed),
      'GET assets/:file': consoleFile,
      'GET /': consolePage,
      ...Object.fromEntries(consolePages.map((path) => [`GET ${path}`, consolePage])),
    },
  },
  { ...shared, path: mcpEndpoint.route.path, aliases: { 'POST /': handlerOf(mcpEndpoint, serveMcp) } },
  {
    ...shared,
    path: '/connect',
    aliases: Object.fromEntries(
      pageRoutes.map(({ endpoint, serve }) => {
        const { method, path } = endpoint.route;
        return [`${method} ${path.slice('/connect/'.length)}`, handlerOf(endpoint, serve)];
      }),
    ),
  },
  {
    ...shared,
    path: '/docs',
    aliases: {
      'GET /': docs,
      'GET /:file': docs,
      'GET /guides/:guide': guide,
      'GET /guides/images/:file': guideImage,
    },
  },
];

const patterns = gatewayRoutes.flatMap(({ path, aliases }) =>
  Object.keys(aliases).map((alias) => {
    const [method = '', below = ''] = alias.split(' ');
    const whole = `${path}/${below}`.replace(/\/+/g, '/').replace(/\/$/, '');
    const escaped = whole.replace(/[.$]/g, '\\$&').replace(/:[a-z_]+/g, '[^/]+');
    return { method, regex: new RegExp(`^${escaped}/?$`) };
  }),
);

/** The allowed methods of a path, including HEAD and OPTIONS; empty if there is no such path. */
export function methodsOf(path: string): string[] {
  const matching = patterns.filter(({ regex }) => regex.test(path)).map(({ method }) => method);
  const methods = new Set(path === '/' ? ['GET'] : matching);
  if (methods.size === 0) return [];
  if (methods.has('GET')) methods.add('HEAD');
  return [...methods, 'OPTIONS'].sort();
}
