import type { Observed, ObservedPosition } from '../../../contracts/timeseries/observed.ts';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { longId } from '../../../domain/fhir/ids.ts';
import { readMethod } from '../../../domain/records/recording-method.ts';
import { seriesById } from '../../../domain/records/series.ts';
import { dateToMs, dayMs, localDate } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Settings } from '../rules/sources.ts';
import {
  countObserved,
  type ObservedScope,
  observedScope,
  selectDateOfRecord,
  selectDateOfSample,
  selectObservedDate,
  selectObservedRecords,
  selectObservedSamples,
  selectObservedSources,
} from '../tables/fhir-observations.ts';
import type { SeriesRow } from '../tables/series.ts';
import { dateOfDigits, dateOfHour, itemsOfRecord, itemsOfSamples } from './fhir-items.ts';

type ObservedParams = ParamsOf<typeof timeseries, 'observed'>;

/** Days of series that are counted at once, and the fewest and most days. */
const countedAtOnce = 2000;
const leastWindow = 8;
const mostWindow = 400;
/** Samples that are read at once, unless one day has more. */
const mostSamples = 20_000;
/** The most bytes of a page. */
const mostBytes = 350_000;

/** The next observations of a user in the order of local days, of a day by start and key. */
export async function readObserved(database: Queryable, settings: Settings, query: ObservedParams) {
  const scope = await observedScope(database, query.user_id, query.names);
  const window = Math.ceil(countedAtOnce / Math.max(1, scope.series.size));
  const days = Math.min(mostWindow, Math.max(leastWindow, window));
  const page: Observed[] = [];
  let from = await firstDate(database, scope, query);
  while (from !== null && !isBeyond(query, from)) {
    const { last, items } = await readWindow({ database, settings, scope, query }, from, days);
    page.push(...items.filter((item) => isAfter(query, item)));
    if (page.length > query.limit || bytesOf(page) > mostBytes) return cut(page, query.limit);
    const next = shifted(last, query.order === 'asc' ? 1 : -1);
    // Days without data are counted in windows; a longer time is skipped.
    from = items.length > 0 ? next : await nextDate(database, scope, query, next);
    if (next === last) break;
  }
  return { items: page, next: null };
}

// A bound or a cursor is mostly close to data.
function firstDate(
  database: Queryable,
  scope: ObservedScope,
  query: ObservedParams,
): Promise<string | null> | string {
  const { after, order, first_date, last_date } = query;
  const bound = after?.[0] ?? (order === 'asc' ? first_date : last_date);
  return bound ?? nextDate(database, scope, query, order === 'asc' ? '1970-01-01' : '9999-12-31');
}

function isBeyond({ order, first_date, last_date }: ObservedParams, date: string): boolean {
  return order === 'asc' ? last_date !== null && date > last_date : first_date !== null && date < first_date;
}

async function nextDate(database: Queryable, scope: ObservedScope, query: ObservedParams, from: string) {
  return isBeyond(query, from) ? null : selectObservedDate(database, scope, from, query.order);
}

/** What is read of the windows of days. */
interface WindowQuery {
  readonly database: Queryable;
  readonly settings: Settings;
  readonly scope: ObservedScope;
  readonly query: ObservedParams;
}

/** The observations of the days after `from` that together have few samples, in order, and the last of these days. */
async function readWindow({ database, settings, scope, query }: WindowQuery, from: string, window: number) {
  const whole = spanOf(from, shifted(from, query.order === 'asc' ? window - 1 : 1 - window), query);
  const isOneDay = whole.first === whole.last;
  const counted = isOneDay ? [] : await countObserved(database, scope, whole.first, whole.last);
  const until = reach(counted, whole, query);
  const { first, last } = spanOf(from, until, query);
  const samples = await selectObservedSamples(database, scope, first, last);
  const records = await selectObservedRecords(database, scope, first, last);
  const items = [
    ...itemsOfSamples(samples, { series: scope.series, settings }),
    ...records.flatMap((record) => itemsOfRecord(record, scope, settings)),
  ];
  return { last: until, items: inOrder(items, query.order) };
}

interface Span {
  readonly first: string;
  readonly last: string;
}

function spanOf(from: string, to: string, { first_date, last_date }: ObservedParams): Span {
  const [first, last] = from < to ? [from, to] : [to, from];
  return {
    first: first_date !== null && first < first_date ? first_date : first,
    last: last_date !== null && last > last_date ? last_date : last,
  };
}

// The day up to which the samples are few enough, or the page is certainly full; at least the first.
function reach(
  counted: readonly { series_id: number; date: string; n: number }[],
  { first, last }: Span,
  { order, limit }: ObservedParams,
): string {
  const sign = order === 'asc' ? 1 : -1;
  const [begin, end] = order === 'asc' ? [first, last] : [last, first];
  const byDate = Map.groupBy(counted, ({ date }) => date);
  const dates = [...byDate.keys()].sort();
  if (order === 'desc') dates.reverse();
  let [samples, groups] = [0, 0];
  for (const date of dates) {
    const rows = byDate.get(date) ?? [];
    samples += rows.reduce((sum, { n }) => sum + n, 0);
    if (samples > mostSamples && date !== begin) return shifted(date, -sign);
    groups += rows.length;
    if (groups > limit || samples > mostSamples) return date;
  }
  return end;
}

function shifted(date: string, days: number): string {
  const ms = dateToMs(date) + days * dayMs;
  if (ms < 0) return '1970-01-01';
  return localDate(Math.min(ms, dateToMs('9999-12-31')), 0);
}

function compare(a: ObservedPosition, b: ObservedPosition): number {
  if (a[0] !== b[0]) return a[0] < b[0] ? -1 : 1;
  if (a[1] !== b[1]) return a[1] - b[1];
  return a[2] < b[2] ? -1 : a[2] > b[2] ? 1 : 0;
}

const positionOf = ({ date, start_ms, key }: Observed): ObservedPosition => [date, start_ms, key];

function inOrder(items: Observed[], order: 'asc' | 'desc'): Observed[] {
  const sign = order === 'asc' ? 1 : -1;
  return items.sort((a, b) => sign * compare(positionOf(a), positionOf(b)));
}

function isAfter({ after, order }: ObservedParams, item: Observed): boolean {
  if (after === null) return true;
  return compare(positionOf(item), after) * (order === 'asc' ? 1 : -1) > 0;
}

/** Bytes of an item without its data, as JSON on the bus and as a resource. */
const bytesOfItem = 500;

function bytesOf(items: readonly Observed[]): number {
  return items.reduce((sum, { raster }) => sum + bytesOfItem + (raster?.data.length ?? 0), 0);
}

function cut(page: readonly Observed[], limit: number) {
  let [count, bytes] = [0, 0];
  for (const item of page) {
    bytes += bytesOf([item]);
    if (count === limit || (bytes > mostBytes && count > 0)) break;
    count += 1;
  }
  const items = page.slice(0, count);
  const last = items.at(-1);
  return { items, next: last === undefined ? null : positionOf(last) };
}

/** One observation by its key; null if there is none. */
export async function readObservedItem(
  database: Queryable,
  settings: Settings,
  { user_id, key }: ParamsOf<typeof timeseries, 'observedItem'>,
): Promise<Observed | null> {
  const date = await dateOfKey(database, user_id, key);
  if (date === null) return null;
  const scope = await scopeOfKey(database, user_id, key);
  const query = {
    user_id,
    names: null,
    first_date: date,
    last_date: date,
    order: 'asc',
    after: null,
    limit: 1,
  } as const;
  const { items } = await readWindow({ database, settings, scope, query }, date, 1);
  return items.find((item) => item.key === key) ?? null;
}

const sampleKey = /^([dhv])(\d{1,10})\.(\d{1,17})$/;
const recordKey = /^[nwt]\.([0-9a-z]{25})/;

async function dateOfKey(database: Queryable, userId: string, key: string): Promise<string | null> {
  const [, kind, series = '', rest = ''] = sampleKey.exec(key) ?? [];
  if (kind === 'v') return selectDateOfSample(database, userId, Number(series), Number(rest));
  if (kind === 'd') return dateOfDigits(rest);
  if (kind === 'h') return dateOfHour(Number(rest));
  const id = longId(recordKey.exec(key)?.[1] ?? '');
  return id === null ? null : selectDateOfRecord(database, userId, id);
}

// A panel needs both series of its source.
async function scopeOfKey(database: Queryable, userId: string, key: string): Promise<ObservedScope> {
  const whole = await observedScope(database, userId, null);
  const [, , id] = sampleKey.exec(key) ?? [];
  const series = whole.series.get(Number(id));
  if (series === undefined) return { ...whole, samples: [], intervals: [] };
  const isPressure = ({ type_id }: SeriesRow) => seriesById(type_id).type.startsWith('blood_pressure');
  const ids = [...whole.series.values()]
    .filter((row) => row.id === series.id || (isPressure(series) && isPressure(row)))
    .map((row) => row.id);
  const within = (all: readonly number[]) => all.filter((id) => ids.includes(id));
  return {
    ...whole,
    samples: within(whole.samples),
    intervals: within(whole.intervals),
    sleep: false,
    workouts: [],
    days: [],
  };
}

/** The providers and devices that a user has data of, each once. */
export async function observedSources(database: Queryable, settings: Settings, userId: string) {
  const rows = await selectObservedSources(database, userId);
  const sources = rows.map(({ provider, device }) => ({
    provider: settings.shownAs(provider),
    device: readMethod(device).device,
  }));
  return [...new Map(sources.map((source) => [JSON.stringify(source), source])).values()];
}
