import { ownValue } from '../../domain/own-value.ts';
import type { LapRecord } from '../../domain/workouts/details.ts';
import { acceptsStream, type StreamType } from '../../domain/workouts/track.ts';
import { textOrNull } from '../phone/normalise/item.ts';
import { type Skipped, skipped } from './entry.ts';
import { pointFields, tcxLap, trackTotals } from './fields.ts';
import { endsIn, figuresOf, lapWith } from './figures.ts';
import type { Point, Recording } from './recording.ts';
import { totalsOf } from './totals.ts';

/** The texts of an element by the names of the elements in it, without prefixes; of a lone `Value`, that of its parent. */
export type Leaves = Readonly<Record<string, string>>;

const iso = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:?\d\d)$/;

/** An instant of XML; NaN if it cannot be read. Some writers leave out the zone, which is UTC. */
function instantOf(text = ''): number {
  const given = text.trim();
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(given) ? given : `${given}Z`;
  return iso.test(zoned) ? Date.parse(zoned) : Number.NaN;
}

/** A point of GPX or TCX; null without a time. Of several fields of a stream the first one counts. */
export function pointOf(leaves: Leaves): Point | null {
  const ms = instantOf(leaves.time ?? leaves.Time);
  if (Number.isNaN(ms)) return null;
  const measured = Object.entries(leaves).flatMap(([name, text]): [StreamType, number][] => {
    const stream = ownValue(pointFields, name);
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return stream === undefined || !acceptsStream(stream, value) ? [] : [[stream, value]];
  });
  return { ms, ...Object.fromEntries(measured.toReversed()) };
}

const lapEnds = endsIn(tcxLap, 'laps');
const [totalEnds, detailEnds] = [endsIn(trackTotals, 'workout'), endsIn(trackTotals, 'details')];

/** Laps of TCX with the attribute StartTime among their leaves. */
function lapOf(leaves: Leaves): LapRecord | null {
  return lapWith(
    instantOf(leaves.StartTime),
    figuresOf(lapEnds, (name) => numberOf(leaves[name])),
  );
}

function numberOf(text: string | undefined): number | null {
  const value = text === undefined || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(value) && value >= 0 ? value : null;
}

/**
 * An activity of GPX (a track) or TCX: `head` has its own leaves, such as its name and its sport. Between segments the recording
 * paused. `untimed`: the number of points without a time.
 */
export interface TracedActivity {
  readonly head: Leaves;
  readonly segments: readonly (readonly Point[])[];
  readonly laps: readonly Leaves[];
  readonly untimed: number;
}

/** The sentence for a route that nobody has gone yet: its points have no times, or one and the same. Null: it is a workout. */
export function plannedRoute({ segments, laps, untimed }: TracedActivity): Skipped | null {
  const points = segments.flat();
  const isTimed = points.some(({ ms }) => ms !== points[0]?.ms);
  if (laps.length > 0 || isTimed || points.length + untimed < 2) return null;
  return skipped('workouts', 'A planned route is no workout.');
}

/** The recording of a traced activity. What the file does not state of the whole is computed from the points. */
export function recordingOf({ head, segments: given, laps: lapLeaves }: TracedActivity): Recording {
  const laps = lapLeaves.flatMap((leaves) => lapOf(leaves) ?? []);
  const sorted = given.map((segment) => segment.toSorted((a, b) => a.ms - b.ms));
  const begin = sorted
    .flatMap(([first]) => first?.ms ?? [])
    .concat(laps.map(({ start_ms }) => start_ms))
    .reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const segments = fromStart(sorted, begin);
  const ends = [
    ...segments.map((segment) => segment.at(-1)?.ms ?? begin),
    ...laps.map(({ start_ms, end_ms }) => end_ms ?? start_ms),
  ];
  const stated = figuresOf(totalEnds, (name) => numberOf(head[name]));
  const computed = totalsOf(segments);
  const ofLaps = {
    distance_meters: total(laps.map(({ distance_meters }) => distance_meters)),
    moving_seconds: total(laps.map(({ duration_seconds }) => duration_seconds)),
    calories_kcal: total(lapLeaves.map(({ Calories }) => numberOf(Calories))),
  };
  return {
    sport: (head.Sport ?? head.type ?? 'other').trim().toLowerCase().replaceAll(/\s+/g, '_') || 'other',
    name: head.name?.trim() || null,
    device: textOrNull(head.Creator, 100) ?? 'unknown',
    start_ms: begin,
    end_ms: ends.reduce((most, ms) => Math.max(most, ms), Number.NEGATIVE_INFINITY),
    zone_offset_minutes: null,
    totals: {
      ...stated,
      calories_kcal: stated.calories_kcal ?? ofLaps.calories_kcal,
      distance_meters: stated.distance_meters ?? ofLaps.distance_meters ?? computed.distance_meters,
      moving_seconds: stated.moving_seconds ?? ofLaps.moving_seconds ?? computed.moving_seconds,
      elevation_gain_meters: stated.elevation_gain_meters ?? computed.elevation_gain_meters,
    },
    details: {
      elevation_loss_meters: computed.elevation_loss_meters,
      ...figuresOf(detailEnds, (name) => numberOf(head[name])),
    },
    laps,
    points: segments.flat(),
  };
}

/** The sum of the laps; null if one of them does not say it. */
function total(values: readonly (number | null)[]): number | null {
  if (values.length === 0) return null;
  return values.reduce((all, value) => (all === null || value === null ? null : all + value), 0);
}

/** What an activity cannot have covered when its first point was measured. */
const [fastestStart, leastStartMeters] = [15, 50];

/**
 * The points with distances from the start of the activity. Some devices count from the start of the recording that the activity is a
 * part of, and some count each lap from 0.
 */
function fromStart(segments: readonly (readonly Point[])[], startMs: number): Point[][] {
  const first = segments.flat().find(({ distance }) => distance !== undefined);
  const reachable = leastStartMeters + (fastestStart * ((first?.ms ?? 0) - startMs)) / 1000;
  let added = (first?.distance ?? 0) > reachable ? -(first?.distance ?? 0) : 0;
  let last = 0;
  return segments.map((segment) =>
    segment.map((point) => {
      const { distance } = point;
      if (distance === undefined) return point;
      if (distance + added < last / 2) added = last - distance;
      last = distance + added;
      return { ...point, distance: Math.round(last * 1000) / 1000 };
    }),
  );
}
