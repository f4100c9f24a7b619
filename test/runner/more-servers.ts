import type { MadeServers } from '../support/servers/made-servers.ts';

/** Files that make more than one database or broker: how many of each at most. */
export type MoreServers = Readonly<Record<string, MadeServers>>;

const most = (databases: number, brokers: number): MadeServers => ({ databases, brokers });

/** Processes that work beside each other on one database. */
const processes: MoreServers = {
  'test/flow/accesses-killed.test.ts': most(1, 2),
  'test/flow/accesses.test.ts': most(2, 3),
  'test/flow/audit.test.ts': most(1, 2),
  'test/flow/connect-page-outcomes.test.ts': most(1, 5),
  'test/flow/connect-page.test.ts': most(1, 2),
  'test/http/idempotency-gateways.test.ts': most(1, 2),
  'test/http/mcp-gateways.test.ts': most(1, 3),
  'test/http/metrics.test.ts': most(1, 3),
  'test/mixins/inbox-worker.test.ts': most(1, 14),
  'test/mixins/job-queue.test.ts': most(1, 2),
  'test/mixins/jobs.test.ts': most(1, 29),
  'test/mixins/provider-tokens.test.ts': most(1, 7),
  'test/mixins/row-jobs.test.ts': most(1, 3),
  'test/services/activitynet-ingest/event-orders.test.ts': most(1, 3),
  'test/services/activitynet-ingest/records.test.ts': most(1, 2),
  'test/services/deliveries/kept-deliveries.test.ts': most(1, 3),
  'test/services/destinations/postgres-failures.test.ts': most(2, 1),
  'test/services/destinations/postgres.test.ts': most(2, 1),
  'test/services/devicemaker-ingest/ping.test.ts': most(1, 2),
  'test/services/devicemaker-ingest/push.test.ts': most(1, 3),
  'test/services/insights/off.test.ts': most(1, 2),
  'test/services/timeseries/activity-property.test.ts': most(1, 2),
  'test/services/timeseries/night-means-property.test.ts': most(1, 2),
};

/** Cases with settings of their own, which a broker reads when it starts. */
const settings: MoreServers = {
  'test/flow/audit-of-data.test.ts': most(2, 2),
  'test/flow/connect-apart.test.ts': most(6, 8),
  'test/flow/keys-and-tokens.test.ts': most(5, 6),
  'test/http/check-order.test.ts': most(7, 7),
  'test/http/limits.test.ts': most(11, 13),
  'test/http/mcp.test.ts': most(2, 2),
  'test/http/oidc.test.ts': most(3, 3),
  'test/http/password-reset.test.ts': most(4, 4),
  'test/http/sandbox-faults.test.ts': most(3, 3),
  'test/http/tracing.test.ts': most(4, 6),
  'test/http/webhook-address.test.ts': most(8, 9),
  'test/runtime/logger.test.ts': most(2, 3),
  'test/services/auth/admit.test.ts': most(5, 7),
  'test/services/auth/first-developer.test.ts': most(7, 5),
  'test/services/auth/keys.test.ts': most(2, 4),
  'test/services/auth/lifetimes.test.ts': most(3, 3),
  'test/services/auth/log-in-priority.test.ts': most(8, 8),
  'test/services/auth/login.test.ts': most(5, 5),
  'test/services/auth/revoke.test.ts': most(7, 7),
  'test/services/auth/tokens.test.ts': most(3, 5),
  'test/services/auth/window.test.ts': most(2, 2),
  'test/services/connect/create-session.test.ts': most(2, 2),
  'test/services/devicemaker-ingest/types-other.test.ts': most(2, 2),
  'test/services/pull-ingest/notifications.test.ts': most(2, 2),
  'test/services/timeseries/duplicates.test.ts': most(3, 3),
  'test/services/timeseries/retention-rules.test.ts': most(2, 2),
  'test/services/timeseries/samples.test.ts': most(3, 3),
};

/** A process that is killed or restarted, and the one that takes over. */
const restarts: MoreServers = {
  'test/flow/outage-reads.test.ts': most(3, 3),
  'test/flow/rotation.test.ts': most(7, 9),
  'test/services/backfill/chain.test.ts': most(6, 6),
  'test/services/backfill/restart.test.ts': most(5, 10),
  'test/services/devicemaker-ingest/ping-recovery.test.ts': most(4, 6),
  'test/services/webhooks/crashes.test.ts': most(5, 5),
  'test/services/webhooks/requeue.test.ts': most(7, 6),
};

/** Tests that count or change all rows of tables, which users share. */
const wholeTables: MoreServers = {
  'test/bench/webhooks.test.ts': most(2, 0),
  'test/mixins/reads.test.ts': most(2, 2),
  'test/mixins/unpublished-changes.test.ts': most(2, 2),
  'test/services/auth/audit-retention.test.ts': most(4, 0),
  'test/services/auth/changed-between.test.ts': most(7, 8),
  'test/services/auth/end-families.test.ts': most(5, 5),
  'test/services/auth/end-key.test.ts': most(5, 6),
  'test/services/auth/failed-log-in.test.ts': most(2, 0),
  'test/services/deliveries/erasure.test.ts': most(3, 1),
  'test/services/deliveries/status.test.ts': most(2, 2),
  'test/services/timeseries/erase.test.ts': most(5, 7),
  'test/services/timeseries/purge.test.ts': most(4, 6),
  'test/services/timeseries/retention.test.ts': most(11, 11),
  'test/services/timeseries/statistics.test.ts': most(12, 13),
  'test/services/timeseries/store.test.ts': most(4, 4),
  'test/services/users/list.test.ts': most(13, 12),
  'test/services/users/removal.test.ts': most(10, 11),
  'test/services/webhooks/deliver.test.ts': most(13, 12),
  'test/services/backfill/requested-types.test.ts': most(2, 1),
  'test/services/webhooks/endpoint-health.test.ts': most(2, 1),
  'test/services/webhooks/erasure.test.ts': most(5, 5),
  'test/services/webhooks/events.test.ts': most(2, 2),
  'test/services/webhooks/hostile.test.ts': most(8, 8),
  'test/services/webhooks/messages.test.ts': most(8, 8),
  'test/services/webhooks/publish.test.ts': most(11, 9),
  'test/services/webhooks/signatures.test.ts': most(2, 2),
};

/** A quota, a clock and a played provider for each test: what waits in one would be read in the next. */
const quotas: MoreServers = {
  'test/services/activitynet-ingest/crash.test.ts': most(4, 5),
  'test/services/activitynet-ingest/events.test.ts': most(14, 16),
  'test/services/activitynet-ingest/deletions.test.ts': most(7, 11),
  'test/services/activitynet-ingest/history.test.ts': most(8, 11),
  'test/services/activitynet-ingest/limits.test.ts': most(4, 7),
  'test/services/activitynet-ingest/outage.test.ts': most(8, 8),
  'test/services/activitynet-ingest/reconcile.test.ts': most(14, 14),
  'test/services/activitynet-ingest/reconcile-checks.test.ts': most(5, 5),
  'test/services/activitynet-ingest/reconcile-runs.test.ts': most(9, 13),
  'test/services/activitynet-ingest/tokens.test.ts': most(6, 9),
  'test/services/activitynet-ingest/webhook.test.ts': most(4, 5),
};

/** The same data in two databases, which are compared. */
const compared: MoreServers = {
  'test/flow/summaries-edges.test.ts': most(2, 3),
  'test/http/user-isolation.test.ts': most(3, 3),
  'test/http/whole-tables.test.ts': most(2, 2),
  'test/services/timeseries/compression.test.ts': most(2, 1),
  'test/services/timeseries/delete-workout.test.ts': most(2, 2),
};

/** Database servers and buses of the stack are what is tested. */
const servers: MoreServers = {
  'test/mixins/database.test.ts': most(6, 6),
  'test/mixins/shared-connections.test.ts': most(7, 0),
  'test/runtime/database-client.test.ts': most(5, 1),
  'test/stack/backup.test.ts': most(0, 2),
  'test/stack/compose.test.ts': most(2, 13),
  'test/stack/member.test.ts': most(2, 0),
  'test/stack/workers.test.ts': most(3, 0),
};

/** Services of their own in each broker, without a database. */
const services: MoreServers = {
  'test/bench/dataset.test.ts': most(5, 0),
  'test/runtime/answer-check.test.ts': most(0, 2),
  'test/runtime/implement.test.ts': most(0, 2),
  'test/services/users/ended-tokens.test.ts': most(4, 0),
};

/** Copies of the source with a change of their own, each with its database. */
const copies: MoreServers = {
  'test/recipes.test.ts': most(2, 0),
};

/** The files that may make more than one, by reason. Another file makes one of each, or needs an entry here. */
export const moreServers: MoreServers = {
  ...processes,
  ...settings,
  ...restarts,
  ...wholeTables,
  ...quotas,
  ...compared,
  ...servers,
  ...services,
  ...copies,
};

/**
 * What is wrong with the servers that a file made; null if nothing. A file has one database and one broker, or an entry in
 * `allowed`. An entry that a file does not need is wrong too.
 */
export function complaintOfServers(
  file: string,
  made: MadeServers,
  allowed: MoreServers = moreServers,
): string | null {
  const entry = allowed[file];
  const limit = entry ?? most(1, 1);
  if (made.databases > limit.databases || made.brokers > limit.brokers)
    return `${inWords(made)}, not ${inWords(limit)} at most (test/runner/more-servers.ts)`;
  if (entry !== undefined && made.databases <= 1 && made.brokers <= 1)
    return 'needs no entry in test/runner/more-servers.ts';
  return null;
}

const inWords = ({ databases, brokers }: MadeServers) => `${databases} databases and ${brokers} brokers`;
