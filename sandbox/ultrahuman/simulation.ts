import { type Item, isItem } from '../../domain/recipe/read-fields.ts';
import { ultrahuman as provider } from '../../providers/ultrahuman/provider.ts';
import { collections } from '../../providers/ultrahuman/records.ts';
import { growingDays, nights } from '../listed/things.ts';
import { listedTwin } from '../listed/twin.ts';

/** The types of a day and its night. */
function typesOf({ sleep, ...day }: Item, night: Item | undefined, nightType: string): object[] {
  const { isNight: _, date: __, latest_time_zone: ___, ...own } = day;
  const deviation = isItem(sleep) ? { temperature_deviation: sleep.temperature_deviation } : {};
  const whole = isItem(night?.sleep) ? { ...night.sleep, ...deviation } : deviation;
  return [
    ...Object.entries(own).map(([type, object]) => ({ type, object })),
    { type: nightType, object: whole },
    { type: 'a new type', object: null },
  ];
}

/** Each second day is answered in the other shape, with the name of the zone. */
function answerOf(records: readonly Item[], date: string): object {
  const day = records.find(({ isNight }) => isNight === false);
  const night = records.find(({ isNight }) => isNight === true);
  const zone = day?.latest_time_zone;
  if (Number(date.slice(-2)) % 2 === 0)
    return { status: 200, data: { metric_data: day === undefined ? [] : typesOf(day, night, 'Sleep') } };
  const metrics = { [date]: day === undefined ? [] : typesOf(day, night, 'sleep') };
  return { status: 'ok', error: null, data: { metrics, latest_time_zone: zone } };
}

/** A maker of rings that answers all of a local day at once, and notifies of nothing. */
export const ultrahuman = listedTwin({
  name: 'ultrahuman',
  provider,
  collections,
  hasAccount: ({ key }) => key === 'shift-worker',
  kinds: {
    metrics: {
      // The samples are those of the day.
      of: (day, changes) => [
        ...growingDays(day, changes),
        ...nights(day, changes).map((night) => ({ ...night, isRepeated: true })),
      ],
      fields: (_, { day, night }) => ({
        isNight: night !== undefined,
        latest_time_zone: day.user.traits.zone,
      }),
      answer: answerOf,
    },
  },
  account: (user_id) => ({ user_id }),
});
