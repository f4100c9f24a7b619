import { z } from 'zod';
import type { fhir } from '../../contracts/fhir.ts';
import type { Observed, ObservedPosition } from '../../contracts/timeseries/observed.ts';
import type { ParamsOf } from '../../domain/contract.ts';
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts';
import { searchset } from '../../domain/fhir/bundle.ts';
import { observationOf } from '../../domain/fhir/observation.ts';
import { type ObservedName, pressureTypes } from '../../domain/fhir/observed.ts';
import { namesInCategory, namesWithCode } from '../../domain/fhir/search-codes.ts';
import { type DateCondition, daysWithin, mayTouch, satisfies } from '../../domain/fhir/search-dates.ts';
import { isSeriesType } from '../../domain/records/series.ts';
import type { Call } from '../../runtime/environment.ts';

/** The parameters of a search of Observations. */
type ObservationSearch = ParamsOf<typeof fhir, 'observations'>;

const Position: z.ZodType<ObservedPosition> = z.tuple([z.string(), z.number(), z.string()]);

/** A page of the Observations of a user. @throws USER_NOT_FOUND (404), CURSOR_INVALID (422) */
export async function searchObservations(call: Call, base: string, search: ObservationSearch) {
  const { user_id, _count: limit, _sort: sort, _cursor: cursor } = search;
  const params = paramsOf(search);
  const after =
    cursor === undefined ? null : decodeCursor(cursor, ['fhir.observations', params], Position).key;
  const { items, next } = await readPage(call, search, after, limit);
  if (items.length === 0 && after === null) await call('users.get', { user_id });
  return searchset({
    base,
    type: 'Observation',
    params: { ...params, _sort: [sort], _count: [String(limit)] },
    next: next === null ? null : encodeCursor(['fhir.observations', params], 'next', next),
    total: after === null && next === null ? items.length : null,
    resources: items.map((item) => observationOf(user_id, item)),
  });
}

/** Pages that are read for one answer, if none of their items fits. */
const mostReads = 20;

async function readPage(
  call: Call,
  search: ObservationSearch,
  start: ObservedPosition | null,
  limit: number,
) {
  const { user_id, date: conditions = [], _lastUpdated: since, _sort: sort } = search;
  const names = namesOf(search);
  const mayHaveChanged = since === undefined ? null : await changesSince(call, user_id, since);
  if (names?.length === 0) return { items: [], next: null };
  const { first, last } = daysWithin(conditions);
  const order = sort === 'date' ? ('asc' as const) : ('desc' as const);
  const query = {
    user_id,
    names: names === null ? null : [...names],
    first_date: first,
    last_date: last,
    order,
    limit,
  };
  let after = start;
  for (let reads = 1; ; reads += 1) {
    const page = await call('timeseries.observed', { ...query, after });
    const items = page.items.filter((item) => isWanted(item, conditions, mayHaveChanged));
    if (items.length > 0 || page.next === null || reads === mostReads) return { items, next: page.next };
    after = page.next;
  }
}

function namesOf({ code, category }: ObservationSearch): readonly ObservedName[] | null {
  const byCode = namesWithCode(code ?? null);
  const byCategory = namesInCategory(category ?? null);
  if (byCode === null || byCategory === null) return byCode ?? byCategory;
  return byCode.filter((name) => byCategory.includes(name));
}

function isWanted(
  item: Observed,
  conditions: readonly DateCondition[],
  mayHaveChanged: MayHaveChanged | null,
): boolean {
  return satisfies(item, conditions) && (mayHaveChanged === null || mayHaveChanged(item));
}

// The parameters as a client may repeat them.
function paramsOf({ user_id, category, code, date, _lastUpdated, _sort }: ObservationSearch) {
  const listed = (name: string, values: readonly string[] | undefined) =>
    values === undefined ? {} : { [name]: [values.join(',')] };
  return {
    patient: [user_id],
    ...listed('category', category),
    ...listed('code', code),
    ...(date === undefined ? {} : { date: date.map(dateText) }),
    ...(_lastUpdated === undefined ? {} : { _lastUpdated: [`ge${new Date(_lastUpdated).toISOString()}`] }),
    ...(_sort === '-date' ? {} : { _sort: [_sort] }),
  };
}

const dateText = ({ text }: DateCondition) => text;

/** Whether an observation may have changed. */
type MayHaveChanged = (item: Observed) => boolean;

interface Span {
  readonly series: string | null;
  readonly date: string | null;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

/**
 * Returns a predicate for what may have changed of a user since an instant. The change log names series, records and
 * days, so that the predicate is also true for unchanged Observations beside a changed one.
 */
export async function changesSince(call: Call, userId: string, sinceMs: number): Promise<MayHaveChanged> {
  const { spans } = await call('webhooks.changedSpans', { user_id: userId, since_ms: sinceMs });
  if (spans === null) return () => true;
  const bySeries = Map.groupBy(spans, ({ series }) => series ?? '');
  return (item) => seriesOf(item).some((series) => bySeries.get(series)?.some((span) => touches(span, item)));
}

// Records are under the empty name.
function seriesOf({ name }: Observed): readonly string[] {
  if (name === 'blood_pressure') return pressureTypes;
  return isSeriesType(name) ? [name] : [''];
}

function touches({ date, first_ms, last_ms }: Span, item: Observed): boolean {
  if (date !== null) return date === item.date;
  if (first_ms === null || last_ms === null) return true;
  return mayTouch(item.date, first_ms, last_ms);
}
