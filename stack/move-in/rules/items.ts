import { isSummed } from '../../../domain/recipe/sample-blocks.ts';
import { bareItem, type SampleBlock, type StoreItem } from '../../../domain/records/records.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, isoTime, localDate } from '../../../domain/time/time.ts';
import { dayPlaceOf, instantOf, instantProblem, isMalformed, malformedOffset, offsetOf } from './cells.ts';
import { aggregationOf, Days, figureOf } from './day-totals.ts';
import { allLeft, Counter, type Mapped, movedItem, noProvider } from './mapped.ts';
import type { ArchiveRow, SampleRow, SeriesDefinition, SourceRow } from './rows.ts';
import { activeTime, isMoved, type MovedSeries, seriesOfCode, type UnmovedSeries } from './series.ts';
import { type MovedProvider, movedType, providerOf } from './sources.ts';

/** The definitions of all series by their ids. */
export type Definitions = ReadonlyMap<number, SeriesDefinition>;

const unknownSeries: UnmovedSeries = { code: 'unknown', reason: 'no definition has this series type' };

type SeriesOf = (id: number) => MovedSeries | UnmovedSeries;

function seriesReader(definitions: Definitions, moved: MovedProvider): SeriesOf {
  const known = new Map<number, MovedSeries | UnmovedSeries>();
  return (id) => {
    const read = known.get(id);
    if (read !== undefined) return read;
    const definition = definitions.get(id);
    const made = definition === undefined ? unknownSeries : seriesOfCode(definition, moved);
    known.set(id, made);
    return made;
  };
}

/** A sample of a series, at its time. */
interface Sample {
  readonly value: number;
  readonly offset: number | null;
}

type Week = Map<SeriesType, Map<number, Sample>>;

const mondayMs = 4 * dayMs;
const weekMs = 7 * dayMs;

/** The Monday of the ISO week of an instant in UTC. */
const weekOf = (ms: number): string =>
  isoTime(Math.floor((ms - mondayMs) / weekMs) * weekMs + mondayMs).slice(0, 10);

/**
 * The items of samples of a source: one for each ISO week, and one for each day with totals. A week is stored again as a whole if any
 * of it has changed.
 */
export function sampleItems(
  source: SourceRow,
  rows: readonly SampleRow[],
  definitions: Definitions,
  nowMs: number,
): Mapped {
  const moved = providerOf(source);
  if (moved === null) return allLeft('samples', noProvider, rows.length);
  const { provider, sampleDevice, days: liveDays } = moved;
  const seriesOf = seriesReader(definitions, moved);
  const [left, changed] = [new Counter(), new Counter()];
  const weeks = new Map<string, Week>();
  const days = new Days(liveDays, source.id);
  for (const row of rows) {
    const series = seriesOf(row.series_type_definition_id);
    const ms = instantOf(row.recorded_at);
    const problem = instantProblem(ms, nowMs);
    if (ms === null || problem !== null) {
      left.add(series.code, problem ?? '');
      continue;
    }
    const figure = figureOf(series, row.value, left);
    if (figure === null) continue;
    const offset = offsetOf(row.zone_offset);
    const isTotal = row.is_daily_total === true || series.code === activeTime;
    if (isTotal) {
      const day = days.at(dayPlaceOf(ms, offset), offset);
      if (!day.add(figure.name, { code: series.code, aggregation: 'total', value: figure.value })) {
        left.add(series.code, 'another total of the day has the same series');
        continue;
      }
    } else if (isMoved(series)) {
      const week = weekOf(ms);
      const types: Week = weeks.get(week) ?? new Map();
      weeks.set(week, types);
      const samples = types.get(series.type) ?? new Map<number, Sample>();
      types.set(series.type, samples);
      const other = samples.get(ms);
      if (other !== undefined) left.add(series.code, sameTime);
      if (other === undefined || figure.value > other.value) samples.set(ms, { value: figure.value, offset });
    }
    if (isMalformed(row.zone_offset)) changed.add(series.code, malformedOffset);
  }
  const items = [...weeks].map(([week, types]) =>
    weekItem(`${source.id} ${week}`, types, (type) => sampleDevice(source, type)),
  );
  items.push(...days.items(moved.dayDevice(source)));
  return { provider, items, left: left.list(), changed: changed.list() };
}

/** The reason of a sample beside another one. The larger value counts, in whatever order the rows come. */
const sameTime = 'another sample of the series has the same time';

function weekItem(key: string, week: Week, deviceOf: (type: SeriesType) => string): StoreItem {
  const samples = [...week].flatMap(([type, points]) => blocksOf(type, deviceOf(type), points));
  samples.sort((a, b) => (a.type < b.type ? -1 : a.type > b.type ? 1 : a.base_ms - b.base_ms));
  return movedItem({
    ...bareItem,
    data_type: movedType,
    key,
    supersede: 'latest',
    duration_seconds: weekMs / 1000,
    samples,
  });
}

/** Samples as blocks, one for each offset. */
function blocksOf(type: SeriesType, device: string, points: ReadonlyMap<number, Sample>): SampleBlock[] {
  const blocks = new Map<number | null, SampleBlock>();
  for (const [ms, { value, offset }] of [...points].sort(([a], [b]) => a - b)) {
    const block = blocks.get(offset) ?? {
      type,
      device,
      zone_offset_minutes: offset,
      base_ms: ms,
      at: [],
      values: [],
    };
    blocks.set(offset, block);
    block.at.push(ms - block.base_ms);
    block.values.push(value);
  }
  return [...blocks.values()];
}

/** Whether a day of a source has samples of a series, or a total of it. The day is one of UTC. */
export type HasSamples = (seriesTypeId: number, date: string) => boolean;

/** The items of archived days: values of days, where the samples themselves are gone. */
export function archiveItems(
  source: SourceRow,
  rows: readonly ArchiveRow[],
  definitions: Definitions,
  hasSamples: HasSamples,
): Mapped {
  const moved = providerOf(source);
  if (moved === null) return allLeft('archived days', noProvider, rows.length);
  const seriesOf = seriesReader(definitions, moved);
  const left = new Counter();
  const days = new Days({ data_type: movedType, keyOf: () => null }, `${source.id} archive`);
  for (const row of rows) {
    const id = row.series_type_definition_id;
    const series = seriesOf(id);
    const ms = instantOf(row.bucket_start_at ?? row.date);
    const aggregation = aggregationOf(row, { isSummed: isMoved(series) && isSummed(series.type) });
    if (ms === null) left.add(series.code, 'has no valid time');
    else if (aggregation === null) left.add(series.code, 'its aggregation is unknown');
    else if (hasSamples(id, localDate(ms, 0))) left.add(series.code, 'samples of the day are there');
    else {
      const figure = figureOf(series, row.value, left);
      if (figure === null) continue;
      const date = localDate(ms, 0);
      const day = days.at({ date, startMs: dateToMs(date) }, null);
      if (!day.add(figure.name, { code: series.code, aggregation, value: figure.value }))
        left.add(series.code, 'another value of the day has the same series');
    }
  }
  return {
    provider: moved.provider,
    items: days.items(moved.dayDevice(source)),
    left: left.list(),
    changed: [],
  };
}
