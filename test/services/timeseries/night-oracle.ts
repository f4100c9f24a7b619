import type { NightMeans } from '../../../domain/provider/facts.ts';
import type { Database } from '../../../mixins/database/database.ts';

/** The means of a provider's night of a user. */
export interface OracleNight extends NightMeans {
  readonly user_id: string;
  readonly date: string;
  readonly provider: string;
}

// From sessions and samples alone: neither statistics nor kept means are read.
const wanted = `
  with session as (
    select user_id, date, provider, device, start_time, end_time, asleep_seconds
    from timeseries.sleep_session where not is_nap
  ), night as (
    select user_id, date, provider,
      (array_agg(device order by asleep_seconds desc, start_time))[1] as device
    from session group by user_id, date, provider
  ), found as (
    select n.user_id, n.date, n.provider, y.name, s.device, s.device = n.device as is_own, count(*) as n,
      sum(x.value) as total
    from night n join session p using (user_id, date, provider)
    join timeseries.series s on s.user_id = n.user_id and s.provider = n.provider
    join timeseries.series_type y on y.id = s.type_id
    join timeseries.sample x on x.series_id = s.id and x.ts >= p.start_time and x.ts < p.end_time
    group by n.user_id, n.date, n.provider, y.name, s.device, n.device
  ), chosen as (
    select distinct on (user_id, date, provider, name) user_id, date, provider, name, total / n as mean
    from found order by user_id, date, provider, name, is_own desc, n desc, device collate "C"
  )
  select n.user_id, n.date::text, n.provider,
    max(c.mean) filter (where name = 'heart_rate') as heart_rate,
    max(c.mean) filter (where name = 'heart_rate_variability_sdnn') as heart_rate_variability_sdnn,
    max(c.mean) filter (where name = 'respiratory_rate') as respiratory_rate,
    max(c.mean) filter (where name = 'oxygen_saturation') as oxygen_saturation
  from night n left join chosen c using (user_id, date, provider)
  group by n.user_id, n.date, n.provider order by 1, 2, 3`;

/** The nights with a main session of all users, with means that are computed anew. */
export const nightsAnew = (database: Database): Promise<OracleNight[]> => database.query<OracleNight>(wanted);

const kept = `
  select user_id, date::text, provider, heart_rate, heart_rate_variability_sdnn, respiratory_rate, oxygen_saturation
  from timeseries.night_mean where not stale order by 1, 2, 3`;

/** The kept means that are not stale. */
export const keptNights = (database: Database): Promise<OracleNight[]> => database.query<OracleNight>(kept);

/** The kept means that are not those computed anew; empty if there are none. */
export async function wrongNights(database: Database): Promise<string[]> {
  // One statement each, but nothing is stored meanwhile.
  const anew = new Map((await nightsAnew(database)).map((night) => [keyOf(night), night]));
  return (await keptNights(database)).flatMap((night) => {
    const [is, should] = [JSON.stringify(night), JSON.stringify(anew.get(keyOf(night)))];
    return is === should ? [] : [`kept ${is} instead of ${should}`];
  });
}

/** The name of a night in comparisons. */
export const keyOf = ({ user_id, date, provider }: Pick<OracleNight, 'user_id' | 'date' | 'provider'>) =>
  `${user_id} ${date} ${provider}`;
