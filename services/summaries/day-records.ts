import type { Day } from '../../contracts/summaries/schemas.ts';
import type { DayKind } from '../../domain/day-pages.ts';
import type { DayValueRecord } from '../../domain/provider/facts.ts';
import { formatInstant, formatOffset } from '../../domain/time/time.ts';
import type { ProviderName } from '../../providers/all.ts';
import type { Call } from '../../runtime/environment.ts';
import { type SourceRules, sourceToWire } from './sources.ts';

interface DayRow {
  readonly date: string;
  readonly records: readonly DayValueRecord[];
}

/** Days with the values that no summary has. Null for the provider means all. */
export function dayKind(call: Call, rules: SourceRules, provider: ProviderName | null): DayKind<DayRow, Day> {
  return {
    name: `days ${provider ?? ''}`,
    async read(reading) {
      const { total, fitting, days } = await call('timeseries.dayValues', { ...reading, provider });
      return { total, fitting, rows: days };
    },
    toWire: (row) => dayToWire(row, rules),
  };
}

/** One day, without records if there are none. */
export async function readDay(
  call: Call,
  rules: SourceRules,
  { user_id, date }: { readonly user_id: string; readonly date: string },
): Promise<Day> {
  const { days } = await call('timeseries.dayValues', {
    ...{ user_id, first_date: date, last_date: date, after: null, order: 'asc', provider: null, limit: 1 },
  });
  return dayToWire(days[0] ?? { date, records: [] }, rules);
}

function dayToWire({ date, records }: DayRow, rules: SourceRules): Day {
  return {
    date,
    records: records.map(({ provider, device, start_ms, end_ms, zone_offset_minutes, ...rest }) => ({
      source: sourceToWire(provider, device, rules),
      data_type: rest.data_type,
      start_time: formatInstant(start_ms),
      end_time: formatInstant(end_ms),
      zone_offset: formatOffset(zone_offset_minutes),
      values: rest.values,
      extra: rest.extra,
    })),
  };
}
