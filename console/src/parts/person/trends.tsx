import { useMemo } from 'preact/hooks';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { location, setQuery } from '../../router.tsx';
import { useZone } from '../../user-zone.ts';
import { Lanes } from '../lanes/lanes.tsx';
import { Empty, Loaded } from '../states.tsx';
import { daysAgo } from '../time.tsx';
import type { OfUser } from './of-user.ts';
import { trendLanes } from './trend-lanes.ts';

const spans = [30, 90, 365] as const;

/** What is usual for a user, and how the days lie to it: a line for each measure in the band of its baseline. */
export function Trends({ userId, version }: OfUser) {
  const zone = useZone();
  const days = spans.find((one) => String(one) === location.value.query.get('days')) ?? 90;
  const [start_date, end_date] = [daysAgo(days - 1, zone), daysAgo(0, zone)];
  const read = useResource(
    JSON.stringify([userId, version, start_date, end_date]),
    (signal) =>
      api.insights.baselines({ user_id: userId, start_date, end_date, limit: 400 }, { signal }).toArray(400),
    true,
  );
  const range = useMemo(
    () => ({ from: Date.parse(`${start_date}T00:00:00Z`), to: Date.parse(`${end_date}T23:59:59Z`) }),
    [start_date, end_date],
  );
  return (
    <>
      <div class="row between">
        <h2>Trends</h2>
        <fieldset class="row" aria-label="Days">
          {spans.map((one) => (
            <button
              key={one}
              type="button"
              aria-pressed={one === days}
              onClick={() => setQuery({ days: String(one) }, false)}
            >
              {one} days
            </button>
          ))}
        </fieldset>
      </div>
      <p class="faint">
        The band of a day is what was usual in the 28 days before: the median and the spread, from 14 days
        with data on. <a href="/docs/guides/insights-baseline">How it is computed</a>
      </p>
      <Loaded of={read} what="trends">
        {(list) => {
          const lanes = trendLanes(list, zone);
          return lanes.length === 0 ? (
            <Empty>
              No daily values in this time. Resting heart rate, sleep, steps and weight are compared here.
            </Empty>
          ) : (
            <Lanes title={`The last ${days} days`} range={range} lanes={lanes} />
          );
        }}
      </Loaded>
    </>
  );
}
