import { z } from 'zod';
import { PrivacyZone } from '../../../domain/workouts/route-privacy.ts';
import type { Queryable } from '../../../mixins/database/database.ts';

/** What a user has instead of the setting STORE_ROUTES. `stores` null: the setting applies. */
interface RoutePrivacyRow {
  readonly stores: boolean | null;
  readonly zones: readonly PrivacyZone[];
  readonly version: number;
}

const select = {
  name: 'timeseries-select-route-privacy',
  text: 'select stores, zones, version from timeseries.route_privacy where user_id = $1',
};
const Zones = z.array(PrivacyZone);

/** The route privacy of a user. */
export async function selectRoutePrivacy(database: Queryable, userId: string): Promise<RoutePrivacyRow> {
  const [row] = await database.query<Omit<RoutePrivacyRow, 'zones'> & { zones: unknown }>(select, [userId]);
  return row === undefined
    ? { stores: null, zones: [], version: 0 }
    : { ...row, zones: Zones.parse(row.zones) };
}

const upsert = {
  name: 'timeseries-upsert-route-privacy',
  text: `
    insert into timeseries.route_privacy as r (user_id, stores, zones, version) values ($1, $2, $3, 1)
    on conflict (user_id) do update
      set stores = excluded.stores, zones = excluded.zones, version = r.version + 1`,
};

/** Stores the route privacy of a user as a new version. */
export async function upsertRoutePrivacy(
  transaction: Queryable,
  userId: string,
  { stores, zones }: Omit<RoutePrivacyRow, 'version'>,
): Promise<void> {
  await transaction.query(upsert, [userId, stores, JSON.stringify(zones)]);
}
