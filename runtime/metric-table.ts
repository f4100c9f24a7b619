/** How a metric behaves: it only grows, it moves, or it sorts durations into buckets. */
export type MetricKind = 'counter' | 'gauge' | 'histogram';

/** One metric: what it says, and the labels that every value of it has. Never a user, a credential or a value. */
export interface MetricDefinition {
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in seconds, of histograms. */
  readonly buckets?: readonly number[];
}

const answerBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const behindBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43_200] as const;

/** Every metric of ours, by its name at /metrics. */
export const metricTable = {
  pulsebus_http_requests_total: {
    kind: 'counter',
    help: 'Requests that were answered, by route pattern.',
    labels: ['route', 'method', 'status'],
  },
  pulsebus_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'From the head of a request to the end of its answer.',
    labels: ['route', 'method'],
    buckets: answerBuckets,
  },
  pulsebus_http_requests_in_flight: {
    kind: 'gauge',
    help: 'Requests that are being answered.',
    labels: [],
  },
  pulsebus_http_connections: {
    kind: 'gauge',
    help: 'Open connections of a gateway.',
    labels: [],
  },
  pulsebus_webhook_body_bytes: {
    kind: 'gauge',
    help: 'Memory of a gateway for bodies of webhooks that are not stored yet.',
    labels: [],
  },
  pulsebus_stored_delivery_bytes: {
    kind: 'gauge',
    help: 'Deliveries that are kept, in bytes of their bodies as they came.',
    labels: [],
  },
  pulsebus_action_duration_seconds: {
    kind: 'histogram',
    help: 'Calls of the bus, where they were worked on.',
    labels: ['action', 'outcome'],
    buckets: answerBuckets,
  },
  pulsebus_deliveries: {
    kind: 'gauge',
    help: 'Deliveries that wait, are in work, or were given up (dead).',
    labels: ['provider', 'state'],
  },
  pulsebus_oldest_delivery_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest delivery that is not done; 0 where there is none.',
    labels: ['provider'],
  },
  pulsebus_deliveries_worked_total: {
    kind: 'counter',
    help: 'Attempts to work on a delivery, by the state that came of them.',
    labels: ['provider', 'kind', 'state'],
  },
  pulsebus_delivery_readable_seconds: {
    kind: 'histogram',
    help: 'From the receipt of a delivery until its data can be read.',
    labels: ['provider', 'kind'],
    buckets: behindBuckets,
  },
  pulsebus_jobs_total: {
    kind: 'counter',
    help: 'Attempts at a job, by their outcome.',
    labels: ['kind', 'outcome'],
  },
  pulsebus_job_seconds: {
    kind: 'histogram',
    help: 'Duration of an attempt at a job.',
    labels: ['kind'],
    buckets: behindBuckets,
  },
  pulsebus_jobs_waiting: {
    kind: 'gauge',
    help: 'Jobs of the table jobs.job that wait, are leased, or were given up (dead).',
    labels: ['kind', 'state'],
  },
  pulsebus_activity_fetches: {
    kind: 'gauge',
    help: 'Activities that are still to be fetched from the activity platform, or were given up.',
    labels: ['state'],
  },
  pulsebus_provider_budget_left: {
    kind: 'gauge',
    help: 'Requests that a provider still allows, by window (quarter of an hour, day).',
    labels: ['provider', 'window'],
  },
  pulsebus_provider_budget_limit: {
    kind: 'gauge',
    help: 'Requests that a provider allows a window.',
    labels: ['provider', 'window'],
  },
  pulsebus_provider_paused: {
    kind: 'gauge',
    help: '1 while a provider has told us to wait.',
    labels: ['provider'],
  },
  pulsebus_provider_requests: {
    kind: 'gauge',
    help: 'Our requests to a provider in the last 15 minutes, by outcome.',
    labels: ['provider', 'outcome'],
  },
  pulsebus_samples_stored_total: {
    kind: 'counter',
    help: 'Samples that were written, new or changed.',
    labels: ['provider'],
  },
  pulsebus_database_connections: {
    kind: 'gauge',
    help: "Connections of this process's pools: idle, in use, and calls that wait for one.",
    labels: ['state', 'planning'],
  },
  pulsebus_database_connections_limit: {
    kind: 'gauge',
    help: 'How many connections a pool may have.',
    labels: ['planning'],
  },
  pulsebus_event_loop_lag_seconds: {
    kind: 'gauge',
    help: 'How late timers ran since the last look, by quantile.',
    labels: ['quantile'],
  },
  pulsebus_event_loop_utilization: {
    kind: 'gauge',
    help: 'Share of the time that the event loop was busy since the last look.',
    labels: [],
  },
  process_resident_memory_bytes: { kind: 'gauge', help: 'Memory of this process.', labels: [] },
  nodejs_heap_used_bytes: { kind: 'gauge', help: 'Used heap of this process.', labels: [] },
  process_cpu_seconds_total: { kind: 'counter', help: 'Processor time of this process.', labels: [] },
  process_start_time_seconds: {
    kind: 'gauge',
    help: 'When this process started, in Unix seconds.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The name of a metric. */
export type MetricName = keyof typeof metricTable;

/** The labels of a metric, each with a value. */
export type LabelsOf<N extends MetricName> = Readonly<
  Record<(typeof metricTable)[N]['labels'][number], string | number>
>;
