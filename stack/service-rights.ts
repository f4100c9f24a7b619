/** What the role of a service may do in the database. */
export interface ServiceRights {
  /** Its own schemas: all rows of all tables, all sequences and functions. */
  readonly schemas: readonly string[];
  /** Tables of other schemas, with the privileges on them. */
  readonly tables: Readonly<Record<string, string>>;
  /** Functions and sequences of other schemas. */
  readonly functions: readonly string[];
  readonly sequences: readonly string[];
}

const audit = ['auth.record_audit(text, text, text, uuid, uuid, jsonb)'];
const jobs = { 'jobs.job': 'select, insert, update, delete' };
// Whoever works on deliveries claims, answers and finishes them. Bodies are inserted by the gateway only.
const inbox = { 'deliveries.delivery': 'select, update', 'deliveries.progress': 'select, insert, update' };
const sealed = { 'deliveries.sealed_body': 'select' };
const columns =
  'provider, kind, headers, body, priority, attempts, run_at, authenticated, sender, received_bytes';

const own = (...schemas: string[]): ServiceRights => ({ schemas, tables: {}, functions: [], sequences: [] });

/** The rights of each service. A service without an entry uses no database. */
export const serviceRights: Readonly<Record<string, ServiceRights>> = {
  'activitynet-ingest': { ...own('activitynet'), tables: { ...jobs, ...inbox }, functions: audit },
  'api-gateway': {
    ...own('gateway'),
    tables: {
      ...jobs,
      'deliveries.delivery': `insert (${columns}), select (id, provider, state, answer, sender, received_bytes)`,
      'deliveries.stored': 'select, insert, update',
    },
    functions: audit,
  },
  auth: { ...own('auth'), tables: jobs },
  backfill: { ...own('backfill'), functions: audit },
  connect: { ...own('connect'), tables: jobs, functions: audit },
  deliveries: { ...own('deliveries'), tables: jobs, functions: audit },
  'devicemaker-ingest': { ...own(), tables: { ...inbox, ...sealed } },
  'phone-ingest': { ...own('phone'), tables: { ...jobs, ...inbox, ...sealed }, functions: audit },
  'pull-ingest': { ...own('pull'), tables: { ...jobs, ...inbox }, functions: audit },
  timeseries: {
    ...own('timeseries'),
    tables: { ...jobs, 'changes.summary_type': 'select, insert, delete' },
    functions: audit,
  },
  users: {
    ...own('users'),
    // Changes that were not published for days are deleted by this service, which runs where webhooks does not.
    tables: { ...jobs, 'changes.pending': 'select, update, delete', 'changes.expired': 'select, update' },
    functions: [...audit, 'changes.lock_publishing(boolean)'],
    sequences: ['changes.change_id_seq'],
  },
  webhooks: { ...own('webhooks', 'changes'), tables: jobs, functions: audit },
};

/** The schemas of the product. */
export const schemas: readonly string[] = [
  ...new Set([...Object.values(serviceRights).flatMap((rights) => rights.schemas), 'jobs']),
];

/** The name of a service's role. */
export const roleOf = (service: string) => `pulsebus_${service.replaceAll('-', '_')}`;
