import type { LapRecord } from '../../domain/workouts/details.ts';
import type { StreamType } from '../../domain/workouts/track.ts';
import { textOrNull } from '../phone/normalise/item.ts';
import { pointFields, tcxLap } from './fields.ts';
import { endsIn, figuresOf, lapWith } from './figures.ts';
import type { Point, Recording } from './recording.ts';

/** The texts of an element by the names of the elements in it, without prefixes; of a lone `Value`, that of its parent. */
export type Leaves = Readonly<Record<string, string>>;

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/;

/** An instant of XML; NaN if it cannot be read. Some writers leave out the zone, which is UTC. */
function instantOf(text = ''): number {
  const given = text.trim();
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(given) ? given : `${given}Z`;
  return iso.test(zoned) ? Date.parse(zoned) : Number.NaN;
}

/** A point of GPX or TCX; null without a time. */
export function pointOf(leaves: Leaves): Point | null {
  const ms = instantOf(leaves.time ?? leaves.Time);
  if (Number.isNaN(ms)) return null;
  const measured = Object.entries(leaves).flatMap(([name, text]): [StreamType, number][] => {
    const stream = Object.hasOwn(pointFields, name) ? pointFields[name] : undefined;
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return stream === undefined || !Number.isFinite(value) ? [] : [[stream, value]];
  });
  return { ms, ...Object.fromEntries(measured) };
}

const ends = endsIn(tcxLap, 'laps');

/** Laps of TCX with the attribute StartTime among their leaves. */
function lapOf(leaves: Leaves): LapRecord | null {
  return lapWith(
    instantOf(leaves.StartTime),
    figuresOf(ends, (name) => numberOf(leaves[name])),
  );
}

function numberOf(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/** An activity of GPX (a track) or TCX: `head` has its own leaves, such as its name and its sport. */
export interface TracedActivity {
  readonly head: Leaves;
  readonly points: readonly Point[];
  readonly laps: readonly Leaves[];
}

/** The recording of a traced activity. */
export function recordingOf({ head, points, laps: lapLeaves }: TracedActivity): Recording {
  const laps = lapLeaves.flatMap((leaves) => lapOf(leaves) ?? []);
  const times = [
    ...points.map(({ ms }) => ms),
    ...laps.flatMap(({ start_ms, end_ms }) => [start_ms, end_ms ?? start_ms]),
  ];
  const sum = (values: readonly (number | null)[]) =>
    values.every((value) => value === null)
      ? null
      : values.reduce<number>((all, value) => all + (value ?? 0), 0);
  return {
    sport: (head.Sport ?? head.type ?? 'other').trim().toLowerCase().replaceAll(/\s+/g, '_') || 'other',
    name: head.name?.trim() || null,
    device: textOrNull(head.Creator, 100) ?? 'unknown',
    start_ms: times.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY),
    end_ms: times.reduce((most, ms) => Math.max(most, ms), Number.NEGATIVE_INFINITY),
    zone_offset_minutes: null,
    totals: {
      distance_meters: sum(laps.map(({ distance_meters }) => distance_meters)),
      moving_seconds: sum(laps.map(({ duration_seconds }) => duration_seconds)),
      calories_kcal: sum(lapLeaves.map(({ Calories }) => numberOf(Calories))),
    },
    details: {},
    laps,
    points,
  };
}
