import { hash } from 'node:crypto';
import { withoutNoise } from '../../../domain/json/decimals.ts';
import { isItem, valueAt } from '../../../domain/recipe/read-fields.ts';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import { isScoreOf, type ScoreRecord } from '../../../domain/records/scores.ts';
import { accepts, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { dayMs, isoTime } from '../../../domain/time/time.ts';
import { textOrNull } from '../../phone/normalise/item.ts';
import { type Clocks, type FamilyClock, numberIn, type Placed, unzonedMs, zonedMs } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { type Entry, type Skipped, skipped, spanProblem } from '../entry.ts';
import { cellOf, isRelayed } from './sums.ts';

const device = 'Fitbit';

/** A value of a member. `null`: nothing was measured. A text: why it is not kept. */
type Reading =
  | { readonly at: Placed; readonly isLocal: boolean; readonly value: number; readonly source: string }
  | string
  | null;

/** A sample of a series. `isLocal`: its time is that of the user's clock, which the store places. */
interface Sample {
  readonly series: SeriesType;
  readonly at: Placed;
  readonly isLocal: boolean;
  readonly value: number;
  readonly source: string;
}

function sampleEntry({ series, at: { ms, offset }, isLocal, value, source }: Sample, nowMs: number): Entry {
  const span = { start_ms: ms, end_ms: ms };
  const problem = spanProblem(span, nowMs);
  if (problem !== null) return skipped(series, problem);
  const { min, max } = seriesOf(series);
  if (!accepts(series, value)) return skipped(series, `The value is not ${min} to ${max}.`);
  const from = { device_type: 'unknown', device: source, device_id: null, app: null } as const;
  const record = {
    ...span,
    id: '',
    kind: 'sample',
    series,
    value,
    source: from,
    zone_offset_minutes: isLocal ? null : offset,
    is_local: isLocal,
  } as const;
  return { kind: 'record', record };
}

/** How a member of a sampled metric is read. */
export type ReadRow = (row: Row) => Reading;
export type ReadElement = (element: unknown) => Reading;

/**
 * The samples of a metric, of which two members of a day may have the same. The first one counts, and the other one on days of UTC that it
 * lacks. What other apps wrote on the phone counts on days without other sources.
 */
export class SampledValues {
  readonly #series: SeriesType;
  readonly #nowMs: number;
  readonly #days = new Set<number>();
  readonly #ownDays = new Set<number>();

  constructor(series: SeriesType, nowMs: number) {
    this.#series = series;
    this.#nowMs = nowMs;
  }

  collect(reading: Reading): void {
    if (reading === null || typeof reading === 'string') return;
    const day = Math.floor(reading.at.ms / dayMs);
    this.#days.add(day);
    if (!isRelayed(reading.source)) this.#ownDays.add(day);
  }

  /** The entries of a reading of the member that counts. */
  read(reading: Reading): readonly Entry[] {
    if (reading === null) return [];
    if (typeof reading === 'string') return [skipped(this.#series, reading)];
    const { at, isLocal, value, source } = reading;
    if (isRelayed(source) && this.#ownDays.has(Math.floor(at.ms / dayMs)))
      return [skipped(this.#series, 'Another source of this day counts.')];
    const shown = source.slice(0, 100) || device;
    return [sampleEntry({ series: this.#series, at, isLocal, value, source: shown }, this.#nowMs)];
  }

  /** The entries of a reading of the other member. */
  readOther(reading: Reading): readonly Entry[] {
    const isCovered =
      reading !== null && typeof reading !== 'string' && this.#days.has(Math.floor(reading.at.ms / dayMs));
    return isCovered
      ? [skipped(this.#series, 'The same values of this day are in another member.')]
      : this.read(reading);
  }
}

const noTime = 'The time cannot be read.';

/** Reads rows whose times are UTC. `factor`: to the unit of the series. */
export const utcRow =
  (factor = 1, column?: string): ReadRow =>
  (row) => {
    const ms = zonedMs(row.timestamp);
    const value = numberIn(column === undefined ? cellOf(row) : row[column]);
    if (Number.isNaN(ms)) return noTime;
    if (value === null) return null;
    const source = row['data source'] ?? '';
    return { at: { ms, offset: null }, isLocal: false, value: withoutNoise(value * factor), source };
  };

function localTime(clocks: Clocks, unzoned: number) {
  const at = clocks.place(unzoned);
  return { at, isLocal: at.offset === null };
}

/** Reads rows whose times are those of the user's clock. */
export const localRow =
  (clocks: Clocks, column: string): ReadRow =>
  (row) => {
    const ms = unzonedMs(row.timestamp);
    const value = numberIn(row[column]);
    if (Number.isNaN(ms)) return noTime;
    return value === null ? null : { ...localTime(clocks, ms), value, source: '' };
  };

const invalidOxygen = 50;

/** Reads the oxygen saturation of a minute. 50 stands where the device could not measure it. */
export const oxygenRow: ReadRow = (row) => {
  const reading = utcRow(1, 'value')(row);
  const isInvalid = reading !== null && typeof reading !== 'string' && reading.value === invalidOxygen;
  return isInvalid ? 'The device could not measure the value.' : reading;
};

/** Reads an element of `heart_rate-*.json`. Its clock is that of the steps; a confidence of 0 is that of a device that is not worn. */
export const rateElement =
  (clocks: Clocks, clock: () => FamilyClock | null): ReadElement =>
  (element) => {
    const item = isItem(element) ? element : {};
    const ms = unzonedMs(item.dateTime);
    const value = numberIn(valueAt(item, ['value', 'bpm']));
    if (Number.isNaN(ms)) return noTime;
    if (value === null) return null;
    if (valueAt(item, ['value', 'confidence']) === 0) return 'The device was not sure of the value.';
    const of = clock();
    if (of === null) return 'The archive does not show the clock of these times, which have no zone.';
    const time = of === 'utc' ? { at: { ms, offset: null }, isLocal: false } : localTime(clocks, ms);
    return { ...time, value, source: '' };
  };

/** Reads the body fat of an element of `weight-*.json`. */
export const fatElement =
  (clocks: Clocks): ReadElement =>
  (element) => {
    const item = isItem(element) ? element : {};
    const ms = unzonedMs(`${String(item.date)} ${String(item.time ?? '12:00:00')}`);
    const value = numberIn(item.fat);
    if (value === null || value === 0) return null;
    if (Number.isNaN(ms)) return noTime;
    return { ...localTime(clocks, ms), value, source: textOrNull(item.source, 100) ?? '' };
  };

const noonMs = dayMs / 2;

/** Values of local days, of which two members may have the same. The first one counts. */
export class DailyValues {
  readonly #series: SeriesType;
  readonly #clocks: Clocks;
  readonly #values = [new Map<number, number>(), new Map<number, number>()] as const;
  readonly #problems: Skipped[] = [];

  constructor(series: SeriesType, clocks: Clocks) {
    this.#series = series;
    this.#clocks = clocks;
  }

  /** Takes a value. `midnight`: of the local date, as if it were UTC. 0 is none. */
  add(midnight: number, value: number | null, isOther = false): void {
    if (value === null || value === 0) return;
    if (Number.isNaN(midnight)) this.#problems.push(skipped(this.#series, noTime));
    else this.#values[isOther ? 1 : 0].set(Math.floor(midnight / dayMs) * dayMs, value);
  }

  /** The entries. A value of a day is placed at its noon. */
  entries(nowMs: number): Entry[] {
    const [first, other] = this.#values;
    const all = new Map([...other, ...first]);
    const samples = [...all]
      .toSorted(([a], [b]) => a - b)
      .map(([midnight, value]): Entry => {
        const at = this.#clocks.place(midnight + noonMs);
        const isLocal = at.offset === null;
        return sampleEntry({ series: this.#series, at, isLocal, value, source: device }, nowMs);
      });
    return [...this.#problems, ...samples];
  }
}

/** The midnight of a row of a day. `Z` stands there beside local dates too. */
export function midnightOf(text: string | undefined): number {
  return unzonedMs(text?.slice(0, 10));
}

const componentNames = ['activity', 'sleep', 'hrv'] as const;

/** Reads a row of `Daily Readiness Score`. */
export function readinessEntry(row: Row, nowMs: number): readonly Entry[] {
  const midnight = midnightOf(row.date);
  const value = numberIn(row.readiness_score_value);
  if (value === null || value === 0) return [];
  const span = { start_ms: midnight, end_ms: midnight + dayMs };
  const problem = Number.isNaN(midnight) ? noTime : spanProblem({ ...span, end_ms: midnight }, nowMs);
  if (problem !== null) return [skipped('readiness', problem)];
  if (!isScoreOf('readiness', value)) return [skipped('readiness', 'The value is not 0 to 100.')];
  const components = Object.fromEntries(
    componentNames.flatMap((name) => {
      const part = numberIn(row[`${name}_subcomponent`]);
      return part === null ? [] : [[name, part]];
    }),
  );
  const date = isoTime(midnight).slice(0, 10);
  const score: ScoreRecord = {
    ...span,
    kind: 'readiness',
    value,
    label: textOrNull(row.readiness_state, 60),
    components,
    date,
    zone_offset_minutes: null,
    device,
  };
  const item: StoreItem = {
    ...bareItem,
    data_type: 'readiness',
    key: `fitbit ${date}`,
    hash: hash('sha256', JSON.stringify(score), 'base64url'),
    supersede: 'latest',
    duration_seconds: 0,
    scores: [score],
    is_local: true,
  };
  return [{ kind: 'item', item, type: 'readiness', span }];
}
