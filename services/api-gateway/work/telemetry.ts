import type { IncomingMessage, ServerResponse } from 'node:http';
import { SpanKind } from '@opentelemetry/api';
import type { IncomingRequest } from 'moleculer-web';
import type { Config } from '../../../config.ts';
import type { Metrics } from '../../../runtime/telemetry/metrics.ts';
import { beginSpan, endSpan } from '../../../runtime/telemetry/tracing.ts';

/** Traces a request until its answer has ended, by the pattern of its path and without its query: both may contain ids. */
export function traceRequest(
  req: IncomingRequest,
  res: ServerResponse,
  route: { readonly method: string; readonly path: string },
  scheme: string,
): void {
  const attributes = {
    'http.request.method': route.method,
    'http.route': route.path,
    'url.scheme': scheme,
  };
  const name = `${route.method} ${route.path}`;
  const span = beginSpan(req.$ctx, name, { kind: SpanKind.SERVER, attributes }, req.headers.traceparent);
  if (span === null) return;
  res.once('close', () => {
    const { statusCode: code } = res;
    endSpan(span, code >= 500 ? String(code) : undefined, { 'http.response.status_code': code });
  });
}

/** The scheme that clients use: that of PUBLIC_URL, because the gateway itself speaks plain HTTP behind a proxy. */
export function schemeOf({ PUBLIC_URL }: Config): string {
  return PUBLIC_URL?.startsWith('https:') ? 'https' : 'http';
}

const routes = new WeakMap<IncomingMessage, string>();
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);

/** Sets the route label of a request: the pattern of the path, without ids. */
export function nameRoute(req: IncomingMessage, pattern: string): void {
  routes.set(req, pattern);
}

/** Counts requests when their answer has ended, or was aborted by the client (status `aborted`). */
export function recordRequests(
  metrics: Metrics,
  scheme: string,
): (req: IncomingMessage, res: ServerResponse) => void {
  if (metrics.isOff) return () => undefined;
  let inFlight = 0;
  metrics.onScrape(() => metrics.set('pulsebus_http_requests_in_flight', {}, inFlight));
  return (req, res) => {
    const began = performance.now();
    const asked = req.method ?? '';
    const method = methods.has(asked) ? asked : 'other';
    inFlight += 1;
    res.once('close', () => {
      inFlight -= 1;
      const route = routes.get(req) ?? 'none';
      const status = res.writableFinished ? res.statusCode : 'aborted';
      metrics.count('pulsebus_http_requests_total', { route, method, status });
      const seconds = (performance.now() - began) / 1000;
      metrics.observe('pulsebus_http_request_duration_seconds', { route, method }, seconds);
      const semantic = {
        'http.request.method': method === 'other' ? '_OTHER' : method,
        'http.route': route,
        'http.response.status_code': status,
        'url.scheme': scheme,
      };
      metrics.observe('http_server_request_duration_seconds', semantic, seconds);
    });
  };
}
