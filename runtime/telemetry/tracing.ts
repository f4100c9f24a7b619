import {
  type Attributes,
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  type SpanOptions,
  SpanStatusCode,
  type TextMapPropagator,
  type Context as TraceContext,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import type { Context, Middleware, ServiceBroker } from 'moleculer';
import { actionsByName } from '../../contracts/all.ts';
import { codeOf } from '../failure.ts';

/*
 * A trace is sampled once, where it begins, and `ctx.tracing` carries the decision over the bus. Of the others nothing is made: the
 * SDK takes several µs for a call that it does not sample. The header `traceparent` of a call carries the caller's span; metadata
 * cannot, because Moleculer merges it into the caller's.
 */

/** What makes spans, and how they cross the bus. */
export interface Tracing {
  readonly tracer: Tracer;
  readonly propagator: TextMapPropagator<unknown>;
  /** The share of traces that are sampled. */
  readonly share: number;
  /** Sends what is left, and ends the sending. */
  stop(): Promise<void>;
}

const tracings = new WeakMap<ServiceBroker, Tracing>();
const spans = new WeakMap<Context, Span>();

/** Sets the tracing of a broker, before its services start. */
export function provideTracing(broker: ServiceBroker, tracing: Tracing): void {
  tracings.set(broker, tracing);
}

/** The ids of a context's span; undefined if it is not traced. */
export function spanOf(ctx: Context): SpanContext | undefined {
  return spans.get(ctx)?.spanContext();
}

/**
 * Begins the span of a context; null if it is not traced. `traceparent` is the header of a client: it is linked, because a client
 * may name its trace, but neither join nor sample ours.
 */
export function beginSpan(
  ctx: Context,
  name: string,
  given: SpanOptions,
  traceparent?: unknown,
): Span | null {
  const tracing = tracings.get(ctx.broker);
  if (tracing === undefined) return null;
  const { tracer, propagator, share } = tracing;
  ctx.tracing ??= Math.random() < share;
  if (!ctx.tracing) return null;
  const extracted = (carrier: unknown) => propagator.extract(ROOT_CONTEXT, carrier, defaultTextMapGetter);
  const client = trace.getSpanContext(extracted({ traceparent }));
  const links = client === undefined ? [] : [{ context: client }];
  const attributes = { ...given.attributes, 'pulsebus.request_id': ctx.requestID ?? undefined };
  const parent = ctx.options.parentCtx === undefined ? undefined : spans.get(ctx.options.parentCtx);
  const within = parent === undefined ? extracted(ctx.headers) : contextOf(parent);
  const span = tracer.startSpan(name, { ...given, attributes, links }, within);
  spans.set(ctx, span);
  if (given.kind === SpanKind.CLIENT) {
    ctx.headers = { ...ctx.headers };
    propagator.inject(contextOf(span), ctx.headers, defaultTextMapSetter);
  }
  return span;
}

/** Ends a span. An error is a code, never a message. */
export function endSpan(span: Span | null, error?: string, attributes: Attributes = {}): void {
  span?.setAttributes(attributes);
  if (error !== undefined) span?.setAttribute('error.type', error).setStatus({ code: SpanStatusCode.ERROR });
  span?.end();
}

/** Spans of actions, where they are called over the bus and where they run. */
export const actionSpans: Middleware = {
  localAction: (next, { name = '' }) =>
    actionsByName.has(name)
      ? (ctx) => traced(ctx, ctx.nodeID === ctx.broker.nodeID ? SpanKind.INTERNAL : SpanKind.SERVER, next)
      : next,
  remoteAction: (next, { name = '' }) =>
    actionsByName.has(name) ? (ctx) => traced(ctx, SpanKind.CLIENT, next) : next,
};

async function traced(ctx: Context, kind: SpanKind, next: (ctx: Context) => Promise<unknown>) {
  const name = ctx.action?.name ?? '';
  const [service = '', method = ''] = name.split(/\.(?=[^.]*$)/);
  const attributes = { 'rpc.system': 'moleculer', 'rpc.service': service, 'rpc.method': method };
  const span = beginSpan(ctx, name, { kind, attributes });
  try {
    const answer = await next(ctx);
    endSpan(span);
    return answer;
  } catch (error) {
    endSpan(span, codeOf(error));
    throw error;
  }
}

function contextOf(span: Span): TraceContext {
  return trace.setSpan(ROOT_CONTEXT, span);
}
