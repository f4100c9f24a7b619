import type { Config } from '../../../config.ts';
import type { Overview, ProviderSetup } from '../../../contracts/deliveries/overview.ts';
import { defaultProject } from '../../../domain/access.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type ProviderName, providerNames, providers } from '../../../providers/all.ts';
import type { Call } from '../../../runtime/environment.ts';
import { freeDiskPercent } from '../../../runtime/free-disk.ts';
import { addressesToRegister, settingsOf, titlesOf } from '../../../runtime/provider-settings.ts';
import { mostCounted, selectBacklog, selectLastReceived, selectTimes } from '../tables/jobs.ts';
import { budgetOf, readIngestFigures } from './status.ts';

/** How users connect, by the way in which past data comes. */
const connectedBy = {
  requests: 'consent_page',
  pages: 'consent_page',
  uploads: 'app',
  files: 'import',
} as const;

interface Deps {
  readonly database: Queryable;
  readonly call: Call;
  readonly config: Config;
  /** The base of webhook addresses; undefined for a caller who may not see them. */
  readonly addressesAt?: string | undefined;
}

const asked = { timeout: 2000, retries: 0 };

/** The state of the installation. Fields of a service that does not answer are null. */
export async function readOverview({ database, call, config }: Omit<Deps, 'addressesAt'>): Promise<Overview> {
  const [backlog, times, figures, endpoints, disk] = await Promise.all([
    selectBacklog(database),
    selectTimes(database),
    call('users.figures', { project_id: defaultProject }, asked).catch(() => null),
    call('webhooks.listEndpoints', {}, asked).catch(() => null),
    freeDiskPercent(config)(),
  ]);
  const { dead_deliveries, dead_jobs } = backlog;
  const capped = Object.entries({ dead_deliveries, dead_jobs }).filter(([, count]) => count >= mostCounted);
  return {
    users: figures?.users ?? null,
    connections: figures?.connections ?? null,
    oldest_waiting_delivery_seconds: backlog.delivery_seconds,
    oldest_waiting_job_seconds: backlog.job_seconds,
    dead_deliveries,
    dead_jobs,
    receipt_to_readable: times,
    webhook_endpoints: endpoints === null ? null : countEndpoints(endpoints),
    disk_free_percent: disk,
    approximate: ['receipt_to_readable', ...capped.map(([name]) => name)],
    away: [...(figures === null ? ['users'] : []), ...(endpoints === null ? ['webhooks'] : [])],
  };
}

function countEndpoints(endpoints: readonly { enabled: boolean; failing_since: string | null }[]) {
  const enabled = endpoints.filter((one) => one.enabled);
  return {
    enabled: enabled.length,
    disabled: endpoints.length - enabled.length,
    failing: enabled.filter((one) => one.failing_since !== null).length,
  };
}

/** Each provider with its missing settings, its remaining quota and its last delivery. */
export async function readProviders({ database, call, config, addressesAt }: Deps): Promise<ProviderSetup[]> {
  const [received, figures] = await Promise.all([
    selectLastReceived(database, providerNames),
    readIngestFigures(call),
  ]);
  return providerNames.map((provider) => {
    const minute = received.find((one) => one.provider === provider)?.minute;
    const { budget, subscription } = figures.get(provider) ?? {};
    return {
      provider,
      ...titlesOf(config)[provider],
      connected_by: connectedBy[providers[provider].backfill.from],
      ...setupOf(config, provider),
      webhook_addresses:
        addressesAt === undefined ? null : addressesToRegister(config, provider, addressesAt),
      last_delivery_at: minute === undefined ? null : formatInstant(minute.getTime()),
      quota: budget === undefined || budget === null ? null : budgetOf(budget),
      subscription: subscription ?? null,
    };
  });
}

function setupOf(config: Config, provider: ProviderName) {
  const { names, webhooks } = providers[provider];
  const unset = (setting: keyof Config) => config[setting] === undefined;
  const ofSubscription = webhooks.subscriptionSettings.filter(unset);
  const ofClient = names === null ? [] : [names.clientId, names.clientSecret].filter(unset);
  const missing = [...ofClient, ...ofSubscription];
  return {
    configured: missing.length === 0,
    missing_settings: missing,
    subscription_configured: ofSubscription.length === 0,
    secret_address: settingsOf(config, provider).webhookSecrets.length > 0,
  };
}
