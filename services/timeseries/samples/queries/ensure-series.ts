import { longestDevice, readMethod, withMethod } from '../../../../domain/records/recording-method.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** A series of one user and provider. */
export interface SeriesKey {
  readonly type_id: number;
  readonly device: string;
}

interface SeriesRow extends SeriesKey {
  id: number;
  is_interval?: boolean;
}

const select = {
  name: 'timeseries-select-provider-series',
  text: `
    select s.id, s.type_id, s.device, s.is_interval from unnest($3::smallint[], $4::text[]) t (type_id, device)
    join timeseries.series s
      on s.user_id = $1 and s.type_id = t.type_id and s.provider = $2 and s.device = t.device`,
};

const insert = {
  name: 'timeseries-insert-series',
  text: `
    insert into timeseries.series (user_id, provider, type_id, device)
    select $1, $2, t.type_id, t.device from unnest($3::smallint[], $4::text[]) t (type_id, device)
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
  const taken = found.filter(({ is_interval }) => is_interval);
  if (taken.length > 0) return besideIntervals(transaction, userId, provider, keys, taken);
  const known = new Set(found.map(({ type_id, device }) => `${type_id} ${device}`));
  const missing = keys.filter(({ type_id, device }) => !known.has(`${type_id} ${device}`));
  if (missing.length === 0) return found;
  return [...found, ...(await transaction.query<SeriesRow>(insert, parameters(userId, provider, missing)))];
}

function parameters(userId: string, provider: string, keys: readonly SeriesKey[]): unknown[] {
  return [userId, provider, keys.map(({ type_id }) => type_id), keys.map(({ device }) => device)];
}

/** Samples of a device that has intervals of the type have a series of their own. */
async function besideIntervals(
  transaction: Queryable,
  userId: string,
  provider: string,
  keys: readonly SeriesKey[],
  taken: readonly SeriesKey[],
): Promise<SeriesRow[]> {
  const isTaken = (key: SeriesKey) =>
    taken.some(({ type_id, device }) => type_id === key.type_id && device === key.device);
  const nameOf = (key: SeriesKey) => (isTaken(key) ? besideName(key.device) : key.device);
  const named = keys.map((key) => ({ type_id: key.type_id, device: nameOf(key) }));
  const rows = await ensureSeries(transaction, userId, provider, named);
  return keys.flatMap((key, index) => {
    const row = rows.find(
      ({ type_id, device }) => type_id === key.type_id && device === named[index]?.device,
    );
    return row === undefined ? [] : [{ ...key, id: row.id }];
  });
}

/** The name of the series of samples of a device that has intervals of the type. */
function besideName(stored: string): string {
  const end = ' (samples)';
  const { device, method } = readMethod(stored);
  return withMethod(`${device.slice(0, longestDevice - end.length)}${end}`, method);
}
