import { isSeriesType, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { convert } from '../../../providers/phone/normalise/units.ts';
import type { SeriesDefinition } from './rows.ts';
import { type MovedProvider, seriesNames } from './sources.ts';

/** A series of ours for a code of theirs, and how its values are converted. */
export interface MovedSeries {
  readonly code: string;
  readonly type: SeriesType;
  readonly min: number;
  readonly max: number;
  /** Converts a value to our unit. */
  readonly convert: (value: number) => number;
}

/** A code without a series, and the reason. */
export interface UnmovedSeries {
  readonly code: string;
  readonly reason: string;
}

/** The time that a provider calls active. It is a total of a day whatever its row says. */
export const activeTime = 'active_time';

const location = 'location data, which no series has';
const reasons: Readonly<Record<string, string>> = { latitude: location, longitude: location };

/** Their names of units that are not ours. */
const units: Readonly<Record<string, string>> = {
  mg_dl: 'mg/dL',
  brpm: 'breaths per minute',
  kg_m2: 'kg/m2',
  ml_kg_min: 'ml/kg/min',
  met: 'MET',
  m_per_s: 'm/s',
  'L/min': 'liters',
  mmol_l: 'mmol/L',
  fahrenheit: 'degF',
};

/** The series of a code at a provider, or the reason why it has none. */
export function seriesOfCode(
  { code, unit }: SeriesDefinition,
  { series }: Pick<MovedProvider, 'series'>,
): MovedSeries | UnmovedSeries {
  const name = series[code] ?? seriesNames[code] ?? code;
  if (!isSeriesType(name)) return { code, reason: reasons[code] ?? 'no series has this code' };
  const { unit: wanted, min, max } = seriesOf(name);
  const sent = unit == null ? null : (units[unit] ?? unit);
  if (sent === null || sent === wanted) return { code, type: name, min, max, convert: (value) => value };
  if (convert(1, sent, wanted) === null)
    return { code, reason: 'the unit of its definition cannot be converted' };
  return { code, type: name, min, max, convert: (value) => convert(value, sent, wanted) ?? Number.NaN };
}

/** Whether a code has a series. */
export const isMoved = (series: MovedSeries | UnmovedSeries): series is MovedSeries => 'type' in series;
