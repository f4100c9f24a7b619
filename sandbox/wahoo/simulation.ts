import { isoTime } from '../../domain/time/time.ts';
import { wahoo as provider } from '../../providers/wahoo/provider.ts';
import { collections } from '../../providers/wahoo/records.ts';
import { listedTwin } from '../listed/twin.ts';

/** A maker of bike computers that lists workouts with summaries and FIT files. Its notifications contain a token. */
export const wahoo = listedTwin({
  name: 'wahoo',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'power-cyclist',
  account: (id) => ({ id: Number(id) }),
  event: ({ id, operation, start_ms }) =>
    operation === 'delete'
      ? null
      : { workout_summary: { id: 8297, workout: { id, starts: isoTime(start_ms) } } },
});
