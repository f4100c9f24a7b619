import { type FreshKind, kindOfChange } from '../../../domain/freshness/shared-kinds.ts';
import { seriesCatalogue } from '../../../domain/records/series.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import { type KindDaysQuery, selectKindDays } from './queries/select-kind-days.ts';

const kindOfSeries: ReadonlyMap<number, FreshKind> = new Map(
  seriesCatalogue.flatMap(({ id, type }) => {
    const kind = kindOfChange('timeseries.updated', type);
    return kind === null ? [] : [[id, kind] as const];
  }),
);

/** The local days with data of users of a provider, by kind of data. */
export async function readKindDays(database: Queryable, query: KindDaysQuery) {
  return { data: await selectKindDays(database, kindOfSeries, query) };
}
