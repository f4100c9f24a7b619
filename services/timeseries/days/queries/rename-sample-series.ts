import type { Queryable } from '../../../../mixins/database/database.ts';
import { besideName } from '../../samples/queries/ensure-series.ts';

const statement = {
  name: 'timeseries-rename-sample-series',
  text: `
    update timeseries.series s set device = t.beside
    from unnest($4::text[], $5::text[]) t (device, beside)
    where s.user_id = $1 and s.provider = $2 and s.type_id = any($3::smallint[]) and s.device = t.device
      and not s.is_interval
      and not exists (
        select from timeseries.series o
        where o.user_id = $1 and o.type_id = s.type_id and o.provider = $2 and o.device = t.beside)`,
};

/** Series whose samples become intervals, which have the name of the device. */
export interface RenamedSeries {
  readonly user_id: string;
  readonly provider: string;
  readonly typeIds: readonly number[];
  readonly devices: readonly string[];
}

/** Renames series of samples, so that series of intervals take their names. */
export async function renameSampleSeries(
  transaction: Queryable,
  { user_id, provider, typeIds, devices }: RenamedSeries,
): Promise<void> {
  await transaction.query(statement, [user_id, provider, typeIds, devices, devices.map(besideName)]);
}
