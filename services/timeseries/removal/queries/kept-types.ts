import { seriesOf, seriesTypes } from '../../../../domain/records/series.ts';
import { firstDayOf, type KeptDays } from '../kept-days.ts';

/** The series types of which not all is kept: their ids, their names, and the first local day of each, in columns. */
export interface KeptTypes {
  readonly ids: readonly number[];
  readonly names: readonly string[];
  readonly days: readonly string[];
}

/** The first local days of all series types as columns of a statement. */
export function keptTypes(kept: KeptDays): KeptTypes {
  const rows = seriesTypes.flatMap((type) => {
    const day = firstDayOf(kept, type);
    return day === null ? [] : [{ id: seriesOf(type).id, type, day }];
  });
  return {
    ids: rows.map(({ id }) => id),
    names: rows.map(({ type }) => type),
    days: rows.map(({ day }) => day),
  };
}
