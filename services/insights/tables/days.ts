import type { DayReading } from '../../../domain/day-pages.ts';
import type { DayFacts } from '../../../domain/insights/day-facts.ts';
import type { DayResults } from '../../../domain/insights/day-results.ts';
import type { Queryable, Statement } from '../../../mixins/database/database.ts';
import type { ResultDay, ResultPart } from '../rules/wire.ts';

const holdStatement: Statement = {
  name: 'insights.hold',
  text: `
    insert into insights.computed as c (user_id, methods, sources) select live, $2, $3 from users.live_of(array[$1::uuid]) live
    on conflict (user_id) do update set methods = excluded.methods, sources = excluded.sources
    returning user_id`,
};

const beginStatement: Statement = {
  name: 'insights.begin',
  text: `
    insert into insights.computed (user_id, methods, sources) select live, '', '' from users.live_of(array[$1::uuid]) live
    on conflict (user_id) do nothing`,
};

/** Lets changes of a user mark days from now on. Nothing, if the user is deleted. */
export async function beginUser(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query(beginStatement, [userId]);
}

/** What days are computed with: the versions and weights of methods, and the order of sources that chooses the inputs. */
export interface ComputedWith {
  readonly methods: string;
  readonly sources: string;
}

/** Holds the days of a user until the transaction ends. False: the user is deleted. */
export async function holdUser(
  transaction: Queryable,
  userId: string,
  { methods, sources }: ComputedWith,
): Promise<boolean> {
  return (await transaction.query(holdStatement, [userId, methods, sources])).length > 0;
}

const insertFacts: Statement = {
  name: 'insights.insert_facts',
  text: `
    insert into insights.day as d (user_id, date, facts)
    select $1, date, facts::jsonb from unnest($2::date[], $3::text[]) g (date, facts) order by date
    on conflict (user_id, date) do update set facts = excluded.facts where d.facts is distinct from excluded.facts
    returning date::text`,
};

const removeFacts: Statement = {
  name: 'insights.remove_facts',
  text: `
    update insights.day set facts = null, baseline_28 = null, baseline_60 = null, scores = null, training = null
    where user_id = $1 and date = any($2) and facts is not null
    returning date::text`,
};

/** Writes the inputs of days that differ from the stored ones, null for days without data. Returns their dates. */
export async function writeFacts(
  transaction: Queryable,
  userId: string,
  facts: ReadonlyMap<string, DayFacts | null>,
): Promise<string[]> {
  const present = [...facts].flatMap(([date, fact]) =>
    fact === null ? [] : [[date, JSON.stringify(fact)] as const],
  );
  const gone = [...facts].flatMap(([date, fact]) => (fact === null ? [date] : []));
  const written = await transaction.query<{ date: string }>(insertFacts, [
    userId,
    present.map(([date]) => date),
    present.map(([, text]) => text),
  ]);
  const removed = await transaction.query<{ date: string }>(removeFacts, [userId, gone]);
  return [...written, ...removed].map(({ date }) => date);
}

/** The inputs of all days of a user, by date. */
export async function selectFacts(database: Queryable, userId: string): Promise<Map<string, DayFacts>> {
  const rows = await database.query<{ date: string; facts: DayFacts }>(
    {
      name: 'insights.select_facts',
      text: 'select date::text, facts from insights.day where user_id = $1 and facts is not null order by date',
    },
    [userId],
  );
  return new Map(rows.map(({ date, facts }) => [date, facts]));
}

const updateResults: Statement = {
  name: 'insights.update_results',
  text: `
    update insights.day d set baseline_28 = n.b28, baseline_60 = n.b60, scores = n.scores, training = n.training
    from (
      select o.date, coalesce(g.b28::jsonb, o.baseline_28) as b28, coalesce(g.b60::jsonb, o.baseline_60) as b60,
        coalesce(g.scores::jsonb, o.scores) as scores, g.training::jsonb as training
      from unnest($2::date[], $3::text[], $4::text[], $5::text[], $6::text[]) g (date, b28, b60, scores, training)
      join insights.day o on o.user_id = $1 and o.date = g.date
    ) n
    where d.user_id = $1 and d.date = n.date and (d.baseline_28, d.baseline_60, d.scores, d.training)
      is distinct from (n.b28, n.b60, n.scores, n.training)
    returning d.date::text`,
};

/** The results of a day. Without those that look back at most 60 days, these stay as they are. */
export type NewResults = Pick<DayResults, 'training'> & Partial<DayResults> & { readonly date: string };

/** Writes results that differ from the stored ones. Returns their dates. */
export async function writeResults(
  transaction: Queryable,
  userId: string,
  results: readonly NewResults[],
): Promise<string[]> {
  const column = (name: 'baseline_28' | 'baseline_60' | 'scores' | 'training') =>
    results.map(({ [name]: value }) => (value === undefined ? null : JSON.stringify(value)));
  const rows = await transaction.query<{ date: string }>(updateResults, [
    userId,
    results.map(({ date }) => date),
    column('baseline_28'),
    column('baseline_60'),
    column('scores'),
    column('training'),
  ]);
  return rows.map(({ date }) => date);
}

/** Deletes what is computed of a user. Returns the number of days. */
export async function deleteOfUser(transaction: Queryable, userId: string): Promise<void> {
  await transaction.query('delete from insights.computed where user_id = $1', [userId]);
  await transaction.query('delete from insights.day where user_id = $1', [userId]);
}

/** Deletes what is computed of all users, without events. */
export async function deleteComputed(transaction: Queryable): Promise<void> {
  await transaction.query("set local changes.unrecorded = 'on'");
  await transaction.query('delete from insights.computed');
  await transaction.query('delete from insights.day');
}

const parts = ['baseline_28', 'baseline_60', 'scores', 'training'] as const satisfies readonly ResultPart[];

const pageRange = 'user_id = $1 and date between $2 and $3 and training is not null';
const pageStatement = (part: ResultPart, order: 'asc' | 'desc') => `
  select c.methods = $7 and c.sources = $8 as current, (select count(*)::int from insights.day where ${pageRange}) as total, d.*
  from insights.computed c left join lateral (
    select date::text, ${part} as result, case when $6 then facts end as facts from insights.day
    where ${pageRange} and ($4::date is null or date ${order === 'asc' ? '>' : '<'} $4) order by insights.day.date ${order} limit $5
  ) d on true
  where c.user_id = $1 order by d.date ${order}`;

const statements: ReadonlyMap<string, Statement> = new Map(
  parts.flatMap((part) =>
    (['asc', 'desc'] as const).map((order) => [
      `${part} ${order}`,
      { name: `insights.select_${part}_${order}`, text: pageStatement(part, order) },
    ]),
  ),
);

/** Days of a user with one part of their results, and whether they were computed with what holds now. Null: they were not computed. */
export async function selectDays<Part extends ResultPart>(
  database: Queryable,
  part: Part,
  { user_id, first_date, last_date, after, order, limit }: DayReading,
  { withFacts, current }: { readonly withFacts: boolean; readonly current: ComputedWith },
): Promise<{
  readonly isCurrent: boolean | null;
  readonly total: number;
  readonly rows: readonly ResultDay<Part>[];
}> {
  type Row = ResultDay<Part> & { current: boolean; total: number; date: string | null };
  const statement = statements.get(`${part} ${order}`);
  if (statement === undefined) throw new Error(`no statement reads ${part}`);
  const values = [user_id, first_date, last_date, after, limit, withFacts, current.methods, current.sources];
  const rows = await database.query<Row>(statement, values);
  const days = rows.filter(({ date }) => date !== null);
  return { isCurrent: rows[0]?.current ?? null, total: rows[0]?.total ?? 0, rows: days };
}

/** Whether the triggers record changes of days in the rest of the transaction. */
export async function recordChanges(transaction: Queryable, state: 'on' | 'off'): Promise<void> {
  await transaction.query("select set_config('changes.unrecorded', $1, true)", [
    state === 'on' ? 'off' : 'on',
  ]);
}
