import type { PlantedFault } from '../planted.ts';
import { activitynetIngest } from './activitynet-ingest.ts';
import { apiGateway } from './api-gateway.ts';
import { auth } from './auth.ts';
import { backfill } from './backfill.ts';
import { clients } from './clients.ts';
import { conformance } from './conformance.ts';
import { connect } from './connect.ts';
import { consolePages } from './console.ts';
import { deliveries } from './deliveries.ts';
import { destinationCopies } from './destination-copies.ts';
import { destinations } from './destinations.ts';
import { devicemakerIngest } from './devicemaker-ingest.ts';
import { domain } from './domain.ts';
import { embeds } from './embeds.ts';
import { fileImport } from './file-import.ts';
import { freshness } from './freshness.ts';
import { freshnessGaps } from './freshness-gaps.ts';
import { insightMethods } from './insight-methods.ts';
import { insights } from './insights.ts';
import { mixins } from './mixins.ts';
import { mixins2 } from './mixins-2.ts';
import { oura } from './oura.ts';
import { phoneIngest } from './phone-ingest.ts';
import { polar } from './polar.ts';
import { projectSettings } from './project-settings.ts';
import { projects } from './projects.ts';
import { providers } from './providers.ts';
import { pullIngest } from './pull-ingest.ts';
import { retention } from './retention.ts';
import { runtime } from './runtime.ts';
import { scores } from './scores.ts';
import { signIn } from './sign-in.ts';
import { summaries } from './summaries.ts';
import { suunto } from './suunto.ts';
import { telemetry } from './telemetry.ts';
import { tenantsOfReads } from './tenants-of-reads.ts';
import { tenantsOfRemovals } from './tenants-of-removals.ts';
import { tenantsOfWrites } from './tenants-of-writes.ts';
import { timeseries } from './timeseries.ts';
import { users } from './users.ts';
import { tenantsOfUsers } from './users-tenants.ts';
import { webhooks } from './webhooks.ts';

/** All planted faults, by the part of the tree that they are in. */
export const planted: Readonly<Record<string, readonly PlantedFault[]>> = {
  domain,
  conformance,
  connect,
  'pull-ingest': pullIngest,
  oura,
  'phone-ingest': phoneIngest,
  'file-import': fileImport,
  freshness,
  'freshness-gaps': freshnessGaps,
  'insight-methods': insightMethods,
  'devicemaker-ingest': devicemakerIngest,
  'activitynet-ingest': activitynetIngest,
  backfill,
  polar,
  projects,
  'project-settings': projectSettings,
  providers,
  webhooks,
  deliveries,
  destinations,
  'destination-copies': destinationCopies,
  console: consolePages,
  'api-gateway': apiGateway,
  clients,
  auth,
  insights,
  embeds,
  mixins: [...mixins, ...mixins2],
  runtime,
  telemetry,
  'sign-in': signIn,
  summaries,
  suunto,
  timeseries,
  scores,
  retention,
  'timeseries-tenants': [...tenantsOfReads, ...tenantsOfWrites, ...tenantsOfRemovals],
  users: [...users, ...tenantsOfUsers],
};
