/** What the role of a service may do in the database. */
export interface ServiceRights {
  /** Its own schemas: all rows of all tables, all sequences and functions. */
  readonly schemas: readonly string[];
  /** Tables of other schemas, with the privileges on them. */
  readonly tables: Readonly<Record<string, string>>;
  /** Functions and sequences of other schemas. */
  readonly functions: readonly string[];
  readonly sequences: readonly string[];
  /** The first part of the kinds of its jobs: it sees only these rows of jobs.job. */
  readonly jobs?: string;
  /** It also reads, repeats and deletes the jobs of others, and enqueues none of them. */
  readonly operatesJobs?: true;
  /** It sees the deliveries of all providers. Others see those of the providers that they ingest. */
  readonly seesAllDeliveries?: true;
}

/** The rights on jobs.job of a role that has jobs. A job keeps its kind and key. */
export const jobPrivileges =
  'select, insert, delete, update (lane, run_at, leased, attempt, failures, crashes, version, cancelled, payload, error, created_at, dead_at)';

const audit = ['auth.record_audit(text, text, text, uuid, uuid, jsonb, text)'];
// Whoever works on deliveries claims, answers and finishes them. Bodies are inserted by the gateway only.
const inbox = { 'deliveries.delivery': 'select, update', 'deliveries.progress': 'select, insert, update' };
const sealed = { 'deliveries.sealed_body': 'select' };
const columns = 'provider, kind, headers, body, attempts, run_at, sender';

const own = (...schemas: string[]): ServiceRights => ({ schemas, tables: {}, functions: [], sequences: [] });

/** The rights of each service. A service without an entry uses no database. */
export const serviceRights: Readonly<Record<string, ServiceRights>> = {
  'activitynet-ingest': { ...own('activitynet'), tables: inbox, functions: audit, jobs: 'activitynet' },
  'api-gateway': {
    ...own('gateway'),
    tables: {
      'deliveries.delivery': `insert (${columns}), select (id, provider, state, answer)`,
    },
    functions: audit,
    jobs: 'gateway',
    seesAllDeliveries: true,
  },
  auth: { ...own('auth'), functions: ['users.project_of(uuid)', 'users.live_of(uuid[])'], jobs: 'auth' },
  backfill: { ...own('backfill'), functions: audit },
  connect: { ...own('connect'), functions: [...audit, 'users.live_of(uuid[])'], jobs: 'connect' },
  deliveries: {
    ...own('deliveries'),
    functions: audit,
    jobs: 'deliveries',
    operatesJobs: true,
    seesAllDeliveries: true,
  },
  destinations: {
    ...own('destinations'),
    // What is copied, and where it is found.
    tables: {
      'changes.change': 'select',
      'changes.expired': 'select',
      'timeseries.day_value': 'select',
      'timeseries.interval_value': 'select',
      'timeseries.provider_day': 'select',
      'timeseries.sample': 'select',
      'timeseries.sample_day': 'select',
      'timeseries.score': 'select',
      'timeseries.series': 'select',
      'timeseries.sleep_session': 'select',
      'timeseries.workout': 'select',
      'users.person': 'select (id, project_id, external_user_id, time_zone, created_at, deleted_at)',
    },
    functions: [
      ...audit,
      'timeseries.score_of_sleep(integer, jsonb)',
      'timeseries.scores_of_day(jsonb)',
      'timeseries.day_score_id(uuid, text)',
    ],
    jobs: 'destinations',
  },
  'devicemaker-ingest': { ...own(), tables: { ...inbox, ...sealed } },
  fhir: { ...own('fhir') },
  'file-import': { ...own('imports'), functions: audit, jobs: 'file-import' },
  freshness: { ...own('freshness'), functions: [...audit, 'users.live_of(uuid[])'], jobs: 'freshness' },
  insights: { ...own('insights'), functions: [...audit, 'users.live_of(uuid[])'], jobs: 'insights' },
  'phone-ingest': {
    ...own('phone'),
    tables: { ...inbox, ...sealed },
    functions: audit,
    jobs: 'phone-ingest',
  },
  'pull-ingest': { ...own('pull'), tables: inbox, functions: audit, jobs: 'pull-ingest' },
  timeseries: {
    ...own('timeseries'),
    tables: { 'changes.summary_type': 'select, insert, delete' },
    functions: audit,
    jobs: 'timeseries',
  },
  users: {
    ...own('users'),
    // Changes that were not published for days are deleted by this service, which runs where webhooks does not.
    tables: { 'changes.pending': 'select, update, delete', 'changes.expired': 'select, update' },
    functions: [...audit, 'changes.lock_publishing(boolean)', 'connect.withdraw_consents(uuid, text)'],
    sequences: ['changes.change_id_seq'],
    jobs: 'users',
  },
  webhooks: { ...own('webhooks', 'changes'), functions: audit, jobs: 'webhooks' },
};

/** The schemas of the product. */
export const schemas: readonly string[] = [
  ...new Set([...Object.values(serviceRights).flatMap((rights) => rights.schemas), 'jobs']),
];

/** The name of a service's role. */
export const roleOf = (service: string) => `pulsebus_${service.replaceAll('-', '_')}`;
