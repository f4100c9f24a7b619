import { type Database, database } from '../../mixins/database/database.ts';
import { type InboxWorker, inboxWorker } from '../../mixins/inbox/inbox-worker.ts';
import { openProviderApi, providerPace } from '../../mixins/provider-api/provider-api.ts';
import { type PulledName, pulledNames, pullOf } from '../../providers/all.ts';
import type { Environment, Mixin } from '../../runtime/environment.ts';
import type { PullServicePace } from './pace.ts';
import { readSecret } from './queries/subscription.ts';
import { hmacSignatures, type Signatures, signaturesOf } from './signatures.ts';
import { workNotification } from './work-notification.ts';

/** The inbox workers of all providers. */
export interface Notifications {
  /** Processes a delivery that was just received. Returns false if it is not done, or if another worker holds it. */
  workOn(provider: PulledName, id: string): Promise<boolean>;
}

/** The notifications of all providers as a mixin. `notify` is called when reads are demanded. */
export function notifications(pace: PullServicePace): Mixin<Notifications> {
  return async (starting) => {
    const pool = await database()(starting);
    const api = openProviderApi({ ...providerPace, spacingMs: 0 });
    starting.onStop(() => api.close());
    const workers = new Map<PulledName, InboxWorker>();
    for (const provider of pulledNames) {
      const signatures = signaturesFor(provider, starting, { api, pool });
      const worker = inboxWorker({
        provider,
        kind: pullOf(provider).notifications.kind,
        needs: ['users.resolve'],
        work: (job, within) => workNotification(job, { ...within, provider, signatures, pace }),
      });
      workers.set(provider, await worker(starting));
    }
    return { workOn: async (provider, id) => (await workers.get(provider)?.workOn(id)) ?? false };
  };
}

function signaturesFor(
  provider: PulledName,
  { config }: Environment,
  { api, pool }: { readonly api: ReturnType<typeof openProviderApi>; readonly pool: Database },
): Signatures | null {
  const { authentication } = pullOf(provider).notifications;
  if (authentication.by === 'address') return null;
  if (authentication.by === 'signature') return signaturesOf(authentication, { config, api });
  return hmacSignatures(authentication, config, () => readSecret(config, pool, provider));
}
