import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { UserId } from '../../domain/wire.ts';
import { PrivacyZone } from '../../domain/workouts/route-privacy.ts';

const Zones = z.array(PrivacyZone).max(20);
const ShownZone = PrivacyZone.meta({
  id: 'PrivacyZone',
  description: 'A circle around a place to which no stored route leads.',
});
const Stores = z.boolean().nullable();

/** What is stored of the routes of a user. */
export const RoutePrivacy = z
  .object({
    configured: z.object({ store_routes: z.boolean() }).describe('The setting STORE_ROUTES.'),
    store_routes: Stores.describe('Whether positions are stored. Null: the setting applies.'),
    privacy_zones: z.array(ShownZone),
  })
  .meta({ id: 'RoutePrivacy', description: 'Which positions of the routes of a user are stored.' });

const Change = z
  .object({
    user_id: UserId,
    store_routes: Stores.optional().describe(
      'False: no positions are stored. Null: the setting STORE_ROUTES applies; it cannot be overruled.',
    ),
    privacy_zones: Zones.optional().describe('Replaces all zones. An empty list removes them.'),
  })
  .meta({ id: 'RoutePrivacyChange' });

const path = '/users/:user_id/route-privacy' as const;

/** Positions are location data: a user may refuse to have them stored, or have the ends of routes cut. */
export const routePrivacyActions = {
  routePrivacy: action({
    summary: 'Get which positions of routes are stored',
    params: z.object({ user_id: UserId }),
    returns: RoutePrivacy,
    http: { method: 'GET', path, access: 'data.read', reads: 'settings', tag: 'Data' },
  }),
  changeRoutePrivacy: action({
    summary: 'Change which positions of routes are stored',
    description:
      'A privacy zone cuts both ends of a route before it is stored: the positions from its start to the first one outside of all zones, and those from the last one outside of all zones to its end. Other streams stay. A passage through a zone in the middle of a route stays. Routes that are already stored are cut in the background. Removed zones do not bring positions back.',
    params: Change,
    returns: RoutePrivacy,
    http: { method: 'PATCH', path, access: 'data.write', tag: 'Data', audit: 'user.route_privacy_changed' },
    idempotent: true,
  }),
  /** The rules for one user's routes. `version` belongs to the items that are cut by them. */
  routeRules: action({
    summary: 'Read the rules by which routes are cut before they are stored',
    params: z.object({ user_id: UserId }),
    returns: z.object({ stores: z.boolean(), zones: Zones, version: z.int() }),
    idempotent: true,
  }),
};
export type RoutePrivacy = z.infer<typeof RoutePrivacy>;
export type RoutePrivacyChange = z.output<typeof Change>;
