import type { Destination, ProviderSetup, WebhookEndpoint } from '../../clients/typescript/src/index.ts';
import type { Figures } from '../../console/src/parts/home/figures.ts';

export const nowMs = Date.parse('2026-01-05T12:00:00Z');

/** The figures of a service that does well. */
export const overview: Figures['overview'] = {
  users: 7,
  connections: [
    { provider: 'oura', status: 'active', count: 3 },
    { provider: 'whoop', status: 'expired', count: 1 },
  ],
  ...{ oldest_waiting_delivery_seconds: null, oldest_waiting_job_seconds: null },
  ...{ dead_deliveries: 0, dead_jobs: 0, receipt_to_readable: [], disk_free_percent: 60 },
  webhook_endpoints: { enabled: 1, disabled: 0, failing: 0 },
  ...{ approximate: ['receipt_to_readable'], away: [] },
};

/** A provider that is set up. */
export const provider = (changed: Partial<ProviderSetup> = {}): ProviderSetup => ({
  ...{ provider: 'oura', title: 'Oura', colour: '#000000', source_titles: {}, connected_by: 'consent_page' },
  ...{ configured: true, missing_settings: [], subscription_configured: true, secret_address: true },
  ...{ webhook_addresses: null, last_delivery_at: '2026-01-05T11:59:00Z', quota: null, subscription: null },
  ...changed,
});

/** An endpoint that receives what it should. */
export const endpoint = (changed: Partial<WebhookEndpoint> = {}): WebhookEndpoint => ({
  ...{ id: 'e', url: 'https://app.example/hook', description: null, event_types: null, include_data: false },
  ...{ max_per_second: null, enabled: true, disabled_reason: null, api_key_id: null },
  ...{ failing_since: null, last_delivered_at: null },
  ...{ messages_waiting: 0, oldest_waiting_message_seconds: null },
  ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
  ...changed,
});

/** A destination that has everything. */
export const destination = (changed: Partial<Destination> = {}): Destination => ({
  ...{ id: 'd', kind: 's3', description: null, settings: { bucket: 'health', prefix: 'copy' } },
  ...{ types: null, from: 'beginning', state: 'running', paused_reason: null },
  ...{ lag_seconds: 0, changes_behind: 0, snapshot_complete: true, failing_since: null, last_error: null },
  ...{ rows_written: 12, last_commit_at: '2026-01-05T11:59:00Z', erasures_open: 0, api_key_id: null },
  ...{ created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' },
  ...changed,
});

export const figures: Figures = {
  ...{ overview, providers: [provider()], incidents: [], endpoints: [endpoint()], keys: 1, unread: [] },
  destinations: [destination()],
  stale: { connections: 0, isMore: false, since: null },
};
