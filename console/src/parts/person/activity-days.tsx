import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { sourceOf } from '../../titles.ts';
import { useZone } from '../../user-zone.ts';
import { Bars } from '../charts/bars.tsx';
import { Empty, Loaded } from '../states.tsx';
import { daysAgo } from '../time.tsx';
import type { OfUser } from './of-user.ts';

/** The steps of each of the last 30 days, with their sources. */
export function ActivityDays({ userId, version }: OfUser) {
  const zone = useZone();
  const days = useResource(
    `${userId} ${version} ${zone}`,
    (signal) =>
      api.summaries
        .activity(
          { user_id: userId, start_date: daysAgo(29, zone), end_date: daysAgo(0, zone), limit: 100 },
          { signal },
        )
        .toArray(100),
    true,
  );
  return (
    <Loaded of={days} what="activity">
      {(list) =>
        list.length === 0 ? (
          <Empty>No activity in the last 30 days.</Empty>
        ) : (
          <Bars
            title="Steps by day"
            unit="steps"
            noteTitle="Source"
            bars={list
              .toSorted((one, other) => one.date.localeCompare(other.date))
              .map(({ date, steps, source }) => ({
                label: date,
                value: steps,
                note: sourceOf(source),
              }))}
          />
        )
      }
    </Loaded>
  );
}
