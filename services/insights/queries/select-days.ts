import type { DayFacts } from '../../../domain/insights/day-facts.ts';
import type { DayResults } from '../../../domain/insights/day-results.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ComputedWith } from './compute.ts';

/** A part of the results of a day. */
export type ResultPart = keyof DayResults;
const parts = ['baseline_28', 'baseline_60', 'scores', 'training'] as const satisfies readonly ResultPart[];

/** A computed day with one part of its results, and its inputs if they were requested. */
export interface ResultDay<Part extends ResultPart> {
  readonly date: string;
  readonly facts: DayFacts | null;
  readonly result: DayResults[Part];
}

/** Which days are read: at most `limit` after the date `after`, in reading order. */
export interface DayPage {
  readonly user_id: string;
  readonly first_date: string;
  readonly last_date: string;
  readonly after: string | null;
  readonly order: 'asc' | 'desc';
  readonly limit: number;
}

const range = 'user_id = $1 and date between $2 and $3 and training is not null';
const textOf = (part: ResultPart, order: 'asc' | 'desc') => `
  select c.methods = $7 and c.sources = $8 as current, (select count(*)::int from insights.day where ${range}) as total, d.*
  from insights.computed c left join lateral (
    select date::text, ${part} as result, case when $6 then facts end as facts from insights.day
    where ${range} and ($4::date is null or date ${order === 'asc' ? '>' : '<'} $4) order by insights.day.date ${order} limit $5
  ) d on true
  where c.user_id = $1 order by d.date ${order}`;

const statements: ReadonlyMap<string, Statement> = new Map(
  parts.flatMap((part) =>
    (['asc', 'desc'] as const).map((order) => [
      `${part} ${order}`,
      { name: `insights.select_${part}_${order}`, text: textOf(part, order) },
    ]),
  ),
);

/** Days of a user with one part of their results, and whether they were computed with what holds now. Null: they were not computed. */
export async function selectDays<Part extends ResultPart>(
  database: Queryable,
  part: Part,
  { user_id, first_date, last_date, after, order, limit }: DayPage,
  { withFacts, wanted }: { readonly withFacts: boolean; readonly wanted: ComputedWith },
): Promise<{
  readonly isCurrent: boolean | null;
  readonly total: number;
  readonly rows: readonly ResultDay<Part>[];
}> {
  type Row = ResultDay<Part> & { current: boolean; total: number; date: string | null };
  const statement = statements.get(`${part} ${order}`);
  if (statement === undefined) throw new Error(`no statement reads ${part}`);
  const values = [user_id, first_date, last_date, after, limit, withFacts, wanted.methods, wanted.sources];
  const found = await database.query<Row>(statement, values);
  const rows = found.filter(({ date }) => date !== null);
  return { isCurrent: found[0]?.current ?? null, total: found[0]?.total ?? 0, rows };
}
