import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';
import { z } from 'zod';

const Attribute = z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) });
/** Attributes by name, each with its value. */
const Attributes = z
  .array(Attribute)
  .default([])
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]])));
const Span = z.object({
  traceId: z.string().regex(/^[0-9a-f]{32}$/),
  spanId: z.string().regex(/^[0-9a-f]{16}$/),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.int(),
  attributes: Attributes,
  links: z.array(z.object({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.object({ code: z.int().optional(), message: z.string().optional() }),
});
const Resource = z.object({ attributes: Attributes });
const Traces = z.object({
  resourceSpans: z.array(
    z.object({ resource: Resource, scopeSpans: z.array(z.object({ spans: z.array(Span) })) }),
  ),
});
const Metrics = z.object({
  resourceMetrics: z.array(
    z.object({
      resource: Resource,
      scopeMetrics: z.array(z.object({ metrics: z.array(z.looseObject({ name: z.string() })) })),
    }),
  ),
});

/** A collector that takes OTLP as JSON. */
export interface OtlpReceiver {
  readonly url: string;
  /** What it received, by path, with the headers of each request. */
  readonly requests: { readonly path: string; readonly headers: unknown; readonly body: string }[];
  spans(): (z.output<typeof Span> & { readonly resource: Record<string, unknown> })[];
  metrics(): { readonly name: string }[];
  /** Ends it: its port refuses connections. */
  close(): void;
}

/** Starts a collector on this machine until the test ends. */
export async function startOtlpReceiver(t: Test): Promise<OtlpReceiver> {
  const requests: OtlpReceiver['requests'] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    requests.push({ path: req.url ?? '', headers: req.headers, body });
    res.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  t.teardown(close);
  const { port } = server.address() as AddressInfo;
  const bodies = (path: string) =>
    requests.filter((one) => one.path === path).map(({ body }) => JSON.parse(body));
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close,
    spans: () =>
      bodies('/v1/traces')
        .flatMap((body) => Traces.parse(body).resourceSpans)
        .flatMap(({ resource, scopeSpans }) =>
          scopeSpans.flatMap(({ spans }) =>
            spans.map((span) => ({ ...span, resource: resource.attributes })),
          ),
        ),
    metrics: () =>
      bodies('/v1/metrics')
        .flatMap((body) => Metrics.parse(body).resourceMetrics)
        .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics)),
  };
}
