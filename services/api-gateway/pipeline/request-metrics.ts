import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metrics } from '../../../runtime/telemetry/metrics.ts';

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
