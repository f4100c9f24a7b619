import { withoutNoise } from '../../../domain/json/decimals.ts';
import { bareDay } from '../../../domain/recipe/item-of-record.ts';
import type { DayValues } from '../../../domain/records/day-values.ts';
import { bareItem, type DayRecord, type StoreItem } from '../../../domain/records/records.ts';
import { dayMs } from '../../../domain/time/time.ts';
import { type DayPlace, numberOf } from './cells.ts';
import { type Counter, movedItem } from './mapped.ts';
import type { ArchiveRow } from './rows.ts';
import { activeTime, isMoved, type MovedSeries, type UnmovedSeries } from './series.ts';
import { itemName, type LiveItems } from './sources.ts';

/** How a day was made of its samples. `total`: the provider itself reports it. */
const aggregations = ['total', 'sum', 'avg', 'min', 'max'] as const;
export type Aggregation = (typeof aggregations)[number];

/** A value of a day. */
interface DayFigure {
  readonly code: string;
  readonly aggregation: Aggregation;
  readonly value: number;
}

type Totals = Partial<Record<keyof typeof bareDay, number>>;
type Column = readonly [name: keyof typeof bareDay, factor: number, isWhole: boolean];

/** The columns of a day by the series, or the code, of a value. */
const sums: Readonly<Record<string, Column>> = {
  steps: ['steps', 1, true],
  distance_walking_running: ['distance_meters', 1, false],
  flights_climbed: ['floors_climbed', 1, true],
  energy: ['active_calories_kcal', 1, false],
  basal_energy: ['basal_calories_kcal', 1, false],
  push_count: ['pushes', 1, true],
  [activeTime]: ['active_seconds', 60, true],
};
const ofHeart = {
  avg: ['avg_heart_rate_bpm', 1, true],
  min: ['min_heart_rate_bpm', 1, true],
  max: ['max_heart_rate_bpm', 1, true],
} as const satisfies Readonly<Record<string, Column>>;
const heartColumns: Readonly<Partial<Record<Aggregation, Column>>> = ofHeart;

/** The column of a value; undefined: a day has none for it. */
function columnOf(name: string, aggregation: Aggregation): Column | undefined {
  if (aggregation === 'total' || aggregation === 'sum') return sums[name];
  return name === 'heart_rate' ? heartColumns[aggregation] : undefined;
}

/** The values of one day of a source, as they are collected. */
class Day {
  readonly #totals: Totals = {};
  readonly #values: DayValues = {};
  readonly #extra: Record<string, number> = {};

  readonly #place: DayPlace;
  readonly #offset: number | null;

  constructor(place: DayPlace, offset: number | null) {
    this.#place = place;
    this.#offset = offset;
  }

  /** Adds a value. False: the day has one of the same kind. */
  add(name: string, { code, aggregation, value }: DayFigure): boolean {
    const column = columnOf(name, aggregation);
    if (column !== undefined) {
      const [total, factor, isWhole] = column;
      if (this.#totals[total] !== undefined) return false;
      this.#totals[total] = isWhole ? Math.round(value * factor) : withoutNoise(value * factor);
      return true;
    }
    if (name === 'resting_heart_rate' && aggregation === 'avg') {
      if (this.#values.resting_heart_rate_bpm !== undefined) return false;
      this.#values.resting_heart_rate_bpm = value;
      return true;
    }
    const field = aggregation === 'total' ? code : `${code}_${aggregation}`;
    if (this.#extra[field] !== undefined) return false;
    this.#extra[field] = value;
    return true;
  }

  /** The item of the day. */
  item(name: { readonly data_type: string; readonly key: string }, device: string): StoreItem {
    const { date, startMs: start_ms } = this.#place;
    const placed = { date, start_ms, zone_offset_minutes: this.#offset, device };
    const whole = { ...placed, duration_seconds: dayMs / 1000 };
    const extra = Object.keys(this.#extra).length === 0 ? null : this.#extra;
    const hasValues = extra !== null || Object.keys(this.#values).length > 0;
    const day: DayRecord | null =
      Object.keys(this.#totals).length === 0 ? null : { ...bareDay, ...this.#totals, ...whole };
    return movedItem({
      ...bareItem,
      ...name,
      supersede: 'moved',
      // The provider's own day replaces it, however short that is yet.
      duration_seconds: 0,
      day,
      day_values: hasValues ? { ...whole, values: this.#values, extra } : null,
    });
  }
}

/** The days of a source by the keys of their items, so that no two items have one key. */
export class Days {
  readonly #days = new Map<string, Day>();
  readonly #live: LiveItems;
  readonly #of: string;

  /** `of`: part of the keys of days whose live key is unknown. */
  constructor(live: LiveItems, of: string) {
    this.#live = live;
    this.#of = of;
  }

  /** The day at a place. Values of a date from two clocks are of one day, if its key is the date. */
  at(place: DayPlace, offset: number | null): Day {
    const { date, startMs: start_ms } = place;
    const parts = { external_id: null, start_ms, date };
    const { key } = itemName(this.#live, parts, `${this.#of} ${date ?? start_ms}`);
    const day = this.#days.get(key) ?? new Day(place, offset);
    this.#days.set(key, day);
    return day;
  }

  items(device: string): StoreItem[] {
    const { data_type } = this.#live;
    return [...this.#days].map(([key, day]) => day.item({ data_type, key }, device));
  }
}

/** The value of a day in our unit. Null: it is counted as left. */
export function figureOf(
  series: MovedSeries | UnmovedSeries,
  cell: string | number | null,
  left: Counter,
): { readonly name: string; readonly value: number } | null {
  const { code } = series;
  const number = numberOf(cell);
  if (number === null) left.add(code, 'the value is not a number');
  else if (code === activeTime && number >= 0 && number <= mostActiveMinutes)
    return { name: activeTime, value: number };
  else if (!isMoved(series)) left.add(code, series.reason);
  else {
    const value = withoutNoise(series.convert(number));
    if (value >= series.min && value <= series.max) return { name: series.type, value };
    left.add(code, outOfRange);
  }
  return null;
}
const mostActiveMinutes = 1500;

/** The reason of a value that its series does not accept. */
const outOfRange = 'the value is out of the range of the series';

const isAggregation = (text: string): text is Aggregation => aggregations.some((one) => one === text);

/** The aggregation of an archived row. Null: it is unknown. */
export function aggregationOf(
  { aggregation_type }: ArchiveRow,
  { isSummed }: { readonly isSummed: boolean },
): Aggregation | null {
  const text = aggregation_type?.toLowerCase() ?? (isSummed ? 'sum' : 'avg');
  return text !== 'total' && isAggregation(text) ? text : null;
}
