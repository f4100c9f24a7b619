import type {
  Destination,
  FreshnessPage,
  Incident,
  Overview,
  ProviderSetup,
  WebhookEndpoint,
} from '../../../../clients/typescript/src/index.ts';
import type { Permission } from '../../../../domain/access.ts';
import { api } from '../../api.ts';
import { can } from '../../session.ts';

/** What home shows. A part is null if the role may not read it, or if it could not be read: `unread` then names it. */
export interface Figures {
  readonly overview: Overview;
  readonly providers: readonly ProviderSetup[];
  readonly incidents: readonly Incident[] | null;
  readonly stale: StaleData | null;
  readonly endpoints: readonly WebhookEndpoint[] | null;
  readonly destinations: readonly Destination[] | null;
  readonly keys: number | null;
  readonly unread: readonly string[];
}

/** Connections with stale data. */
export interface StaleData {
  readonly connections: number;
  /** There are more than were counted. */
  readonly isMore: boolean;
  readonly since: string | null;
}

const mostRows = 500;

/** Reads the figures of home. Only the overview and the providers must be there. */
export async function readFigures(signal: AbortSignal): Promise<Figures> {
  const unread: string[] = [];
  const part = async <T>(needs: Permission, name: string, read: () => PromiseLike<T>): Promise<T | null> => {
    if (!can(needs)) return null;
    try {
      return await read();
    } catch (error) {
      if (signal.aborted) throw error;
      unread.push(name);
      return null;
    }
  };
  const [overview, providers, incidents, stale, endpoints, destinations, keys] = await Promise.all([
    api.deliveries.overview({ signal }),
    api.deliveries.providers({ signal }),
    part('providers.read', 'incidents', () => api.freshness.incidents({ signal })),
    part('users.list', 'freshness', () =>
      api.freshness.list({ state: 'stale', limit: mostRows }, { signal }),
    ),
    part('webhooks.read', 'webhook endpoints', () => api.webhooks.listEndpoints({ signal })),
    part('destinations.read', 'destinations', () => api.destinations.list({ signal })),
    part('credentials', 'API keys', () => api.auth.listKeys({ signal })),
  ]);
  return {
    overview,
    providers,
    endpoints,
    destinations,
    unread,
    incidents: incidents?.data ?? null,
    stale: stale === null ? null : staleOf(stale),
    keys: keys?.length ?? null,
  };
}

/** A page of stale kinds of data, as connections: one connection may have several. */
export function staleOf({ data, pagination }: FreshnessPage): StaleData {
  return {
    connections: new Set(data.map(({ connection_id }) => connection_id)).size,
    isMore: pagination.has_more,
    since: data.map(({ since }) => since).sort()[0] ?? null,
  };
}
