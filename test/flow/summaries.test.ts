import t, { type Test } from 'tap';
import { z } from 'zod';
import {
  ActivitySummary,
  ExplainedActivitySummary,
  type ExplainedSource,
  SleepSummary,
} from '../../contracts/summaries/schemas.ts';
import { pageOf } from '../../domain/page.ts';
import { deliver } from '../services/summaries/deliver.ts';
import { expectedActivity, expectedSleep } from '../services/summaries/expected-summaries.ts';
import {
  bothProviders,
  brokenNights,
  daylightSaving,
  onlyWorkouts,
  phoneWithGaps,
  quarterHourZone,
  traveller,
  twoDevices,
  twoRecorders,
  type UserData,
} from '../services/summaries/user-data.ts';
import { pageThrough } from '../services/timeseries/setting.ts';
import { startApi } from '../support/api.ts';

const api = await startApi(t, { RATE_LIMIT_API_KEY: '100000', RATE_LIMIT_WEBHOOK: '100000' });

/** Reads a list to its end and back; holds that both ways are one list, each item once, and counts are exact. */
async function whole<T extends z.ZodType>(t: Test, item: T, path: string): Promise<z.output<T>[]> {
  const { forward, backward, items } = await pageThrough(async (cursor) =>
    pageOf(item).parse(await api.expect(200, `${path}${cursor === undefined ? '' : `&cursor=${cursor}`}`)),
  );
  t.same(
    backward.map(({ data }) => data),
    forward.slice(0, -1).map(({ data }) => data),
    'pages read backward are those read forward',
  );
  for (const { pagination, data, metadata } of [...forward, ...backward]) {
    t.equal(pagination.total_count, items.length);
    t.equal(metadata.sample_count, data.length);
    t.equal(metadata.resolution, null);
  }
  return items;
}

/** The shares of a shown value add up to 1, and their values to the value; a null value has none. */
function isExplained(shown: number | null, sources: readonly ExplainedSource[] = []): boolean {
  const counted = sources.filter(({ share }) => share !== 0);
  if (shown === null) return counted.length === 0;
  const shares = counted.reduce((sum, { share }) => sum + (share ?? 0), 0);
  const value = counted.reduce((sum, one) => sum + (one.value ?? 0), 0);
  return Math.abs(shares - 1) < 0.001 && Math.abs(value - shown) < 1;
}

function unexplained({ explanation, date, ...day }: ExplainedActivitySummary): string[] {
  const { intensity_minutes, heart_rate, source: _, ...fields } = day;
  const nested = (name: string, values: object) =>
    Object.entries(values).map(([field, value]) => [`${name}.${field}`, value] as const);
  const shown: (readonly [string, number | null])[] = [
    ...Object.entries(fields),
    ...nested('intensity_minutes', intensity_minutes),
    ...nested('heart_rate', heart_rate),
  ];
  const sources = new Map(Object.entries(explanation ?? {}));
  return shown
    .filter(([field]) => field !== 'intensity_minutes.light')
    .filter(([field, value]) => !isExplained(value, sources.get(field)))
    .map(([field]) => `${date} ${field}`);
}

const lives: [string, () => UserData, activityDays: number, nights: number][] = [
  ['two devices', twoDevices, 13, 0],
  ['a phone with gaps', phoneWithGaps, 24, 0],
  ['a zone of +5:45', quarterHourZone, 11, 0],
  ['only workouts', onlyWorkouts, 22, 0],
  ['two devices that record the same rides', twoRecorders, 20, 0],
  ['both providers', bothProviders, 10, 0],
  ['a journey from UTC+9 to UTC-8', traveller, 5, 0],
  ['daylight saving', daylightSaving, 5, 3],
  ['nights in two parts, and naps', brokenNights, 15, 14],
];

const [first, last] = ['2025-03-01', '2025-04-30'];
const range = `start_date=${first}&end_date=${last}`;

for (const [who, live, days, nights] of lives)
  t.test(`${who}: summaries equal a calculation from the raw inputs`, async (t) => {
    const life = live();
    const user = await deliver(api, life);
    const activity = expectedActivity(life, first, last);
    t.equal(activity.length, days, 'the life is as long as it was meant to be');
    const path = `/users/${user}/summaries/activity?${range}`;
    t.same(await whole(t, ActivitySummary, `${path}&limit=4`), activity);
    t.same(await whole(t, ActivitySummary, `${path}&limit=3&sort_order=desc`), activity.toReversed());
    const explained = await whole(t, ExplainedActivitySummary, `${path}&explain=true`);
    t.same(
      explained.map(({ explanation: _, ...summary }) => summary),
      activity,
    );
    t.ok(explained.every(({ explanation }) => explanation !== undefined));
    t.same(explained.flatMap(unexplained), []);
    const sleep = expectedSleep(life, first, last);
    t.equal(sleep.length, nights);
    t.same(await whole(t, SleepSummary, `/users/${user}/summaries/sleep?${range}&limit=2`), sleep);
    const some = activity.slice(2, 4);
    const [from, to] = [some[0]?.date ?? '', some.at(-1)?.date ?? ''];
    const part = `/users/${user}/summaries/activity?start_date=${from}&end_date=${to}`;
    t.same(await whole(t, ActivitySummary, part), expectedActivity(life, from, to));
  });

t.test('the day of a flight eastward over the date line has 41 hours', async (t) => {
  const user = await deliver(api, traveller());
  const oneADay = [540, -480].map((offset) => {
    const start = offset === 540 ? Date.UTC(2025, 2, 13, 15) : Date.UTC(2025, 2, 14, 8);
    const hours = offset === 540 ? 17 : 24;
    return { offset, start, hours };
  });
  // A step on every full hour of 14 March, on another wrist: more than the watch ever counted in a day.
  for (const { offset, start, hours } of oneADay)
    await api.call('timeseries.store', {
      user_id: user,
      provider: 'devicemaker',
      items: [
        {
          data_type: 'epochs',
          key: `flight-${offset}`,
          hash: `flight-${offset}`,
          supersede: 'latest',
          duration_seconds: 0,
          samples: [
            {
              type: 'steps',
              device: 'Pedometer',
              zone_offset_minutes: offset,
              base_ms: start,
              at: Array.from({ length: hours }, (_, hour) => hour * 3_600_000),
              values: Array.from({ length: hours }, () => 10_000),
            },
          ],
        },
      ],
    });
  const path = `/users/${user}/summaries/activity?start_date=2025-03-13&end_date=2025-03-15`;
  const Page = z.object({
    data: z.array(z.object({ date: z.string(), steps: z.int(), source: z.unknown() })),
  });
  const { data } = Page.parse(await api.expect(200, path));
  t.same(
    data.map(({ date }) => date),
    ['2025-03-13', '2025-03-14', '2025-03-15'],
  );
  t.match(data[1], { steps: 410_000, source: { device: 'Pedometer' } });
});
