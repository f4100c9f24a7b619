import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { User } from '../../clients/typescript/src/index.ts';
import { api } from './api.ts';
import { dayOf, type Zone } from './zone.ts';

/** The zone of the user whose part of a page it is; null in all others. */
export const UserZone = createContext<Zone>(null);
export const useZone = (): Zone => useContext(UserZone);

interface Zoned {
  readonly at: string;
  readonly zone: string | null | undefined;
}

/** The zone that is set for a user; null if none is. */
export const setZone = ({ time_zone = null }: User & { readonly time_zone?: Zone }) => time_zone;

const recentDays = 90;
const dayMs = 86_400_000;
const daysAgo = (days: number) => dayOf(null, Date.now() - days * dayMs);

/** The offset of a user's newest workout, night or sample. Null without one, or if they cannot be read. */
export async function newestZone(user_id: string, signal: AbortSignal): Promise<Zone> {
  const dates = { user_id, start_date: daysAgo(recentDays), end_date: daysAgo(-1), limit: 1 };
  const samples = {
    user_id,
    start_time: daysAgo(2),
    end_time: daysAgo(-1),
    limit: 1,
    types: ['heart_rate' as const, 'steps' as const],
    include: ['zone' as const],
  };
  const read = await Promise.allSettled([
    api.timeseries.workouts(dates, { signal }).then(({ data }) => data.map(zoneOfRecord)),
    api.timeseries.sleeps(dates, { signal }).then(({ data }) => data.map(zoneOfRecord)),
    api.timeseries
      .samples(samples, { signal })
      .then(({ data }) =>
        data.map(({ timestamp, zone_offset }): Zoned => ({ at: timestamp, zone: zone_offset })),
      ),
  ]);
  const found = read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const known = found.filter(({ zone }) => zone !== null && zone !== undefined);
  return known.toSorted((one, other) => Date.parse(other.at) - Date.parse(one.at))[0]?.zone ?? null;
}

const zoneOfRecord = ({
  end_time,
  zone_offset,
}: {
  end_time: string;
  zone_offset: string | null;
}): Zoned => ({
  at: end_time,
  zone: zone_offset,
});
