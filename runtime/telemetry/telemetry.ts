import type { Middleware, ServiceBroker } from 'moleculer';
import type { Config } from '../../config.ts';
import { metricsOf, provideMetrics } from './metrics.ts';
import { endMetrics, serveMetrics } from './metrics-server.ts';
import { actionSpans, provideTracing, type Tracing } from './tracing.ts';

/**
 * Metrics and traces of a broker by its settings. The SDK of OpenTelemetry is loaded only if METRICS_PORT or an OTLP
 * endpoint is set.
 */
export function telemetry(config: Config): Middleware {
  const tracesUrl = otlpUrl(config, 'traces', config.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT);
  let tracing: Tracing | undefined;
  return {
    name: 'telemetry',
    ...(tracesUrl === undefined ? {} : actionSpans),
    async starting(broker) {
      await startMetrics(broker, config);
      if (tracesUrl === undefined) return;
      tracing = (await import('./otlp.ts')).newTracing(broker, config, tracesUrl);
      provideTracing(broker, tracing);
    },
    async started(broker) {
      if (config.METRICS_PORT !== undefined) await serveMetrics(broker, config);
    },
    async stopped(broker) {
      await endMetrics(broker);
      await Promise.allSettled([metricsOf(broker).stop(), tracing?.stop()]); // what cannot be sent is dropped
    },
  };
}

async function startMetrics(broker: ServiceBroker, config: Config): Promise<void> {
  const url = otlpUrl(config, 'metrics', config.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT);
  if (url === undefined && config.METRICS_PORT === undefined) return;
  const { openMetrics } = await import('./sdk-metrics.ts');
  const push = url === undefined ? undefined : (await import('./otlp.ts')).metricsPush(broker, config, url);
  provideMetrics(broker, openMetrics(push, config.METRICS_PORT !== undefined));
}

/** Where a signal is sent; undefined if no setting says so. */
function otlpUrl({ OTEL_EXPORTER_OTLP_ENDPOINT: base }: Config, signal: string, own: string | undefined) {
  return own ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/${signal}`);
}
