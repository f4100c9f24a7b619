import { oura as provider } from '../../providers/oura/provider.ts';
import { collections } from '../../providers/oura/records.ts';
import { days, every, mornings, type Things } from '../listed/things.ts';
import { listedTwin } from '../listed/twin.ts';

// A ring sends what it recorded once the day is over. The night has the heart rates of a sleep too.
const heartRates: Things = (day, changes) => {
  const [{ availableMs } = { availableMs: day.endMs }] = days(day, changes);
  return every(60)(day, changes).map((one) => ({
    ...one,
    availableMs,
    isRepeated: day.sleep !== null && one.startMs >= day.sleep.startMs && one.startMs < day.sleep.endMs,
  }));
};

/** A maker of rings that lists days by their local date, and notifies of them by subscription. */
export const oura = listedTwin({
  name: 'oura',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'shift-worker',
  signsInCapitals: true,
  kinds: {
    heartrate: {
      of: heartRates,
      fields: (_, { isRepeated }) => ({ source: isRepeated === true ? 'sleep' : 'awake' }),
    },
    session: {
      of: (day, changes) =>
        mornings(day, changes).map((one) => ({
          ...one,
          endMs: one.startMs + 600_000,
          availableMs: one.startMs + 600_000,
        })),
    },
  },
  account: (id) => ({ id }),
  event: ({ type, operation }) => (type === 'heartrate' ? null : { data_type: type, event_type: operation }),
});
