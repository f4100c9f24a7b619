import { z } from 'zod';
import { action, Nothing } from '../../domain/contract.ts';
import { Timestamp } from '../../domain/wire.ts';
import { ProviderName } from '../../providers/all.ts';
import { SubscriptionFigures } from '../ingest-figures.ts';
import { Connection } from '../users/schemas.ts';

const Count = z.int().nonnegative();
const Seconds = Count.nullable();

/** The remaining reads of a provider's windows. */
export const RemainingQuota = z
  .object({
    quarter_left: Count,
    quarter_limit: Count,
    day_left: Count,
    day_limit: Count,
    paused: z.boolean(),
  })
  .meta({
    id: 'RemainingQuota',
    description: 'The reads that are left in this quarter hour and this UTC day. `paused`: none is sent now.',
  });

/** Whether a provider is set up, and what it sent last. */
export const ProviderSetup = z
  .object({
    provider: ProviderName,
    title: z.string().describe('The name that people read. PROVIDER_NAMES sets it.'),
    colour: z
      .string()
      .describe('The colour of its monogram, as `#rrggbb`. It can be seen on a white and on a dark page.'),
    source_titles: z
      .record(z.string(), z.string())
      .describe("Names of its sources that people read, by a part of the device's name in lower case."),
    connected_by: z
      .enum(['consent_page', 'app', 'import'])
      .describe(
        '`consent_page`: users consent at the provider; `app`: users type an invitation code into an app, which sends the data; `import`: the first import of a file connects.',
      ),
    configured: z.boolean().describe('Whether no setting is missing.'),
    missing_settings: z.array(z.string()).describe('Names of settings that are needed and not set.'),
    subscription_configured: z
      .boolean()
      .describe('Whether the settings of its webhook subscription are set. True if it needs none.'),
    secret_address: z.boolean().describe('Whether its webhooks have a secret address.'),
    webhook_addresses: z
      .record(z.string(), z.string())
      .nullable()
      .describe(
        'The addresses to register at the provider, by kind: the secret ones, or the plain ones without a secret. Null unless the caller is an owner, or has the role `admin` or `developer`.',
      ),
    last_delivery_at: Timestamp.nullable().describe(
      'The minute of its last stored webhook request; null if there was none in two days.',
    ),
    quota: RemainingQuota.nullable().describe(
      'Null if it limits no reads, or if its service is unavailable.',
    ),
    subscription: SubscriptionFigures.nullable().describe(
      'Null if the provider has no subscription of the application, or if it was never checked.',
    ),
  })
  .meta({ id: 'ProviderSetup', description: 'Whether a provider is set up, and what it sent last.' });

/** The state of the installation in one answer. */
export const Overview = z
  .object({
    users: Count.nullable(),
    connections: z
      .array(z.object({ provider: ProviderName, status: Connection.shape.status, count: Count }))
      .nullable(),
    oldest_waiting_delivery_seconds: Seconds,
    oldest_waiting_job_seconds: Seconds.describe('Seconds for which a job has been due.'),
    dead_deliveries: Count.describe('At most 1000: that value means 1000 or more.'),
    dead_jobs: Count.describe('At most 1000: that value means 1000 or more.'),
    receipt_to_readable: z
      .array(z.object({ provider: ProviderName, deliveries: Count, p50_ms: Count, p99_ms: Count }))
      .describe(
        'Milliseconds from receipt to the end of processing, of the newest 1,000 processed deliveries without replayed ones. For a provider whose notifications contain no data, the fetch of the data comes after it.',
      ),
    webhook_endpoints: z
      .object({ enabled: Count, disabled: Count, failing: Count })
      .nullable()
      .describe('`failing`: enabled, and no message was delivered since the last failure.'),
    disk_free_percent: z
      .int()
      .min(0)
      .max(100)
      .nullable()
      .describe(
        'The free share of the disk of DATA_DIR. Null if the database runs on another machine, or if it cannot be read.',
      ),
    approximate: z.array(z.string()).describe('The fields of this answer that are not exact.'),
    away: z.array(z.string()).describe('The services that did not answer. Their fields are null.'),
  })
  .meta({ id: 'Overview', description: 'The state of the installation, in counts.' });

/** What a page for operators shows first. */
export const overviewActions = {
  overview: action({
    summary: 'Get the numbers of users, connections and dead letters, waiting times and failing endpoints',
    description: 'The cost does not depend on the number of users, deliveries or jobs.',
    params: Nothing,
    returns: Overview,
    http: { method: 'GET', path: '/overview', access: 'status.read', tag: 'Operations' },
  }),
  providers: action({
    summary: 'List providers with missing settings, remaining quota and last delivery',
    params: Nothing,
    returns: z.array(ProviderSetup),
    http: { method: 'GET', path: '/providers', access: 'providers.read', tag: 'Operations' },
  }),
};

export type Overview = z.infer<typeof Overview>;
export type ProviderSetup = z.infer<typeof ProviderSetup>;
