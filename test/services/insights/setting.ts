import type { Test } from 'tap';
import type { z } from 'zod';
import { dateAfter } from '../../../domain/insights/day-results.ts';
import { usualSleepWeights } from '../../../domain/insights/sleep-score.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import { dateToMs, dayMs, hourMs, minuteMs } from '../../../domain/time/time.ts';
import { providerNames } from '../../../providers/all.ts';
import { insightsService } from '../../../services/insights/insights.service.ts';
import { followPart } from '../../../services/insights/work/follow.ts';
import { type Computing, recompute } from '../../../services/insights/work/recompute.ts';
import summaries from '../../../services/summaries/summaries.service.ts';
import { activity, block, day, item, night, sleep, workout } from '../timeseries/items.ts';
import { nothingPending, startWebhooks } from '../webhooks/setting.ts';

type Item = z.input<typeof StoreItem>;
type Provider = 'devicemaker' | 'withings' | 'oura';

/** The first day of the tests' data, a Monday, and their clock. */
export const firstDate = '2026-03-02';
const nowMs = Date.parse('2026-07-01T12:00:00Z');

/** A day that is computed, as it is stored. */
export interface StoredDay {
  readonly date: string;
  readonly facts: Record<string, unknown>;
  readonly [part: string]: unknown;
}

/** The services over a database of the test's own. Nothing is followed or computed but by the test. */
export async function startInsights(t: Test) {
  const s = await startWebhooks(t, { DATABASE_POOL: '4' }, [
    summaries,
    insightsService({ firstMs: 24 * hourMs }),
  ]);
  const { database, call } = s;
  const own: Computing = {
    ...{ database, call, weights: usualSleepWeights, priority: [...providerNames], now: () => nowMs },
  };
  const follow = async () => {
    await nothingPending(database);
    while (await followPart(own, 24 * hourMs));
  };
  return {
    ...s,
    ...{ own, follow },
    user: async () => (await call('users.create', {})).id,
    store: (user_id: string, items: Item[], provider: Provider = 'devicemaker') =>
      call('timeseries.store', { user_id, provider, items }),
    /** Follows the change log and computes what is due. Returns the dates whose results changed. */
    async work(userId: string): Promise<string[]> {
      await follow();
      return (await recompute(own, userId)).toSorted();
    },
    days: (userId: string) =>
      database.query<StoredDay & { date: string }>(
        `select date::text, facts, baseline_28, baseline_60, scores, training from insights.day
         where user_id = $1 and facts is not null order by date`,
        [userId],
      ),
  };
}

const hours = (date: string, hour: number) => dateToMs(date) + hour * hourMs;

/** The night that ends on a day: asleep from 23:00 plus some minutes for 7.5 hours, in UTC+1. */
export function nightItem(index: number, random: () => number, shiftMinutes = 0): Item {
  const date = dateAfter(firstDate, index);
  const startMs = hours(date, -2) + Math.round(random() * 60 + shiftMinutes) * minuteMs;
  const minutes = 420 + Math.round(random() * 60);
  const [deep, rem, awake] = [
    60 + Math.round(random() * 30),
    80 + Math.round(random() * 30),
    6 + Math.round(random() * 20),
  ];
  const light = minutes - deep - rem - awake;
  const spans = [
    ['light', 0, 60 * (light - 20)],
    ['deep', 60 * (light - 20), 60 * (light - 20 + deep)],
    ['awake', 60 * (light - 20 + deep), 60 * (light - 20 + deep + awake)],
    ['rem', 60 * (light - 20 + deep + awake), 60 * (minutes - 20)],
    ['light', 60 * (minutes - 20), 60 * minutes],
  ] satisfies ['light' | 'deep' | 'awake' | 'rem', number, number][];
  return night(
    [
      sleep(startMs, minutes, {
        ...{ date, asleep_seconds: 60 * (minutes - awake), deep_seconds: 60 * deep, rem_seconds: 60 * rem },
        ...{ light_seconds: 60 * light, awake_seconds: 60 * awake, stage_intervals: spans },
      }),
    ],
    { key: `night ${index}`, data_type: 'sleeps' },
  );
}

/** Vital signs of the night that ends on a day: RMSSD each five minutes, and a resting heart rate. */
export function vitalsItem(index: number, random: () => number): Item {
  const date = dateAfter(firstDate, index);
  const rmssd = Array.from({ length: 60 }, (_, at): [number, number] => [
    hours(date, -1) + at * 5 * minuteMs,
    Math.round(400 + random() * 200) / 10,
  ]);
  const resting = Math.round(480 + random() * 60) / 10;
  return item({
    key: `vitals ${index}`,
    samples: [
      block('heart_rate_variability_rmssd', rmssd, { zone_offset_minutes: 60 }),
      block('resting_heart_rate', [[hours(date, 8), resting]], { zone_offset_minutes: 60 }),
    ],
  });
}

/** The provider's own totals of a day. */
export function dayItem(index: number, random: () => number): Item {
  const date = dateAfter(firstDate, index);
  return item({
    key: `day ${index}`,
    day: day(date, {
      ...{ duration_seconds: dayMs / 1000, zone_offset_minutes: 60, start_ms: hours(date, -1) },
      ...{ steps: Math.round(4000 + random() * 8000), active_seconds: 5400 },
      ...{
        moderate_seconds: 60 * Math.round(random() * 40),
        vigorous_seconds: 60 * Math.round(random() * 20),
      },
    }),
  });
}

/** A run of 40 minutes on a day, with a heart rate each ten seconds. */
export function runItems(index: number, random: () => number, bpm = 130): Item[] {
  const startMs = hours(dateAfter(firstDate, index), 16);
  const heart = Array.from({ length: 240 }, (_, at): [number, number] => [
    startMs + at * 10_000,
    Math.round(bpm + 20 * random()),
  ]);
  return [
    activity(workout(startMs, 40, { distance_meters: 7000 }), { key: `run ${index}` }),
    item({ key: `heart ${index}`, samples: [block('heart_rate', heart, { zone_offset_minutes: 60 })] }),
  ];
}

/** The items of a day in the order in which they happen. Every third day has a run. */
export const itemsOfDay = (index: number, random: () => number): Item[] => [
  nightItem(index, random),
  vitalsItem(index, random),
  dayItem(index, random),
  ...(index % 3 === 0 ? runItems(index, random) : []),
];
