import { randomUUID } from 'node:crypto';
import t from 'tap';
import { upsertRoutePrivacy } from '../../../services/timeseries/tables/tracks.ts';
import { readRouteRules } from '../../../services/timeseries/work/route-privacy.ts';
import { freshDatabase } from '../../support/servers/database.ts';

const database = await freshDatabase(t);

/** STORE_ROUTES, the choice of the user, and whether routes are stored. */
const rows = [
  [true, null, true],
  [true, false, false],
  [true, true, true],
  [false, null, false],
  [false, true, false],
] as const;

t.test('a user may refuse that routes are stored, and cannot overrule the operator', async (t) => {
  for (const [configured, stores, isStored] of rows) {
    const user = randomUUID();
    await upsertRoutePrivacy(database, user, { stores, zones: [] });
    t.match(
      await readRouteRules(database, configured, user),
      { stores: isStored },
      `${configured} ${stores}`,
    );
  }
});
