import type { ServiceBroker } from 'moleculer';
import type { LabelsOf, MetricName } from './metric-table.ts';

/** The metrics of one process. sdk-metrics.ts implements them. */
export interface Metrics {
  /** Everything is discarded, so that nothing needs to be measured. */
  readonly isOff?: true;
  /** Increments a counter. */
  count<N extends MetricName>(name: N, labels: LabelsOf<N>, by?: number): void;
  /** Sets a gauge for the current scrape. Gauges that are not set are omitted. */
  set<N extends MetricName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Adds a value to a histogram, in the unit of the metric's name. */
  observe<N extends MetricName>(name: N, labels: LabelsOf<N>, value: number): void;
  /** Calls `collect` before each scrape, to set gauges. Returns the function that ends it. */
  onScrape(collect: () => Promise<void> | void): () => void;
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>;
  /** Sends what is collected, and ends the sending. */
  stop(): Promise<void>;
}

const opened = new WeakMap<ServiceBroker, Metrics>();
const nothing: Metrics = {
  isOff: true,
  count: () => undefined,
  set: () => undefined,
  observe: () => undefined,
  onScrape: () => () => undefined,
  text: async () => '',
  stop: async () => undefined,
};

/** The metrics of a broker that has started. They are discarded if neither METRICS_PORT nor an OTLP endpoint is set. */
export function metricsOf(broker: ServiceBroker): Metrics {
  return opened.get(broker) ?? nothing;
}

/** Sets the metrics of a broker, before its services start. */
export function provideMetrics(broker: ServiceBroker, metrics: Metrics): void {
  opened.set(broker, metrics);
}
