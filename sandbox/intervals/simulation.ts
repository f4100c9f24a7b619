import { isoTime } from '../../domain/time/time.ts';
import { intervals as provider } from '../../providers/intervals/provider.ts';
import { collections } from '../../providers/intervals/records.ts';
import { dates } from '../listed/things.ts';
import { listedTwin } from '../listed/twin.ts';

const events: Readonly<Record<string, string>> = {
  activities: 'ACTIVITY_ANALYZED',
  wellness: 'WELLNESS_UPDATED',
};

/** A training diary that lists what other providers sent it. Its tokens last, and deletions are not notified. */
export const intervals = listedTwin({
  name: 'intervals',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'power-cyclist',
  tokensLast: true,
  kinds: {
    activities: { fields: () => ({ _note: null }) },
    wellness: { of: dates },
  },
  account: (id) => ({ athlete: { id, name: 'An athlete' }, icu_athlete_id: id }),
  event({ type, id, operation, account, ms }) {
    const event = events[type];
    if (event === undefined || operation === 'delete') return null;
    const activity = type === 'activities' ? { activity: { id } } : {};
    return { events: [{ athlete_id: account, type: event, timestamp: isoTime(ms), ...activity }] };
  },
});
