import { hash } from 'node:crypto';
import { type FieldTable, isKept } from '../../../domain/provider/field-table.ts';
import { isItem } from '../../../domain/recipe/read-fields.ts';
import type { IntervalSource } from '../../../domain/records/interval-records.ts';
import { bareItem } from '../../../domain/records/records.ts';
import { isScoreOf } from '../../../domain/records/scores.ts';
import { accepts, isSeriesType, type SeriesType, seriesOf } from '../../../domain/records/series.ts';
import { knownLocalDate } from '../../../domain/time/time.ts';
import { type Entry, keyOf, skipped } from '../entry.ts';
import { type Cells, type Devices, measuredIn, numberIn, type RowSpan, spanOf, textIn } from './cells.ts';
import { binnedRows } from './fields.ts';
import { rowIdOf } from './members.ts';

type Columns = readonly (readonly [column: string, series: SeriesType])[];

/** The columns of a table that end in series. */
export function seriesColumns(table: FieldTable): Columns {
  return Object.entries(table).flatMap(([column, field]) =>
    (isKept(field) ? field.ends : []).flatMap((end): Columns => {
      const series = end.startsWith('series.') ? end.slice('series.'.length) : '';
      return isSeriesType(series) ? [[column, series]] : [];
    }),
  );
}

/** The values of a row of a table. 0 is no measurement. */
export function rowEntries(columns: Columns, cells: Cells, devices: Devices, nowMs: number): Entry[] {
  const isSummed = columns.some(([, series]) => seriesOf(series).bucket === 'sum');
  const span = spanOf(cells, nowMs, isSummed);
  if (typeof span === 'string') return [skipped(columns[0]?.[1] ?? '', span)];
  const measured = { span, source: devices.sourceOf(cells), id: textIn(cells.datauuid) };
  return entriesOf(columns, valuesIn(columns, cells), measured);
}

const valuesIn = (columns: Columns, cells: Cells) => columns.map(([column]) => measuredIn(cells[column]));

// Of two columns of a series the first that has a value counts.
function entriesOf(columns: Columns, values: readonly (number | null)[], measured: Measured): Entry[] {
  const read = new Set<SeriesType>();
  return columns.flatMap(([, series], index): Entry[] => {
    const value = values[index] ?? null;
    if (value === null || read.has(series)) return [];
    read.add(series);
    return [valueEntry(series, value, measured)];
  });
}

interface Measured {
  readonly span: RowSpan;
  readonly source: IntervalSource;
  readonly id: string | null;
}

// The row of a current hour grows, so neither its end nor its value is a part of the key.
function valueEntry(series: SeriesType, value: number, { span, source, id: row }: Measured): Entry {
  const { bucket, min, max } = seriesOf(series);
  if (!accepts(series, value)) return skipped(series, `The value is not ${min} to ${max}.`);
  if (bucket !== 'sum')
    return { kind: 'record', record: { ...span, kind: 'sample', id: '', series, value, source } };
  const start = { ...span, end_ms: span.start_ms };
  const id = row === null ? keyOf(series, source, start, null) : `${row} ${series} ${span.start_ms}`;
  return { kind: 'record', record: { ...span, kind: 'interval', id, series, value, source } };
}

/** A row whose values are in JSON beside it. */
interface BinnedRow {
  readonly span: RowSpan | string;
  readonly source: IntervalSource;
  readonly values: readonly (number | null)[];
  isRead: boolean;
}

/** The tables whose rows have JSON. */
export type BinnedTable = keyof typeof binnedRows;

const binColumns: Readonly<Record<BinnedTable, Columns>> = {
  heart_rate: seriesColumns(binnedRows.heart_rate),
  hrv: [...seriesColumns(binnedRows.hrv), ['sdnn', 'heart_rate_variability_sdnn']],
};

/**
 * A table whose rows are summaries of JSON. JSON has no offset and no device: those are of its row. The value of a row counts if there is
 * no JSON of it. Ten years have a hundred thousand rows, so that only what counts of them is held.
 */
export class BinnedValues {
  readonly #rows = new Map<string, BinnedRow>();
  readonly #columns: Columns;
  readonly #devices: Devices;
  readonly #nowMs: number;

  constructor(table: BinnedTable, devices: Devices, nowMs: number) {
    this.#columns = binColumns[table];
    this.#devices = devices;
    this.#nowMs = nowMs;
  }

  /** Adds a row. */
  add(cells: Cells): Entry[] {
    const [own, named] = [cells.datauuid, cells.binning_data].map((cell) => rowIdOf(textIn(cell) ?? ''));
    const row = {
      span: spanOf(cells, this.#nowMs, false),
      source: this.#devices.sourceOf(cells),
      values: valuesIn(this.#columns, cells),
      isRead: false,
    };
    this.#rows.set(own || `row ${this.#rows.size}`, row);
    // Old exports have a flag in the place of the name of a member.
    if (named !== undefined && named.length > 1) this.#rows.set(named, row);
    return [];
  }

  /** The values of the elements of JSON. */
  read(elements: readonly unknown[], name: string): Entry[] {
    const row = this.#rows.get(rowIdOf(name));
    const span = row === undefined || typeof row.span === 'string' ? null : row.span;
    const source = row?.source ?? this.#devices.sourceOf({});
    const zone_offset_minutes = span?.zone_offset_minutes ?? null;
    const entries = elements.filter(isItem).flatMap((element) => {
      const own = spanOf(element, this.#nowMs, false);
      if (typeof own === 'string') return [skipped(this.#columns[0]?.[1] ?? '', own)];
      const measured = { span: { ...own, zone_offset_minutes }, source, id: null };
      return entriesOf(this.#columns, valuesIn(this.#columns, element), measured);
    });
    if (row !== undefined) row.isRead ||= entries.some(({ kind }) => kind === 'record');
    return entries;
  }

  /** The values of rows without JSON. */
  rest(): Entry[] {
    const [first] = this.#columns;
    return [...new Set(this.#rows.values())].flatMap(({ span, source, values, isRead }) => {
      if (isRead) return [];
      if (typeof span === 'string') return [skipped(first?.[1] ?? '', span)];
      return entriesOf(this.#columns, values, { span, source, id: null });
    });
  }
}

/** The score of a row of stress. */
export function stressEntry(cells: Cells, devices: Devices, nowMs: number): Entry {
  const span = spanOf(cells, nowMs);
  if (typeof span === 'string') return skipped('stress', span);
  const value = numberIn(cells.score);
  if (value === null || !isScoreOf('stress', value)) return skipped('stress', 'The value is not 0 to 100.');
  const { start_ms, end_ms, zone_offset_minutes } = span;
  const { device } = devices.sourceOf(cells);
  const date = knownLocalDate(start_ms, zone_offset_minutes);
  const score = { kind: 'stress', value, label: null, components: {}, date, ...span, device } as const;
  const item = {
    ...bareItem,
    data_type: 'samsung_stress',
    key: textIn(cells.datauuid) ?? String(start_ms),
    hash: hash('sha256', JSON.stringify(score), 'base64url'),
    supersede: 'latest' as const,
    duration_seconds: Math.round((end_ms - start_ms) / 1000),
    scores: [score],
  };
  return { kind: 'item', item, type: 'stress', span: { start_ms, end_ms } };
}
