import type { IntervalSource } from '../../../../domain/records/interval-records.ts';
import { summedTypes } from '../../../../domain/records/interval-records.ts';
import { longestDevice, withMethod } from '../../../../domain/records/recording-method.ts';
import { seriesOf } from '../../../../domain/records/series.ts';
import type { Queryable } from '../../../../mixins/database/database.ts';

/** A stored source. `device` is the name of its series. */
export interface SourceRow {
  id: number;
  device_type: string;
  device_id: string;
  app: string;
  device: string;
}

const columns = 'id, device_type, device_id, app, device';
const select = {
  name: 'timeseries-select-interval-sources',
  text: `select ${columns} from timeseries.interval_source where set_id = $1`,
};

// Series of samples of the same types.
const selectTaken = {
  name: 'timeseries-select-taken-devices',
  text: `
    select distinct s.device from timeseries.interval_set i
    join timeseries.series s on s.user_id = i.user_id and s.provider = i.provider
    where i.id = $1 and not s.is_interval and s.type_id = any($2::smallint[])`,
};

const insert = {
  name: 'timeseries-insert-interval-source',
  text: `
    insert into timeseries.interval_source (set_id, device_type, device_id, app, device)
    values ($1, $2, $3, $4, $5) returning ${columns}`,
};

const summedIds = summedTypes.map((type) => seriesOf(type).id);

/** The stored sources of a call, in its order. Missing ones are inserted. The caller holds the user's lock. */
export async function ensureIntervalSources(
  transaction: Queryable,
  setId: number,
  sources: readonly IntervalSource[],
): Promise<SourceRow[]> {
  const stored = await transaction.query<SourceRow>(select, [setId]);
  const known = new Map(stored.map((row) => [identity(row), row]));
  const rows: SourceRow[] = [];
  for (const source of sources) {
    const wanted = columnsOf(source);
    const row = known.get(identity(wanted)) ?? (await insertSource(transaction, setId, source, known));
    known.set(identity(row), row);
    rows.push(row);
  }
  return rows;
}

async function insertSource(
  transaction: Queryable,
  setId: number,
  source: IntervalSource,
  known: ReadonlyMap<string, SourceRow>,
): Promise<SourceRow> {
  const ofSamples = await transaction.query<{ device: string }>(selectTaken, [setId, summedIds]);
  const taken = new Set([...known.values(), ...ofSamples].map(({ device }) => device));
  const { device_type, device_id, app } = columnsOf(source);
  const values = [setId, device_type, device_id, app, freeName(source, taken)];
  const [row] = await transaction.query<SourceRow>(insert, values);
  if (row === undefined) throw new Error('the source was inserted');
  return row;
}

/** The name of the device; with the app, then with a number, if another source has that name. */
function freeName({ device, app, device_type }: IntervalSource, taken: ReadonlySet<string>): string {
  const stored = (shown: string) => withMethod(shown, device_type === 'manual' ? 'manual' : null);
  const name = app === null ? device : suffixed(device, ` (${app})`);
  for (const candidate of [device, name].map(stored)) if (!taken.has(candidate)) return candidate;
  for (let number = 2; ; number += 1) {
    const candidate = stored(suffixed(name, ` ${number}`));
    if (!taken.has(candidate)) return candidate;
  }
}

// The name of a method fits after it.
function suffixed(name: string, suffix: string): string {
  const end = suffix.slice(0, longestDevice - 1);
  return `${name.slice(0, longestDevice - end.length)}${end}`;
}

function columnsOf({ device_type, device, device_id, app }: IntervalSource) {
  return { device_type, device_id: device_id ?? device, app: app ?? '' };
}

function identity({ device_type, device_id, app }: Omit<SourceRow, 'id' | 'device'>): string {
  return JSON.stringify([device_type, device_id, app]);
}
