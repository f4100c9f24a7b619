import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServiceBroker } from 'moleculer';
import { type LabelsOf, type MetricDefinition, type MetricName, metricTable } from './metric-table.ts';

/**
 * Figures of one process for Prometheus. Moleculer's own metrics are left off: its middleware measures every call
 * several times over, its reporter leaves the sum and count out of a histogram, tells the command line, and ends
 * the process where its port is taken. ARCHITECTURE.md has what both cost.
 */
export interface Metrics {
  count<N extends MetricName>(name: N, labels: LabelsOf<N>, by?: number): void;
  /** Of a gauge, for the look in work: what is not set anew is not told, so that nobody reads an old value as new. */
  set<N extends MetricName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** `value` in the unit of the metric's name. */
  observe<N extends MetricName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Is asked before every look, to set what has to be read somewhere; returns what ends that. */
  onScrape(collect: Collect): () => void;
  /** All figures in Prometheus' text format. */
  text(): Promise<string>;
}

type Collect = () => Promise<void> | void;

interface Series {
  readonly labels: string;
  value: number;
  /** Of histograms: how many fell into each bucket, and the count of all in `count`. */
  readonly buckets: number[];
  count: number;
}

/** Prometheus waits 10 s for a look unless told. */
const patienceMs = 3000;

const opened = new WeakMap<ServiceBroker, Metrics>();
const nothing: Metrics = {
  count: () => undefined,
  set: () => undefined,
  observe: () => undefined,
  onScrape: () => () => undefined,
  text: async () => '',
};

/** The figures of a broker; where METRICS_PORT is unset they are thrown away. */
export function metricsOf(broker: ServiceBroker): Metrics {
  return opened.get(broker) ?? nothing;
}

/** Begins to keep the figures of a broker. */
export function openMetrics(broker: ServiceBroker): Metrics {
  const metrics = newMetrics();
  opened.set(broker, metrics);
  metrics.onScrape(processFigures(metrics));
  return metrics;
}

/** An empty set of figures. */
export function newMetrics(): Metrics {
  const families = new Map(Object.keys(metricTable).map((name) => [name, new Map<string, Series>()]));
  const collectors = new Set<Collect>();
  let looking: Promise<string> | null = null;
  const seriesOf = (name: MetricName, labels: Readonly<Record<string, string | number>>): Series => {
    const { labels: names }: MetricDefinition = metricTable[name];
    let key = '';
    for (const label of names) key += `${labels[label]}\0`;
    const family = families.get(name);
    const series = family?.get(key) ?? newSeries(name, labels);
    family?.set(key, series);
    return series;
  };
  const look = async () => {
    for (const [name, family] of families) if (kindOf(name) === 'gauge') family.clear();
    await Promise.allSettled([...collectors].map(async (collect) => Promise.race([collect(), patience()])));
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
    // Who asks while somebody looks gets the same: figures that need the database are never read twice at once.
    text() {
      looking ??= look().finally(() => {
        looking = null;
      });
      return looking;
    },
  };
}

function kindOf(name: string): string {
  return metricTable[name as MetricName].kind; // families are made of the table's names
}

// A database that does not answer must not cost the figures that would show it.
function patience(): Promise<void> {
  return sleep(patienceMs, undefined, { ref: false });
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
  const definition: MetricDefinition = metricTable[name as MetricName]; // families are made of the table's names
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

function processFigures(metrics: Metrics): Collect {
  const delay = monitorEventLoopDelay({ resolution: 10 });
  delay.enable();
  let utilization = performance.eventLoopUtilization();
  const started = Date.now() / 1000 - process.uptime();
  let cpuSeconds = 0;
  return () => {
    // The timer itself takes 10 ms; before its first turn the histogram holds nonsense.
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
