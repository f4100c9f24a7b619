/** The type of a metric in Prometheus. */
type MetricKind = 'counter' | 'gauge' | 'histogram';

/** One metric: its help text and its labels. No label contains a user, a credential or a health value. */
export interface MetricDefinition {
  readonly kind: MetricKind;
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds in seconds, of histograms. */
  readonly buckets?: readonly number[];
  /** The name and unit by OpenTelemetry's semantic conventions, if they have the metric. */
  readonly otlp?: { readonly name: string; readonly unit: string };
}

const answerBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30] as const;
const behindBuckets = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200, 43_200] as const;

/** The metrics by their names at /metrics. */
export const metricTable = {
  pulsebus_http_requests_total: {
    kind: 'counter',
    help: 'Answered requests by route pattern.',
    labels: ['route', 'method', 'status'],
  },
  pulsebus_http_request_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the head of a request to the end of its answer.',
    labels: ['route', 'method'],
    buckets: answerBuckets,
  },
  http_server_request_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of HTTP server requests.',
    labels: ['http.request.method', 'http.route', 'http.response.status_code', 'url.scheme'],
    buckets: answerBuckets,
    otlp: { name: 'http.server.request.duration', unit: 's' },
  },
  pulsebus_http_requests_in_flight: {
    kind: 'gauge',
    help: 'Requests in progress.',
    labels: [],
  },
  pulsebus_sample_bytes: {
    kind: 'gauge',
    help: 'Space of samples on disk with indexes, by kind: plain or compressed.',
    labels: ['kind'],
  },
  pulsebus_http_connections: {
    kind: 'gauge',
    help: 'Open HTTP connections of the gateway.',
    labels: [],
  },
  pulsebus_webhook_body_bytes: {
    kind: 'gauge',
    help: 'Memory that the gateway uses for webhook bodies that are not stored yet.',
    labels: [],
  },
  pulsebus_action_duration_seconds: {
    kind: 'histogram',
    help: 'Duration of an action in the process that ran it.',
    labels: ['action', 'outcome'],
    buckets: answerBuckets,
  },
  pulsebus_freshness: {
    kind: 'gauge',
    help: 'Kinds of data of connections by state: fresh, late, stale, silent or paused.',
    labels: ['provider', 'state'],
  },
  pulsebus_deliveries: {
    kind: 'gauge',
    help: 'Deliveries by state: waiting, working, or dead (dead letters).',
    labels: ['provider', 'state'],
  },
  pulsebus_oldest_delivery_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest delivery that is not done. 0 if there is none.',
    labels: ['provider'],
  },
  pulsebus_deliveries_worked_total: {
    kind: 'counter',
    help: 'Attempts at a delivery by the resulting state.',
    labels: ['provider', 'kind', 'state'],
  },
  pulsebus_upload_items_set_aside_total: {
    kind: 'counter',
    help: 'Items of uploads that were set aside, by the field that is wrong. `unit`: the unit is not known for the type.',
    labels: ['field'],
  },
  pulsebus_delivery_readable_seconds: {
    kind: 'histogram',
    help: 'Time from the receipt of a delivery until its data can be read.',
    labels: ['provider', 'kind'],
    buckets: behindBuckets,
  },
  pulsebus_jobs_total: {
    kind: 'counter',
    help: 'Attempts at a job by outcome.',
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
    help: 'Jobs in jobs.job by state: waiting, leased, or dead (dead letters).',
    labels: ['kind', 'state'],
  },
  pulsebus_webhook_attempts_total: {
    kind: 'counter',
    help: 'Attempts to deliver a message to a webhook endpoint, by outcome.',
    labels: ['endpoint', 'outcome'],
  },
  pulsebus_webhook_received_seconds: {
    kind: 'histogram',
    help: 'From the commit of a change until its webhook endpoint confirmed it.',
    labels: ['endpoint'],
    buckets: behindBuckets,
  },
  pulsebus_webhook_messages_waiting: {
    kind: 'gauge',
    help: 'Messages of a webhook endpoint that are not delivered yet.',
    labels: ['endpoint'],
  },
  pulsebus_changes_oldest_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest change that is due and not published.',
    labels: [],
  },
  pulsebus_webhook_oldest_message_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest change that is not delivered to a webhook endpoint yet; 0 without one.',
    labels: ['endpoint'],
  },
  pulsebus_activity_fetches: {
    kind: 'gauge',
    help: 'Activities to fetch from the activity platform, by state.',
    labels: ['state'],
  },
  pulsebus_provider_budget_left: {
    kind: 'gauge',
    help: 'Remaining requests of a provider quota, by window (quarter of an hour, day).',
    labels: ['provider', 'window'],
  },
  pulsebus_provider_budget_limit: {
    kind: 'gauge',
    help: 'Requests of a provider quota per window.',
    labels: ['provider', 'window'],
  },
  pulsebus_provider_paused: {
    kind: 'gauge',
    help: '1 while requests to a provider are paused at its request, else 0.',
    labels: ['provider'],
  },
  pulsebus_provider_requests: {
    kind: 'gauge',
    help: 'Requests to a provider in the last 15 minutes, by outcome.',
    labels: ['provider', 'outcome'],
  },
  pulsebus_unlisted_fields_total: {
    kind: 'counter',
    help: 'Fields of received items that no field table lists (docs/data.md), by name. Their values are not kept.',
    labels: ['provider', 'data_type', 'field'],
  },
  pulsebus_samples_stored_total: {
    kind: 'counter',
    help: 'Inserted and updated samples.',
    labels: ['provider'],
  },
  pulsebus_database_connections: {
    kind: 'gauge',
    help: 'Database connections of the process by state: idle, used, or waiting (calls that wait for one).',
    labels: ['state', 'planning', 'server'],
  },
  pulsebus_database_connections_limit: {
    kind: 'gauge',
    help: 'Maximum number of connections of a pool.',
    labels: ['planning', 'server'],
  },
  pulsebus_database_reads_total: {
    kind: 'counter',
    help: 'Statements of reads by server: the replica of DATABASE_READ_URL, or the primary.',
    labels: ['server'],
  },
  pulsebus_event_loop_lag_seconds: {
    kind: 'gauge',
    help: 'Delay of timers since the last scrape, by quantile.',
    labels: ['quantile'],
  },
  pulsebus_event_loop_utilization: {
    kind: 'gauge',
    help: 'Share of the time since the last scrape in which the event loop was busy.',
    labels: [],
  },
  process_resident_memory_bytes: { kind: 'gauge', help: 'Resident memory of the process.', labels: [] },
  nodejs_heap_used_bytes: { kind: 'gauge', help: 'Used heap of the process.', labels: [] },
  process_cpu_seconds_total: { kind: 'counter', help: 'Processor time of the process.', labels: [] },
  process_start_time_seconds: {
    kind: 'gauge',
    help: 'Start time of the process in Unix seconds.',
    labels: [],
  },
} as const satisfies Readonly<Record<string, MetricDefinition>>;

/** The name of a metric. */
export type MetricName = keyof typeof metricTable;

/** The labels of a metric, each with a value. */
export type LabelsOf<N extends MetricName> = Readonly<
  Record<(typeof metricTable)[N]['labels'][number], string | number>
>;
