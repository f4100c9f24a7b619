import type { ServerResponse } from 'node:http';
import { SpanKind } from '@opentelemetry/api';
import type { IncomingRequest } from 'moleculer-web';
import type { Config } from '../../../config.ts';
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
