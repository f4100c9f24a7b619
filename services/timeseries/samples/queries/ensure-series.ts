import type { Queryable } from '../../../../mixins/database.ts';

/** A series of one user and provider. */
export interface SeriesKey {
  readonly type_id: number;
  readonly device: string;
}

interface SeriesRow extends SeriesKey {
  id: number;
}

const select = {
  name: 'timeseries-select-provider-series',
  text: `
    select s.id, s.type_id, s.device from unnest($3::smallint[], $4::text[]) t (type_id, device)
    join timeseries.series s
      on s.user_id = $1 and s.type_id = t.type_id and s.provider = $2 and s.device = t.device`,
};

const insert = {
  name: 'timeseries-insert-series',
  text: `
    insert into timeseries.series (user_id, provider, type_id, device, unclaimed_until)
    select $1, $2, t.type_id, t.device, '-infinity' from unnest($3::smallint[], $4::text[]) t (type_id, device)
    on conflict (user_id, type_id, provider, device) do update set device = excluded.device
    returning id, type_id, device`,
};

/** The ids of series. Missing series are inserted. The caller holds the user's lock. */
export async function ensureSeries(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly SeriesKey[],
): Promise<SeriesRow[]> {
  if (keys.length === 0) return [];
  const found = await transaction.query<SeriesRow>(select, parameters(userId, provider, keys));
  const known = new Set(found.map(({ type_id, device }) => `${type_id} ${device}`));
  const missing = keys.filter(({ type_id, device }) => !known.has(`${type_id} ${device}`));
  if (missing.length === 0) return found;
  return [...found, ...(await transaction.query<SeriesRow>(insert, parameters(userId, provider, missing)))];
}

function parameters(userId: string, provider: string, keys: readonly SeriesKey[]): unknown[] {
  return [userId, provider, keys.map(({ type_id }) => type_id), keys.map(({ device }) => device)];
}
