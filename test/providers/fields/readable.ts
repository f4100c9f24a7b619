import type { IntervalRecord, IntervalSource } from '../../../domain/records/interval-records.ts';
import type { StoreItem } from '../../../domain/records/records.ts';
import type { WorkoutExtras } from '../../../domain/workouts/details.ts';
import type { Track } from '../../../domain/workouts/track.ts';

/** What can be read back, by the ends of field tables. Two records of an item share an end. */
export type Readable = ReadonlyMap<string, string>;

type Row = readonly [end: string, value: unknown];

/** The ends of rows, each with all of its values. */
export function readableOf(rows: readonly Row[]): Readable {
  const known = rows.filter(([, value]) => value !== null && value !== undefined);
  const groups = Map.groupBy(known, ([end]) => end);
  return new Map(
    [...groups].map(([end, group]) => [end, JSON.stringify(group.map(([, value]) => value).sort())]),
  );
}

/** The ends of a normalised item. */
export function itemRows(item: StoreItem): Row[] {
  return [
    ['key', item.key],
    ['duration_seconds', item.duration_seconds],
    ...placed('workout', item.workout),
    ...item.sleeps.flatMap(({ details, ...sleep }) => [
      ...placed('sleep', sleep),
      ...prefixed('sleep', details),
      ['extra', details?.extra] as const,
    ]),
    ...placed('day', item.day),
    ...placed('', item.day_values),
    ...prefixed('day_values', item.day_values?.values),
    ...item.scores.flatMap(({ kind, value, label, components, ...score }): Row[] => [
      ...common(score),
      [`score.${kind}`, [value, label]],
      [`score_components.${kind}`, components],
    ]),
    ...placed('epoch', item.epoch),
    ...prefixed('series', item.epoch?.values),
    ...placed('', item.other),
    ['event.data', item.other?.data],
    ...prefixed(item.other?.type ?? '', item.other?.data),
    ['extra', item.day_values?.extra],
    ...item.scores.flatMap(({ kind, value, label, components, ...place }): Row[] => [
      [`score.${kind}`, [value, label]],
      [`score_components.${kind}`, components],
      ...common(place),
    ]),
    ...item.samples.flatMap(({ type, device, zone_offset_minutes, base_ms, at, values }): Row[] => [
      [`series.${type}`, [at.map((ms) => base_ms + ms), values]],
      ...common({ device, zone_offset_minutes, start_ms: base_ms + (at[0] ?? 0) }),
    ]),
    ...extrasRows(item.extras),
  ];
}

function extrasRows(extras: WorkoutExtras | null): Row[] {
  if (extras === null) return [];
  const { details, laps, splits, extra } = extras;
  return [
    ...prefixed('details', details),
    ...(laps ?? []).flatMap((lap) => prefixed('laps', lap)),
    ...(splits ?? []).flatMap((split) => prefixed('splits', split)),
    ['extra', extra],
  ];
}

/** The ends of a track. */
export function trackRows(track: Track | null | undefined): Row[] {
  return [...(track?.columns ?? [])].map(([type, values]) => [`streams.${type}`, [track?.times, ...values]]);
}

/** The ends of intervals. */
export function intervalRows(
  intervals: readonly Pick<
    IntervalRecord,
    'id' | 'type' | 'start_ms' | 'end_ms' | 'value' | 'zone_offset_minutes'
  >[],
  sources: readonly IntervalSource[],
): Row[] {
  return [
    ...intervals.flatMap(({ id, type, value, ...span }): Row[] => [
      ['key', id],
      [`series.${type}`, [value, span]],
      ...common(span),
    ]),
    ...sources.map((source): Row => ['source', source]),
  ];
}

function placed(name: string, record: object | null): Row[] {
  return record === null ? [] : [...common(record), ...(name === '' ? [] : prefixed(name, record))];
}

const ends: Readonly<Record<string, string>> = {
  start_ms: 'start_time',
  end_ms: 'end_time',
  duration_seconds: 'duration_seconds',
  date: 'date',
  zone_offset_minutes: 'zone_offset',
  device: 'source',
};

/** The ends that all records have. */
export function common(record: object): Row[] {
  return Object.entries(record).flatMap(([name, value]) => {
    const end = ends[name];
    return end === undefined ? [] : [[end, value] as const];
  });
}

/** The ends of the columns of a record. */
function prefixed(name: string, record: object | null | undefined): Row[] {
  return Object.entries(record ?? {}).map(([column, value]) => [`${name}.${column}`, value]);
}
