import type { Test } from 'tap';
import type { z } from 'zod';
import type { StoreItem } from '../../../domain/records/records.ts';
import {
  type DestinationsChoice,
  destinationsService,
} from '../../../services/destinations/destinations.service.ts';
import { until } from '../../support/until.ts';
import { nothingPending, startWebhooks } from '../webhooks/setting.ts';

type Item = z.input<typeof StoreItem>;
type Provider = 'devicemaker' | 'withings' | 'oura';

/** The pace of the tests. An idle destination connects to its target at each `idleMs`. */
const testPace = {
  idleMs: 200,
  pollMs: 100,
  retryMs: [100],
  watchMs: 500,
  connectMs: 1500,
  totalMs: 2500,
};

/** The services over a database of the test's own. */
export async function startDestinations(
  t: Test,
  settings: Readonly<Record<string, string>> = {},
  { pace, ...choice }: DestinationsChoice = {},
) {
  const service = destinationsService({ ...choice, pace: { ...testPace, ...pace } });
  const s = await startWebhooks(t, settings, [service]);
  const { database, call } = s;
  const get = (destination_id: string) => call('destinations.get', { destination_id });
  return {
    ...s,
    get,
    user: async () => (await call('users.create', {})).id,
    store: (user_id: string, items: Item[], provider: Provider = 'devicemaker') =>
      call('timeseries.store', { user_id, provider, items }),
    /** Waits until a destination has written everything. */
    async written(id: string) {
      await nothingPending(database);
      await until(async () => {
        const { snapshot_complete, changes_behind, erasures_open } = await get(id);
        return snapshot_complete && changes_behind === 0 && erasures_open === 0;
      });
      return get(id);
    },
    /** Waits until a destination fails, and returns the code. */
    async failure(id: string) {
      await until(async () => (await get(id)).last_error !== null);
      return (await get(id)).last_error?.code;
    },
  };
}
