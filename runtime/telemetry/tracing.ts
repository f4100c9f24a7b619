import { createHash } from 'node:crypto';
import type { Context, Logger, ServiceBroker } from 'moleculer';
import type { Config } from '../../config.ts';

/**
 * Sampled traces in Zipkin's format (v2 JSON), which Zipkin, Jaeger, Tempo and the OpenTelemetry collector take.
 * Whether a request is traced is decided once, where it comes in, and travels with it over the bus; of the others
 * nothing is made. Moleculer's own tracer builds a span for every call, sends parameters and error messages along,
 * and takes any X-Request-Id for a trace id, which Zipkin refuses with all that came in the same batch.
 */
export interface Tracer {
  /** Begins a span where the request is traced; null where it is not. */
  begin(ctx: Context, name: string): Span | null;
  stop(): Promise<void>;
}

/** A piece of work in time. */
export interface Span {
  /** Ends it; `error` is a code. */
  end(error?: string): void;
}

interface ZipkinSpan {
  readonly traceId: string;
  readonly id: string;
  readonly parentId?: string;
  readonly kind: 'SERVER';
  readonly name: string;
  readonly timestamp: number;
  readonly duration: number;
  readonly localEndpoint: { readonly serviceName: string };
  readonly tags: Readonly<Record<string, string>>;
}

/** What is not sent within this is dropped: traces are a sample anyway. */
const mostSpans = 5000;
const sendEveryMs = 2000;
const sendTimeoutMs = 5000;

const tracers = new WeakMap<ServiceBroker, Tracer>();

/** The tracer of a broker; undefined where TRACING_URL is unset. */
export function tracerOf(broker: ServiceBroker): Tracer | undefined {
  return tracers.get(broker);
}

/** Begins to trace, if TRACING_URL says where to. */
export function openTracer(broker: ServiceBroker, { TRACING_URL, TRACING_SAMPLE }: Config): void {
  if (TRACING_URL === undefined) return;
  tracers.set(broker, newTracer(broker, TRACING_URL, TRACING_SAMPLE));
}

function newTracer(broker: ServiceBroker, url: string, sample: number): Tracer {
  const spans: ZipkinSpan[] = [];
  const flush = () => send(spans.splice(0), url, broker.logger);
  const timer = setInterval(flush, sendEveryMs);
  timer.unref();
  return {
    begin(ctx, name) {
      ctx.tracing ??= Math.random() < sample;
      if (!ctx.tracing) return null;
      const startedMs = performance.timeOrigin + performance.now();
      return {
        end(error) {
          if (spans.length < mostSpans) spans.push(spanOf(ctx, name, startedMs, broker.nodeID, error));
        },
      };
    },
    async stop() {
      clearInterval(timer);
      await flush();
    },
  };
}

function spanOf(
  ctx: Context,
  name: string,
  startedMs: number,
  node: string,
  error: string | undefined,
): ZipkinSpan {
  const tookMs = performance.timeOrigin + performance.now() - startedMs;
  return {
    traceId: traceId(ctx.requestID ?? ctx.id),
    id: spanId(ctx.id),
    ...(ctx.parentID === null || ctx.parentID === undefined ? {} : { parentId: spanId(ctx.parentID) }),
    kind: 'SERVER',
    name,
    timestamp: Math.round(startedMs * 1000),
    duration: Math.max(1, Math.round(tookMs * 1000)),
    localEndpoint: { serviceName: ctx.service?.name ?? 'pulsebus' },
    tags: {
      node,
      ...(ctx.requestID === null ? {} : { request_id: ctx.requestID }),
      ...(error === undefined ? {} : { error }),
    },
  };
}

/** 32 hex digits for any request id: a UUID's own, else those of a hash. */
export function traceId(requestId: string): string {
  const digits = requestId.replaceAll('-', '').toLowerCase();
  return /^[0-9a-f]{32}$/.test(digits)
    ? digits
    : createHash('sha256').update(requestId).digest('hex').slice(0, 32);
}

function spanId(id: string): string {
  return traceId(id).slice(0, 16);
}

async function send(spans: readonly ZipkinSpan[], url: string, logger: Logger): Promise<void> {
  if (spans.length === 0) return;
  try {
    const answer = await fetch(url, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(spans),
      signal: AbortSignal.timeout(sendTimeoutMs),
    });
    await answer.body?.cancel();
    if (!answer.ok) logger.warn('tracing.refused', { status: answer.status, spans: spans.length });
  } catch (error) {
    logger.warn('tracing.not_sent', {
      name: error instanceof Error ? error.name : undefined,
      spans: spans.length,
    });
  }
}
