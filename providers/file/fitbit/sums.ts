import { withoutNoise } from '../../../domain/json/decimals.ts';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { DeviceType, IntervalSource, SummedType } from '../../../domain/records/interval-records.ts';
import { accepts, seriesOf } from '../../../domain/records/series.ts';
import { dayMs, minuteMs } from '../../../domain/time/time.ts';
import { type Clocks, type FamilyClock, measuredIn, unzonedMs, zonedMs } from '../clocks.ts';
import type { Row } from '../csv.ts';
import { type Entry, keyOf, skipped, spanProblem } from '../entry.ts';

const quarterMs = 15 * minuteMs;

/** A summed metric, of which an archive has values per minute. */
export interface SummedMetric {
  readonly series: SummedType;
  /** The factors to the unit of the series, of `NAME-*.json` and of the table of text. */
  readonly jsonFactor: number;
  readonly rowFactor: number;
}

/** What shows the clock of a metric. */
interface SumContext {
  readonly clocks: Clocks;
  readonly nowMs: number;
  /** The nights whose instants are known. */
  nights(): readonly Window[];
  /** The clock if neither tables nor nights show it. */
  otherwise(): FamilyClock | null;
}

type Sums = Map<number, number>;

const merged: IntervalSource = { device_type: 'merged', device: 'Fitbit', device_id: null, app: null };

/**
 * The values of a summed metric. The JSON has one value a minute, which the provider merged of all devices; the tables have one for each
 * device, and their sum is a multiple of what was walked. So the JSON counts, and a table counts on days that the JSON lacks, with the
 * source that measured most on that day. The JSON has no zone: the archive shows which clock it has, or it is not read.
 */
export class SummedValues {
  readonly #metric: SummedMetric;
  readonly #clocks: Clocks;
  readonly #context: SumContext;
  /** Sums of the JSON by quarters of an hour of its own clock, and of each source by those of UTC. */
  readonly #unzoned: Sums = new Map();
  readonly #sources = new Map<string, Sums>();
  #clock: FamilyClock | null | undefined;
  #days: ReadonlySet<number> | null = null;
  #chosen: ReadonlyMap<number, string> | null = null;

  constructor(metric: SummedMetric, context: SumContext) {
    this.#metric = metric;
    this.#context = context;
    this.#clocks = context.clocks;
  }

  collectElement(element: unknown): void {
    const { ms, value } = read(element);
    if (!Number.isNaN(ms) && value !== null) add(this.#unzoned, ms, value * this.#metric.jsonFactor);
  }

  collectRow(row: Row): void {
    const [ms, value] = [zonedMs(row.timestamp), measuredIn(cellOf(row))];
    if (Number.isNaN(ms) || value === null) return;
    const source = row['data source'] ?? '';
    const sums = this.#sources.get(source) ?? new Map<number, number>();
    this.#sources.set(source, sums);
    add(sums, ms, value * this.#metric.rowFactor);
  }

  /**
   * The clock of the JSON: that with which it agrees with the tables, otherwise that with which the user was still in the nights. Null:
   * nothing shows it.
   */
  get clock(): FamilyClock | null {
    if (this.#clock === undefined) {
      const { nights, otherwise } = this.#context;
      this.#clock = this.#byTables() ?? this.#byNights(nights()) ?? this.#byOffsets() ?? otherwise();
    }
    return this.#clock;
  }

  /** The clock with which what `counted` says was measured in its times; null: neither, or both. */
  clockOf(counted: readonly CountedSpan[]): FamilyClock | null {
    if (this.clock === null) return null;
    const instants = this.#instants();
    const agreement = (placed: (ms: number) => number) => {
      let [common, all] = [0, 0];
      for (const { startMs, lengthMs, sum } of counted) {
        let measured = 0;
        const first = quarterOf(placed(startMs));
        for (let at = first; at <= quarterOf(placed(startMs) + lengthMs); at += 1)
          measured += instants.get(at) ?? 0;
        all += sum;
        common += Math.min(sum, measured);
      }
      return all === 0 ? 0 : common / all;
    };
    return clearlyMore(
      agreement((ms) => ms),
      agreement((ms) => this.#clocks.place(ms).ms),
      leastAgreement,
    );
  }

  readElement(element: unknown): readonly Entry[] {
    const { series, jsonFactor } = this.#metric;
    const { ms, value } = read(element);
    if (Number.isNaN(ms)) return [skipped(series, 'The time cannot be read.')];
    if (value === null) return [];
    if (this.clock === null)
      return [skipped(series, 'The archive does not show the clock of these times, which have no zone.')];
    return this.#entry(this.#instantOf(ms), withoutNoise(value * jsonFactor), merged);
  }

  readRow(row: Row): readonly Entry[] {
    const { series, rowFactor } = this.#metric;
    const [ms, value] = [zonedMs(row.timestamp), measuredIn(cellOf(row))];
    if (Number.isNaN(ms)) return [skipped(series, 'The time cannot be read.')];
    if (value === null) return [];
    const source = row['data source'] ?? '';
    const day = Math.floor(ms / dayMs);
    if (this.#daysOfJson().has(day)) return [skipped(series, 'The merged values of this day count.')];
    if (this.#sourceOn(day) !== source) return [skipped(series, 'Another source of this day counts.')];
    return this.#entry(ms, withoutNoise(value * rowFactor), sourceOf(source));
  }

  // The same minute of a newer archive replaces: its value may have grown with a late synchronisation.
  #entry(ms: number, value: number, source: IntervalSource): readonly Entry[] {
    const { series } = this.#metric;
    // Values of whole minutes are those of the minute. Others, which apps wrote on the phone, have no length.
    const span = { start_ms: ms, end_ms: ms % minuteMs === 0 ? ms + minuteMs : ms };
    const problem = spanProblem(span, this.#context.nowMs);
    if (problem !== null) return [skipped(series, problem)];
    const { min, max } = seriesOf(series);
    if (!accepts(series, value)) return [skipped(series, `The value is not ${min} to ${max}.`)];
    const id = keyOf(series, source, span, null);
    const record = {
      ...span,
      id,
      kind: 'interval',
      series,
      source,
      value,
      zone_offset_minutes: null,
    } as const;
    return [{ kind: 'record', record }];
  }

  #instantOf(unzoned: number): number {
    return this.clock === 'local' ? this.#clocks.place(unzoned).ms : unzoned;
  }

  #instants(): Sums {
    const sums: Sums = new Map();
    for (const [quarter, value] of this.#unzoned) add(sums, this.#instantOf(quarter * quarterMs), value);
    return sums;
  }

  // Days are those of UTC, so that they do not depend on the offset.
  #daysOfJson(): ReadonlySet<number> {
    this.#days ??= new Set(
      this.clock === null
        ? []
        : [...this.#unzoned.keys()].map((quarter) =>
            Math.floor(this.#instantOf(quarter * quarterMs) / dayMs),
          ),
    );
    return this.#days;
  }

  #sourceOn(day: number): string | undefined {
    this.#chosen ??= chosenSources(this.#sources);
    return this.#chosen.get(day);
  }

  #byTables(): FamilyClock | null {
    const most = new Map<number, number>();
    for (const sums of this.#sources.values())
      for (const [quarter, value] of sums) most.set(quarter, Math.max(most.get(quarter) ?? 0, value));
    const days = new Set([...most.keys()].map((quarter) => Math.floor((quarter * quarterMs) / dayMs)));
    const agreement = (shifted: (ms: number) => number) => {
      let [common, all] = [0, 0];
      for (const [quarter, value] of this.#unzoned) {
        const ms = shifted(quarter * quarterMs);
        if (!days.has(Math.floor(ms / dayMs))) continue;
        all += value;
        common += Math.min(value, most.get(quarterOf(ms)) ?? 0);
      }
      return all === 0 ? 0 : common / all;
    };
    return clearlyMore(
      agreement((ms) => ms),
      agreement((ms) => this.#clocks.place(ms).ms),
      leastAgreement,
    );
  }

  // The clock of a user whose offset is always 0 is that of UTC.
  #byOffsets(): FamilyClock | null {
    const offsets = [...this.#unzoned.keys()].map((quarter) => this.#clocks.offsetAt(quarter * quarterMs));
    return offsets.length > 0 && offsets.every((offset) => offset === 0) ? 'utc' : null;
  }

  #byNights(nights: readonly Window[]): FamilyClock | null {
    // The time around falling asleep and waking up says little.
    const inner = nights.map(([from, to]) => [from + 2 * quarterMs, to - 2 * quarterMs] as const);
    const quarters = new Set<number>();
    for (const [from, to] of inner)
      for (let at = Math.ceil(from / quarterMs); (at + 1) * quarterMs <= to; at += 1) quarters.add(at);
    const still = (shifted: (ms: number) => number) => {
      let [inNights, all] = [0, 0];
      for (const [quarter, value] of this.#unzoned) {
        all += value;
        if (quarters.has(quarterOf(shifted(quarter * quarterMs)))) inNights += value;
      }
      return all === 0 || quarters.size < leastNightQuarters ? 0 : 1 - inNights / all;
    };
    return clearlyMore(
      still((ms) => ms),
      still((ms) => this.#clocks.place(ms).ms),
      leastStillness,
    );
  }
}

/** A time without a zone in which so much was counted. */
export interface CountedSpan {
  readonly startMs: number;
  readonly lengthMs: number;
  readonly sum: number;
}

/** A span of time in milliseconds. */
export type Window = readonly [fromMs: number, toMs: number];

/** Of what was counted, so much must be measured at the same time. */
const leastAgreement = 0.6;
/** So much must be outside of the nights. */
const leastStillness = 0.97;
/** Three nights. */
const leastNightQuarters = 75;
const clearly = 0.02;

function clearlyMore(utc: number, local: number, least: number): FamilyClock | null {
  if (Math.max(utc, local) < least || Math.abs(utc - local) < clearly) return null;
  return utc > local ? 'utc' : 'local';
}

const quarterOf = (ms: number) => Math.floor(ms / quarterMs);

function add(sums: Sums, ms: number, value: number): void {
  sums.set(quarterOf(ms), (sums.get(quarterOf(ms)) ?? 0) + value);
}

function read(element: unknown): { readonly ms: number; readonly value: number | null } {
  const item = isItem(element) ? element : {};
  return { ms: unzonedMs(item.dateTime), value: measuredIn(item.value) };
}

/** The value of a row, whose column has another name in each table. */
export function cellOf(row: Row): string | undefined {
  for (const name in row) if (name !== 'timestamp' && name !== 'data source') return row[name];
  return undefined;
}

/** Whether a source is what other apps wrote on the phone, which the app of the phone sends too. */
export const isRelayed = (source: string) => /health connect$/i.test(source.trim());

// Relayed data counts where it is alone.
function chosenSources(sources: ReadonlyMap<string, Sums>): Map<number, string> {
  const totals = new Map<number, Map<string, number>>();
  for (const [source, sums] of sources)
    for (const [quarter, value] of sums) {
      const day = Math.floor((quarter * quarterMs) / dayMs);
      const ofDay = totals.get(day) ?? new Map<string, number>();
      totals.set(day, ofDay.set(source, (ofDay.get(source) ?? 0) + value));
    }
  return new Map(
    [...totals].map(([day, ofDay]) => {
      const ranked = [...ofDay].sort(
        ([a, most], [b, other]) =>
          Number(isRelayed(a)) - Number(isRelayed(b)) || other - most || (a < b ? -1 : 1),
      );
      return [day, ranked[0]?.[0] ?? ''];
    }),
  );
}

const deviceTypes: readonly (readonly [RegExp, DeviceType])[] = [
  [/\b(watch|versa|sense|ionic|blaze|surge)\b/i, 'watch'],
  [/\b(air|charge|inspire|luxe|alta|flex|ace)\b/i, 'band'],
];

const sources = new Map<string, IntervalSource>();

function sourceOf(name: string): IntervalSource {
  const known = sources.get(name);
  if (known !== undefined) return known;
  const isPhone = /mobiletrack|phone|health app/i.test(name);
  const ofDevice = deviceTypes.find(([pattern]) => pattern.test(name))?.[1] ?? 'unknown';
  const device_type = isRelayed(name) ? 'unknown' : isPhone ? 'phone' : ofDevice;
  const source = { device_type, device: name.slice(0, 100) || 'Fitbit', device_id: null, app: null };
  if (sources.size < mostSources) sources.set(name, source);
  return source;
}

const mostSources = 1000;
