import { z } from 'zod';
import { bareItem, type StoreItem } from '../../../domain/records/records.ts';
import {
  isScoreOf,
  mostScoreComponents,
  type ScoreComponents,
  ScoreKind,
} from '../../../domain/records/scores.ts';
import { dateToMs, dayMs, knownLocalDate, localDate } from '../../../domain/time/time.ts';
import {
  dayPlaceOf,
  instantOf,
  instantProblem,
  isMalformed,
  jsonOf,
  malformedOffset,
  numberOf,
  offsetOf,
  textOf,
  wholeOf,
} from './cells.ts';
import { allLeft, Counter, type Mapped, movedItem, noProvider, type Placed, recordIdOf } from './mapped.ts';
import { sleepItem } from './nights.ts';
import type { CycleDetailsRow, RecordRow, ScoreRow, SourceRow } from './rows.ts';
import { itemName, type LiveItems, type MovedProvider, movedType, providerOf } from './sources.ts';
import { workoutItem } from './workouts.ts';

const noSource = 'its source does not exist';

/** How the records of a category become items. */
interface Category {
  readonly live: (moved: MovedProvider) => LiveItems;
  readonly device: (moved: MovedProvider, source: SourceRow) => string;
  /** The date that identifies a record, where its end does not. */
  readonly dateOf?: (row: RecordRow, startMs: number) => string;
  /** A record is of its start alone. */
  readonly isInstant?: boolean;
  readonly item: (row: RecordRow, placed: Placed, changed: Counter) => StoreItem;
}

const categories: ReadonlyMap<string, Category> = new Map([
  [
    'workout',
    {
      live: ({ workouts }: MovedProvider) => workouts,
      device: ({ workoutDevice }: MovedProvider, source: SourceRow) => workoutDevice(source),
      item: workoutItem,
    },
  ],
  [
    'sleep',
    {
      live: ({ sleeps }: MovedProvider) => sleeps,
      device: ({ sleepDevice }: MovedProvider, source: SourceRow) => sleepDevice(source),
      item: sleepItem,
    },
  ],
  [
    'menstrual_cycle',
    {
      live: ({ cycles }: MovedProvider) => cycles,
      device: ({ dayDevice }: MovedProvider, source: SourceRow) => dayDevice(source),
      dateOf: cycleDate,
      isInstant: true,
      item: cycleItem,
    },
  ],
]);

/** The item of a record: a workout, a sleep, or a day of the menstrual cycle. It keeps the id of the record. */
export function recordItem(source: SourceRow | null, row: RecordRow, nowMs: number): Mapped {
  const { category: what } = row;
  if (source === null) return allLeft(what, noSource);
  const moved = providerOf(source);
  if (moved === null) return allLeft(what, noProvider);
  const category = categories.get(what);
  if (category === undefined) return allLeft('other', 'no record has this category');
  const span = spanOf(row, category, nowMs);
  if (typeof span === 'string') return allLeft(what, span);
  const changed = new Counter();
  const offset = offsetOf(row.zone_offset);
  if (isMalformed(row.zone_offset)) changed.add(what, malformedOffset);
  const date = category.dateOf?.(row, span.start_ms) ?? knownLocalDate(span.end_ms, offset);
  const external_id = textOf(row.external_id, 200);
  const name = itemName(category.live(moved), { external_id, start_ms: span.start_ms, date }, row.id);
  const placed = { ...span, name, offset, device: category.device(moved, source) };
  const items = [category.item(row, placed, changed)];
  return { provider: moved.provider, items, left: [], changed: changed.list() };
}

function spanOf(
  row: RecordRow,
  { isInstant = false }: Category,
  nowMs: number,
): Pick<Placed, 'start_ms' | 'end_ms'> | string {
  const start_ms = instantOf(row.start_datetime);
  const problem = instantProblem(start_ms, nowMs);
  if (start_ms === null || problem !== null) return problem ?? 'has no valid time';
  const lastsMs = (wholeOf('duration_seconds', row.duration_seconds) ?? 0) * 1000;
  const end = instantOf(row.end_datetime) ?? start_ms;
  if (end < start_ms) return 'ends before it starts';
  const end_ms = end > start_ms ? end : start_ms + lastsMs;
  if (isInstant) return { start_ms, end_ms: start_ms };
  if (end_ms === start_ms) return 'lasts no time';
  return end_ms - start_ms > longestMs ? 'lasts more than 31 days' : { start_ms, end_ms };
}

const longestMs = 31 * dayMs;
/** As the device maker's own days are read. */
const mostCycleDays = 1000;

function cycleDate({ menstrual_cycle_details }: RecordRow, startMs: number): string {
  const sent = wholeOf('day', menstrual_cycle_details?.day_in_cycle) ?? 1;
  const day = sent >= 1 && sent <= mostCycleDays ? sent : 1;
  return localDate(startMs + (day - 1) * dayMs, 0);
}

/** A day of the menstrual cycle, kept whole. Its fields have the names that the device maker gives them. */
function cycleItem(row: RecordRow, { name, device, start_ms }: Placed, changed: Counter): StoreItem {
  const date = cycleDate(row, start_ms);
  const startMs = dateToMs(date);
  const data = {
    periodStartDate: localDate(start_ms, 0),
    ...(row.type == null ? {} : { type: textOf(row.type, 100) }),
    ...cycleData(row.menstrual_cycle_details ?? {}, changed),
  };
  return movedItem({
    ...bareItem,
    ...name,
    supersede: 'moved',
    duration_seconds: dayMs / 1000,
    other: {
      type: 'mct',
      start_ms: startMs,
      end_ms: startMs + dayMs,
      zone_offset_minutes: null,
      date,
      device,
      data,
    },
    record_id: recordIdOf(row),
  });
}

function cycleData({ last_updated_at, pregnancy_snapshot, ...row }: CycleDetailsRow, changed: Counter) {
  const snapshot = pregnancy_snapshot == null ? null : jsonOf(pregnancy_snapshot);
  if (snapshot === undefined) changed.add('menstrual_cycle', 'its snapshot of the pregnancy is too large');
  const updatedMs = instantOf(last_updated_at);
  const fields = Object.entries(row).map(([name, value]): [string, unknown] => [
    name.replace(/_[a-z]/g, (next) => next.charAt(1).toUpperCase()),
    typeof value === 'string' ? (numberOf(value) ?? textOf(value, 100)) : value,
  ]);
  const others: [string, unknown][] = [
    ['lastUpdatedTimeInSeconds', updatedMs === null ? null : updatedMs / 1000],
    ['pregnancySnapshot', snapshot],
  ];
  return Object.fromEntries([...fields, ...others].filter(([, value]) => value != null));
}

/** Options of scores. */
export interface ScoreOptions {
  /** Moves also what Open Wearables computed itself. */
  readonly internal: boolean;
}

const Component = z.object({
  value: z.union([z.string(), z.number()]).nullish(),
  qualifier: z.string().nullish(),
});
const Components = z.record(z.string(), Component);

/**
 * The item of a score of a provider. What Open Wearables computed itself is moved only on request, as a score of the provider of its
 * source. `source`: null if the row names none.
 */
export function scoreItem(
  source: SourceRow | null,
  row: ScoreRow,
  nowMs: number,
  { internal }: ScoreOptions = { internal: false },
): Mapped {
  const kind = ScoreKind.safeParse(row.category).data;
  if (kind === undefined) return allLeft('other', 'no score has this category');
  const isInternal = row.provider === 'internal';
  if (isInternal && !internal)
    return allLeft(kind, 'it was computed by Open Wearables, and is computed anew');
  const moved = providerOf(isInternal || source !== null ? (source ?? {}) : { provider: row.provider });
  if (moved === null) return allLeft(kind, noProvider);
  const ms = instantOf(row.recorded_at);
  const problem = instantProblem(ms, nowMs);
  if (ms === null || problem !== null) return allLeft(kind, problem ?? '');
  const [value, label] = [numberOf(row.value), textOf(row.qualifier, 60)];
  if (value === null && label === null) return allLeft(kind, 'it has neither a value nor a word');
  if (value !== null && !isScoreOf(kind, value))
    return allLeft(kind, 'the value is out of the range of its kind');
  const offset = offsetOf(row.zone_offset);
  const changed = new Counter();
  if (isMalformed(row.zone_offset)) changed.add(kind, malformedOffset);
  const { date } = dayPlaceOf(ms, offset);
  const components = componentsOf(row, isInternal);
  const device = source === null ? 'unknown' : moved.dayDevice(source);
  const item = movedItem({
    ...bareItem,
    data_type: (isInternal ? undefined : moved.scores[kind]) ?? movedType,
    key: `${movedType} ${row.id}`,
    supersede: 'moved',
    duration_seconds: dayMs / 1000,
    scores: [
      {
        kind,
        value,
        label,
        components,
        date,
        start_ms: ms,
        end_ms: ms + dayMs,
        zone_offset_minutes: offset,
        device,
      },
    ],
  });
  return { provider: moved.provider, items: [item], left: [], changed: changed.list() };
}

function componentsOf({ components }: ScoreRow, isInternal: boolean): ScoreComponents {
  const entries = Object.entries(Components.safeParse(components).data ?? {});
  const own = isInternal ? { computed_by: 'Open Wearables' } : {};
  const parts = entries.slice(0, mostScoreComponents - 1).flatMap(([given, { value, qualifier }]) => {
    const name = textOf(given, 60);
    return name === null ? [] : [[name, numberOf(value) ?? textOf(qualifier, 200)] as const];
  });
  return { ...Object.fromEntries(parts), ...own };
}
