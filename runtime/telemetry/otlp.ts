import { readFileSync } from 'node:fs';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import type { Logger, ServiceBroker } from 'moleculer';
import type { Config } from '../../config.ts';
import { fieldOf } from '../../domain/error-code.ts';
import type { Push } from './sdk-metrics.ts';
import type { Tracing } from './tracing.ts';

/*
 * What is sent to a collector by OTLP over HTTP. What it does not take within the time-out is dropped: at most 2048 spans wait,
 * and metrics are cumulative.
 */

/** An exporter of the SDK. */
interface Exporter<T> {
  export(items: T, done: (result: { readonly error?: Error }) => void): void;
}

/** The SDK retries a batch within this, also when the process stops. */
const sendTimeoutMs = 3000;
const warnEveryMs = 60_000;
const packageFile = new URL('../../package.json', import.meta.url);

/** What sends the metrics of a broker. */
export function metricsPush({ logger, nodeID }: ServiceBroker, config: Config, url: string): Push {
  const exporter = new OTLPMetricExporter(optionsOf(config, url));
  return { exporter: warnOfFailures(exporter, 'metrics', logger), resource: resourceOf(config, nodeID) };
}

/** What makes and sends the spans of a broker. */
export function newTracing(broker: ServiceBroker, config: Config, url: string): Tracing {
  const exporter = warnOfFailures(new OTLPTraceExporter(optionsOf(config, url)), 'traces', broker.logger);
  const provider = new TracerProvider({
    resource: resourceOf(config, broker.nodeID),
    spanProcessors: [new BatchSpanProcessor({ exporter, scheduledDelayMillis: 2000 })],
  });
  const tracer = provider.getTracer('pulsebus');
  return {
    tracer,
    propagator: new W3CTraceContextPropagator(),
    share: config.TRACING_SAMPLE,
    stop: () => provider.shutdown(),
  };
}

function optionsOf({ OTEL_EXPORTER_OTLP_HEADERS: headers }: Config, url: string) {
  return { url, headers, timeoutMillis: sendTimeoutMs };
}

function resourceOf({ OTEL_RESOURCE_ATTRIBUTES, OTEL_SERVICE_NAME }: Config, nodeID: string): Resource {
  return resourceFromAttributes({
    ...OTEL_RESOURCE_ATTRIBUTES,
    'service.name': OTEL_SERVICE_NAME,
    'service.version': JSON.parse(readFileSync(packageFile, 'utf8')).version,
    'service.instance.id': nodeID,
  });
}

/** Makes an exporter log a warning if the collector does not take its data, at most one a minute. */
function warnOfFailures<T, E extends Exporter<T>>(exporter: E, signal: string, logger: Logger): E {
  const send = exporter.export.bind(exporter);
  let warnedMs = Number.NEGATIVE_INFINITY;
  exporter.export = (items, done) =>
    send(items, (result) => {
      if (result.error !== undefined && performance.now() - warnedMs >= warnEveryMs) {
        warnedMs = performance.now();
        // The message may contain the collector's answer.
        const code = fieldOf(result.error, 'code') ?? result.error.name;
        logger.warn('telemetry.not_sent', { signal, code });
      }
      done(result);
    });
  return exporter;
}
