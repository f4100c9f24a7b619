import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BatchObservableResult, Counter, Histogram, ObservableGauge } from '@opentelemetry/api';
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus';
import type { Resource } from '@opentelemetry/resources';
import {
  AggregationTemporality,
  InstrumentType,
  MeterProvider,
  MetricReader,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
} from '@opentelemetry/sdk-metrics';
import { type MetricDefinition, metricTable } from './metric-table.ts';
import type { Metrics } from './metrics.ts';

/** A scrape waits this long for a collector. The default timeout of Prometheus is 10 s. */
const collectTimeoutMs = 3000;
/** Further series of a metric are one, with the label otel_metric_overflow. */
const mostSeries = 10_000;
/** Without timestamps, and without the series and labels that describe the library. */
const serializer = new PrometheusSerializer('', false, undefined, true, true);

/** Where metrics are pushed, and as what. */
export interface Push {
  readonly resource: Resource;
  readonly exporter: PushMetricExporter;
}

/** Metrics in the SDK of OpenTelemetry: read as text unless `isScraped` is false, and pushed if there is an exporter. */
export function newMetrics(push?: Push, isScraped = true): Metrics {
  const reader = new ScrapeReader();
  // Each reader stores all values of its own.
  const readers = [
    ...(isScraped ? [reader] : []),
    ...(push === undefined ? [] : [pushReader(push.exporter)]),
  ];
  const provider = new MeterProvider({ readers, ...(push === undefined ? {} : { resource: push.resource }) });
  const { counters, histograms, gauges, meter } = instrumentsOf(provider);
  const collectors = new Set<() => Promise<void> | void>();
  const scrapes = new Set<BatchObservableResult>();
  let scraping: Promise<string> | null = null;
  meter.addBatchObservableCallback(
    async (scrape) => {
      scrapes.add(scrape);
      await Promise.allSettled([...collectors].map(async (collect) => Promise.race([collect(), timeout()])));
      scrapes.delete(scrape);
    },
    [...gauges.values()],
  );
  return {
    count: (name, labels, by = 1) => counters.get(name)?.add(by, labels),
    set(name, labels, value) {
      const gauge = gauges.get(name);
      if (gauge !== undefined) for (const scrape of scrapes) scrape.observe(gauge, value, labels);
    },
    observe: (name, labels, value) => histograms.get(name)?.record(value, labels),
    onScrape(collect) {
      collectors.add(collect);
      return () => collectors.delete(collect);
    },
    // Concurrent scrapes share one result, so that metrics from the database are read once.
    text() {
      scraping ??= textOf(reader).finally(() => {
        scraping = null;
      });
      return scraping;
    },
    stop: () => provider.shutdown(),
  };
}

/** The metrics of this process, with those of the process itself. */
export function openMetrics(push: Push | undefined, isScraped: boolean): Metrics {
  const metrics = newMetrics(push, isScraped);
  metrics.onScrape(processMetrics(metrics));
  return metrics;
}

class ScrapeReader extends MetricReader {
  constructor() {
    super({ aggregationTemporalitySelector: temporalityOf, cardinalitySelector: () => mostSeries });
  }

  protected override async onForceFlush() {}
  protected override async onShutdown() {}
}

function pushReader(exporter: PushMetricExporter): MetricReader {
  exporter.selectAggregationTemporality = temporalityOf;
  return new PeriodicExportingMetricReader({ exporter, cardinalityLimits: { default: mostSeries } });
}

// The SDK repeats cumulative values that were not set again: a gauge of a deleted endpoint would stay for ever.
function temporalityOf(type: InstrumentType): AggregationTemporality {
  return type === InstrumentType.OBSERVABLE_GAUGE
    ? AggregationTemporality.DELTA
    : AggregationTemporality.CUMULATIVE;
}

function instrumentsOf(provider: MeterProvider) {
  const meter = provider.getMeter('pulsebus');
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  const gauges = new Map<string, ObservableGauge>();
  for (const [name, definition] of Object.entries<MetricDefinition>(metricTable)) {
    const { kind, help: description, otlp = { name, unit: '' }, buckets = [] } = definition;
    const advice = { explicitBucketBoundaries: [...buckets] };
    if (kind === 'counter') counters.set(name, meter.createCounter(name, { description }));
    if (kind === 'gauge') gauges.set(name, meter.createObservableGauge(name, { description }));
    if (kind === 'histogram')
      histograms.set(name, meter.createHistogram(otlp.name, { description, unit: otlp.unit, advice }));
  }
  return { counters, histograms, gauges, meter };
}

async function textOf(reader: MetricReader): Promise<string> {
  const { resourceMetrics } = await reader.collect();
  const text = serializer.serialize(resourceMetrics);
  // The serializer does not append the unit of the one metric that has a unit.
  return text.replaceAll(/(?<=^(# \w+ )?)http_server_request_duration/gm, '$&_seconds');
}

// If the database does not answer, the metrics of the process are still exported.
function timeout(): Promise<void> {
  return sleep(collectTimeoutMs, undefined, { ref: false });
}

/** Sets the metrics of this process. To be called before each scrape. */
function processMetrics(metrics: Metrics): () => void {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let utilization = performance.eventLoopUtilization();
  const started = Date.now() / 1000 - process.uptime();
  let cpuSeconds = 0;
  return () => {
    // The timer itself takes 10 ms. Before its first run the histogram has no valid values.
    for (const [quantile, nanoseconds] of [
      ['0.5', delay.percentile(50)],
      ['0.99', delay.percentile(99)],
      ['1', delay.max],
    ] as const)
      metrics.set(
        'pulsebus_event_loop_lag_seconds',
        { quantile },
        delay.count === 0 ? 0 : Math.max(0, nanoseconds / 1e9 - 0.01),
      );
    delay.reset();
    const now = performance.eventLoopUtilization();
    metrics.set(
      'pulsebus_event_loop_utilization',
      {},
      performance.eventLoopUtilization(now, utilization).utilization,
    );
    utilization = now;
    const { rss, heapUsed } = process.memoryUsage();
    metrics.set('process_resident_memory_bytes', {}, rss);
    metrics.set('nodejs_heap_used_bytes', {}, heapUsed);
    const { user, system } = process.cpuUsage();
    metrics.count('process_cpu_seconds_total', {}, (user + system) / 1e6 - cpuSeconds);
    cpuSeconds = (user + system) / 1e6;
    metrics.set('process_start_time_seconds', {}, started);
  };
}
