import { whoop as provider } from '../../providers/whoop/provider.ts';
import { collections } from '../../providers/whoop/records.ts';
import { listedTwin } from '../listed/twin.ts';

/** A maker of bands that lists scored nights, recoveries, cycles and workouts. Cycles are not notified. */
export const whoop = listedTwin({
  name: 'whoop',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'shift-worker',
  account: (id) => ({ user_id: Number(id) }),
  event: ({ type, operation }) =>
    type === 'cycle' ? null : { type: `${type}.${operation === 'delete' ? 'deleted' : 'updated'}` },
});
