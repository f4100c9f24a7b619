import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { type LabelsOf, type MetricDefinition, type MetricName, metricTable } from './metric-table.ts';

/**
 * Metrics of one process for Prometheus. Moleculer's own metrics are disabled: its middleware measures every call
 * several times, and its reporter omits the sum and count of a histogram, exports the command line, and ends the process
 * if its port is in use. docs/decisions/0048-metrics.md states the cost of both.
 */
export interface Metrics {
  /** Increments a counter. */
  count<N extends MetricName>(name: N, labels: LabelsOf<N>, by?: number): void;
  /** Sets a gauge for the current scrape. Gauges that are not set are omitted. */
  set<N extends MetricName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Adds a value to a histogram, in the unit of the metric's name. */
  observe<N extends MetricName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Calls `collect` before each scrape, to set gauges. Returns the function that ends it. */
  onScrape(collect: Collect): () => void;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
}

type Collect = () => Promise<void> | void;

interface Series {
  readonly labels: string;
  value: number;
  /** Of histograms: the number of values in each bucket, and in `count` the number of all values. */
  readonly buckets: number[];
  count: number;
}

/** A scrape waits this long for a collector. The default timeout of Prometheus is 10 s. */
const collectTimeoutMs = 3000;

const opened = new WeakMap<ServiceBroker, Metrics>();
const nothing: Metrics = {
  count: () => undefined,
  set: () => undefined,
  observe: () => undefined,
  onScrape: () => () => undefined,
  text: async () => '',
};

/** The metrics of a broker. They are discarded if METRICS_PORT is unset. */
export function metricsOf(broker: ServiceBroker): Metrics {
  return opened.get(broker) ?? nothing;
}

/** Starts the metrics of a broker. */
export function openMetrics(broker: ServiceBroker): Metrics {
  const metrics = newMetrics();
  opened.set(broker, metrics);
  metrics.onScrape(processMetrics(metrics));
  return metrics;
}

/** An empty set of metrics. */
export function newMetrics(): Metrics {
  const families = new Map(Object.keys(metricTable).map((name) => [name, new Map<string, Series>()]));
  const collectors = new Set<Collect>();
  let scraping: Promise<string> | null = null;
  const seriesOf = (name: MetricName, labels: Readonly<Record<string, string | number>>): Series => {
    const { labels: names }: MetricDefinition = metricTable[name];
    let key = '';
    for (const label of names) key += `${labels[label]}\0`;
    const family = families.get(name);
    const series = family?.get(key) ?? newSeries(name, labels);
    family?.set(key, series);
    return series;
  };
  const scrape = async () => {
    for (const [name, family] of families) if (kindOf(name) === 'gauge') family.clear();
    await Promise.allSettled([...collectors].map(async (collect) => Promise.race([collect(), timeout()])));
    return [...families].map(([name, family]) => textOf(name, family)).join('');
  };
  return {
    count(name, labels, by = 1) {
      seriesOf(name, labels).value += by;
    },
    set(name, labels, value) {
      seriesOf(name, labels).value = value;
    },
    observe: (name, labels, value) => observe(seriesOf(name, labels), metricTable[name], value),
    onScrape(collect) {
      collectors.add(collect);
      return () => collectors.delete(collect);
    },
    // Concurrent scrapes share one result, so that metrics from the database are read once.
    text() {
      scraping ??= scrape().finally(() => {
        scraping = null;
      });
      return scraping;
    },
  };
}

function kindOf(name: string): string {
  return metricTable[name as MetricName].kind; // the families have the names of the table
}

// If the database does not answer, the metrics of the process are still exported.
function timeout(): Promise<void> {
  return sleep(collectTimeoutMs, undefined, { ref: false });
}

function newSeries(name: MetricName, labels: Readonly<Record<string, string | number>>): Series {
  const { labels: names, buckets = [] }: MetricDefinition = metricTable[name];
  const text = names.map((label) => `${label}="${escaped(String(labels[label]))}"`).join(',');
  return { labels: text, value: 0, count: 0, buckets: buckets.map(() => 0) };
}

function observe(series: Series, { buckets = [] }: MetricDefinition, value: number): void {
  series.value += value;
  series.count += 1;
  const index = buckets.findIndex((bound) => value <= bound);
  if (index >= 0) series.buckets[index] = (series.buckets[index] ?? 0) + 1;
}

function escaped(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n');
}

function textOf(name: string, family: ReadonlyMap<string, Series>): string {
  const definition: MetricDefinition = metricTable[name as MetricName]; // the families have the names of the table
  const lines = [...family.values()].flatMap((series) =>
    definition.kind === 'histogram'
      ? histogramLines(name, series, definition)
      : [`${name}${braced(series.labels)} ${series.value}`],
  );
  const head = [`# HELP ${name} ${definition.help}`, `# TYPE ${name} ${definition.kind}`];
  return `${[...head, ...lines].join('\n')}\n`;
}

function histogramLines(name: string, series: Series, { buckets = [] }: MetricDefinition): string[] {
  const comma = series.labels === '' ? '' : ',';
  let below = 0;
  const lines = buckets.map((bound, index) => {
    below += series.buckets[index] ?? 0;
    return `${name}_bucket{${series.labels}${comma}le="${bound}"} ${below}`;
  });
  return [
    ...lines,
    `${name}_bucket{${series.labels}${comma}le="+Inf"} ${series.count}`,
    `${name}_sum${braced(series.labels)} ${series.value}`,
    `${name}_count${braced(series.labels)} ${series.count}`,
  ];
}

function braced(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function processMetrics(metrics: Metrics): Collect {
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
