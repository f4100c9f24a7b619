import type { Actions } from '../../contracts/all.ts';
import type { Day, RecoverySummary } from '../../contracts/summaries/schemas.ts';
import type { Score } from '../../contracts/timeseries/scores.ts';
import type { DayKind, DayReading } from '../../domain/day-pages.ts';
import type { DayValueRecord } from '../../domain/provider/facts.ts';
import type { ScoreKind } from '../../domain/records/scores.ts';
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
    user_id,
    first_date: date,
    last_date: date,
    after: null,
    order: 'asc',
    provider: null,
    limit: 1,
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

type Recovered = Actions['insights.recoveryDays']['returns']['days'][number];
type RecoveryDay = Recovered & Pick<RecoverySummary, 'methods' | 'scores'>;

const recoveryKinds = ['readiness', 'recovery', 'recharge'] as const satisfies readonly ScoreKind[];
const scoresPerRead = 100;

/** How days of recovery are read: deviations from the user's baselines, and the scores of providers. */
export const recovery = (call: Call, explain: boolean) => ({
  name: `recovery ${explain}`,
  async read(reading: DayReading) {
    const { total, days, methods } = await call('insights.recoveryDays', reading);
    const dates = days.map(({ date }) => date).toSorted();
    const scores = await scoresOf(call, reading.user_id, dates[0], dates.at(-1));
    const rows = days.map((day): RecoveryDay => ({ ...day, methods, scores: scores.get(day.date) ?? [] }));
    return { total, rows };
  },
  toWire({ date, measures, inputs, scores, methods }: RecoveryDay): RecoverySummary {
    const source = inputs.find((input) => input.source !== null)?.source ?? scores[0]?.source ?? null;
    return {
      date,
      source,
      measures,
      scores,
      methods,
      ...(explain ? { inputs } : {}),
    };
  },
});

async function scoresOf(call: Call, user_id: string, first?: string, last = first) {
  const scores: Score[] = [];
  if (first === undefined || last === undefined) return Map.groupBy(scores, ({ date }) => date);
  for (const kind of recoveryKinds) {
    let cursor: string | null = null;
    do {
      const page: Actions['timeseries.scores']['returns'] = await call('timeseries.scores', {
        user_id,
        start_date: first,
        end_date: last,
        kind,
        limit: scoresPerRead,
        ...(cursor === null ? {} : { cursor }),
      });
      scores.push(...page.data);
      cursor = page.pagination.next_cursor;
    } while (cursor !== null);
  }
  return Map.groupBy(scores, ({ date }) => date);
}
