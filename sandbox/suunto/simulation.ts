import { isoTime } from '../../domain/time/time.ts';
import { suunto as provider } from '../../providers/suunto/provider.ts';
import { collections } from '../../providers/suunto/records.ts';
import { every } from '../listed/things.ts';
import { listedTwin } from '../listed/twin.ts';

const jsonPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A maker of sports watches that lists workouts, nights and samples of all day. Its access tokens name the account. */
export const suunto = listedTwin({
  name: 'suunto',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'power-cyclist',
  settings: { SUUNTO_REQUESTS_PER_MINUTE: '6000' },
  kinds: {
    activity: { of: every(10) },
    recovery: { of: every(30) },
    // A workout without a change is fresh: it has no end yet.
    workout: { fields: (_, __, version) => (version === 0 ? { stopTime: undefined } : {}) },
  },
  account: () => ({}),
  accessToken: (user, random) =>
    `${jsonPart({ alg: 'RS256' })}.${jsonPart({ user, sub: `s${user}` })}.${random}`,
  // The events of samples contain their times, and those of a workout its start. There are none of deletions.
  event({ type, id, operation, start_ms: startTime }) {
    if (operation === 'delete') return null;
    if (type === 'workout') return { workout: { workoutKey: id, startTime } };
    const samples = [{ timestamp: isoTime(startTime), entryData: {} }];
    return { type: `SUUNTO_247_${type.toUpperCase()}_CREATED`, workout: undefined, samples };
  },
});
