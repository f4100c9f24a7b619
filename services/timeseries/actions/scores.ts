import { z } from 'zod';
import type { ComputedScore, DayInsights } from '../../../contracts/insights/schemas.ts';
import type { Score, ScoreCategory } from '../../../contracts/timeseries/scores.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { decodeCursor } from '../../../domain/cursor.ts';
import { type Page, pageFrom } from '../../../domain/page.ts';
import {
  CalendarDate,
  datesOf,
  dateToMs,
  dayMs,
  formatInstant,
  formatOffset,
  lastMs,
} from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Call } from '../../../runtime/environment.ts';
import { isoMicroseconds } from '../rules/scan-range.ts';
import type { Settings } from '../rules/sources.ts';
import { type ScoreRow, selectScores } from '../tables/scores.ts';

const Key = z.tuple([CalendarDate, z.int(), z.uuid()]);

/**
 * One page of a user's scores of local days, newest day first, of one day by start and id. Instants stand for the UTC dates that
 * [start, end) touches, and the metadata contain the range in whole days. @throws RANGE_INVALID, CURSOR_INVALID (422)
 */
export async function readScores(
  database: Queryable,
  { shownAs }: Settings,
  request: ParamsOf<typeof timeseries, 'scores'>,
): Promise<Page<Score>> {
  const { user_id: userId, provider = null, limit } = request;
  const kind = request.category ?? request.kind ?? null;
  const { firstDate, lastDate } = datesOf(request);
  const query = ['scores', userId, firstDate, lastDate, kind, provider];
  const cursor = request.cursor === undefined ? null : decodeCursor(request.cursor, query, Key);
  const { rows, total } = await selectScores(
    database,
    { userId, firstDate, lastDate, kind, provider },
    { direction: cursor?.direction ?? 'next', after: cursor === null ? null : positionOf(cursor.key) },
    limit + 1,
  );
  return pageFrom({
    query,
    limit,
    rows,
    resolution: null,
    totalCount: total,
    direction: cursor?.direction ?? null,
    range: { startMs: dateToMs(firstDate), endMs: Math.min(dateToMs(lastDate) + dayMs, lastMs) },
    keyOf: ({ date, at, id }: ScoreRow) => [date, at, id],
    toWire: (row) => scoreToWire(row, shownAs),
  });
}

const mostComputed = 400;

/** The scores of a category that Pulsebus computes of the days of a first page. @throws NOT_IMPLEMENTED (501) if INSIGHTS is off */
export async function readComputedScores(
  call: Call,
  request: ParamsOf<typeof timeseries, 'scores'>,
): Promise<{ readonly computed?: ComputedScore[] }> {
  const { user_id, category, cursor } = request;
  if (category === undefined || cursor !== undefined) return {};
  const { firstDate, lastDate } = datesOf(request);
  const { data } = await call('insights.days', {
    user_id,
    start_date: firstDate,
    end_date: lastDate,
    sort_order: 'desc',
    limit: mostComputed,
  });
  return { computed: data.map(computedOf[category]) };
}

const computedOf: Readonly<Record<ScoreCategory, (day: DayInsights) => ComputedScore>> = {
  sleep: ({ date, sleep_score }) => ({ date, ...sleep_score }),
  resilience({ date, resilience: { coefficient, mean_ms, nights, ...rest } }) {
    return {
      date,
      value: coefficient,
      components: coefficient === null ? null : { mean_ms, nights },
      ...rest,
    };
  },
};

const positionOf = ([date, at, id]: z.infer<typeof Key>) => ({ date, start: isoMicroseconds(at), id });

function scoreToWire(row: ScoreRow, shownAs: Settings['shownAs']): Score {
  return {
    id: row.id,
    kind: row.kind,
    value: row.value,
    label: row.label,
    components: row.components,
    source: { provider: shownAs(row.provider), device: row.device },
    date: row.date,
    start_time: formatInstant(row.start_ms),
    end_time: formatInstant(row.end_ms),
    zone_offset: formatOffset(row.zone_offset_minutes),
  };
}
