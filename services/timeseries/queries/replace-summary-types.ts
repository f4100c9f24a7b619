import { type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import type { Database } from '../../../mixins/database/database.ts';

/**
 * Stores the series types that each summary is computed from, for the triggers that record changes. The lock is held
 * because several processes may start at once.
 */
export async function replaceSummaryTypes(
  database: Database,
  summaries: Readonly<Record<string, readonly SeriesType[]>>,
): Promise<void> {
  const rows = Object.entries(summaries).flatMap(([summary, types]) =>
    types.map((type) => ({ type_id: seriesOf(type).id, summary })),
  );
  await database.transaction(async (transaction) => {
    await transaction.query('lock table changes.summary_type in share row exclusive mode');
    await transaction.query(
      `with wanted as (select * from jsonb_to_recordset($1) r (type_id smallint, summary text)),
       removed as (
         delete from changes.summary_type t where not exists (
           select from wanted w where w.type_id = t.type_id and w.summary = t.summary))
       insert into changes.summary_type (type_id, summary) select type_id, summary from wanted on conflict do nothing`,
      [JSON.stringify(rows)],
    );
  });
}
