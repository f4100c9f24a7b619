import type { Draft } from '../../domain/recipe/draft.ts';
import type { SeriesType } from '../../domain/records/series.ts';
import { polar as provider } from '../../providers/polar/provider.ts';
import { collections } from '../../providers/polar/records.ts';
import { onClock } from '../../providers/polar/times.ts';
import { growingDays, nights } from '../listed/things.ts';
import { listedTwin } from '../listed/twin.ts';

const everySeconds = 15;
/** The series of an exercise with the numbers of their types and the factors of their units. */
const sampled: readonly (readonly [name: SeriesType, number: string, factor: number])[] = [
  ['heart_rate', '0', 1],
  ['speed', '1', 3.6],
  ['cadence', '2', 1],
  ['power', '4', 1],
  ['weather_temperature', '9', 1],
];

/** A text of values for each type; a lost signal is `null`. */
const samplesOf = ({ series, start_time = 0 }: Draft) =>
  sampled.map(([name, number, factor]) => {
    const values: (number | 'null')[] = [];
    const points = series?.[name];
    for (const [ms, value] of Array.isArray(points) ? points : []) {
      while (values.length < (ms - start_time) / 1000 / everySeconds) values.push('null');
      values.push(value * factor);
    }
    return { 'recording-rate': everySeconds, 'sample-type': number, data: values.join(',') };
  });

const ratesOf = ({ series, zone_offset }: Draft) =>
  (Array.isArray(series?.heart_rate) ? series.heart_rate : []).map(([ms, heart_rate]) => ({
    heart_rate,
    sample_time: onClock(ms, zone_offset).slice(11),
  }));

const events: Readonly<Record<string, string>> = {
  activities: 'EXERCISE',
  sleep: 'SLEEP',
  days: 'ACTIVITY_SUMMARY',
  heart_rate: 'CONTINUOUS_HEART_RATE',
};

/** A maker of watches: exercises with samples, nights, recharges, days, heart rates and loads. Deletions are not notified. */
export const polar = listedTwin({
  name: 'polar',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'half-day-wearer',
  tokensLast: true,
  kinds: {
    activities: { fields: (draft) => ({ samples: samplesOf(draft) }) },
    recharge: { of: nights },
    heart_rate: { of: growingDays, fields: (draft) => ({ heart_rate_samples: ratesOf(draft) }) },
  },
  account: (id) => ({ x_user_id: Number(id) }),
  subscription: { member: 'data', secret: 'signature_secret_key', ping: { event: 'PING' } },
  event({ type, operation }) {
    const event = events[type];
    return event === undefined || operation === 'delete' ? null : { event };
  },
});
