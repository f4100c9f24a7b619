import type { Actions } from '../../contracts/all.ts';
import type { RecoverySummary } from '../../contracts/summaries/schemas.ts';
import type { Score } from '../../contracts/timeseries/scores.ts';
import type { Reading } from '../../domain/day-pages.ts';
import type { ScoreKind } from '../../domain/records/scores.ts';
import type { Call } from '../../runtime/environment.ts';

type Recovered = Actions['insights.recoveryDays']['returns']['days'][number];
type RecoveryDay = Recovered & Pick<RecoverySummary, 'methods' | 'scores'>;

const kinds = ['readiness', 'recovery', 'recharge'] as const satisfies readonly ScoreKind[];
const scoresPerRead = 100;

/** How days of recovery are read: deviations from the user's baselines, and the scores of providers. */
export const recovery = (call: Call, explain: boolean) => ({
  name: `recovery ${explain}`,
  async read(reading: Reading) {
    const { total, days, methods } = await call('insights.recoveryDays', reading);
    const dates = days.map(({ date }) => date).toSorted();
    const scores = await scoresOf(call, reading.user_id, dates[0], dates.at(-1));
    const rows = days.map((day): RecoveryDay => ({ ...day, methods, scores: scores.get(day.date) ?? [] }));
    return { total, rows };
  },
  toWire({ date, measures, inputs, scores, methods }: RecoveryDay): RecoverySummary {
    const source = inputs.find((one) => one.source !== null)?.source ?? scores[0]?.source ?? null;
    return {
      ...{ date, source, measures, scores, methods },
      ...(explain ? { inputs } : {}),
    };
  },
});

async function scoresOf(call: Call, user_id: string, first?: string, last = first) {
  const found: Score[] = [];
  if (first === undefined || last === undefined) return Map.groupBy(found, ({ date }) => date);
  for (const kind of kinds) {
    let cursor: string | null = null;
    do {
      const page: Actions['timeseries.scores']['returns'] = await call('timeseries.scores', {
        ...{ user_id, start_date: first, end_date: last, kind, limit: scoresPerRead },
        ...(cursor === null ? {} : { cursor }),
      });
      found.push(...page.data);
      cursor = page.pagination.next_cursor;
    } while (cursor !== null);
  }
  return Map.groupBy(found, ({ date }) => date);
}
