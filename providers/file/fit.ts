import { getFitManufacturerName, getFitSportName, getFitSubSportName } from 'fit-file-parser/profile';
import { offsetIn } from '../../domain/time/clocks.ts';
import { minuteMs } from '../../domain/time/time.ts';
import { type LapRecord, mostLaps } from '../../domain/workouts/details.ts';
import { workoutTypeNamed } from '../../domain/workouts/sport-names.ts';
import { instantProblem, textOrNull } from '../phone/normalise/item.ts';
import { type Skipped, skipped } from './entry.ts';
import { fitLap, fitRecord, fitSession } from './fields.ts';
import { endsIn, figuresOf, lapWith } from './figures.ts';
import { type FitBeat, fitBeats, withBeats } from './fit-beats.ts';
import { type ClockMap, clockMapOf, isDate } from './fit-clock.ts';
import type { FitMessage, FitPart } from './fit-reader.ts';
import { mostPoints, type Point, type Recording } from './recording.ts';

/*
 * The activities of a FIT file. Its sessions, laps, lengths and records are lists of their own, which times join: a point, a lap or a
 * length belongs to the session in whose span it lies. What lies in no span is counted.
 */

/** The most sessions of a file: a triathlon has five. The records of the file are searched for each. */
export const mostSessions = 100;

/** The activities of a file, and what of it is in none of them. */
interface FitActivities {
  readonly recordings: readonly Recording[];
  readonly notes: readonly Skipped[];
}

type Note = (type: string, reason: string, items: number) => void;

/** What activities are read with. */
interface ActivityContext {
  readonly nowMs: number;
  /** The time zone of the user, if it is known. */
  readonly timeZone: string | null;
  /** How many sessions are read. */
  readonly room: number;
}

/** The activities of a file. */
export function fitActivities(part: FitPart, { nowMs, timeZone, room }: ActivityContext): FitActivities {
  const notes: Skipped[] = [];
  const note: Note = (type, reason, items) => {
    if (items > 0) notes.push(skipped(type, reason, items));
  };
  const { session: stated, record: records, activity, lap, length } = part.messages;
  const raw = rawPoints(records, note);
  const beats = fitBeats(part.messages.hr);
  if (stated.length === 0 && raw.length === 0 && beats.length === 0) {
    note('laps', 'Laps outside of an activity are not kept.', lap.length);
    note('lengths', 'Lengths outside of an activity are not kept.', length.length);
    return { recordings: [], notes };
  }
  if (stated.length === 0 && part.messages.file_id[0]?.type === course) {
    note('points', 'Points of a course were not recorded.', raw.length);
    return { recordings: [], notes };
  }
  const clock = clockMapOf(part, raw, timeZone);
  if (typeof clock === 'string') {
    note('workouts', clock, Math.max(1, stated.length));
    note('points', 'Points without a date are not kept.', raw.length);
    return { recordings: [], notes };
  }
  const points = mergedPoints(clock.points, beatsAt(beats, clock), { nowMs, note });
  const sessions = stated.map((one) => movedSession(one, clock));
  const legs = sessions.filter((one) => !isWhole(one, sessions));
  note('workouts', 'A multisport activity is kept as its parts.', sessions.length - legs.length);
  note('workouts', 'The file has too many sessions.', Math.max(0, legs.length - room));
  const read = legs.slice(0, room);
  const spans = spansOf(read, points, legs.length === 0 || part.isCut ? room : 0);
  const moves = {
    laps: lap.map((one) => moved(one, clock)),
    lengths: length.map((one) => moved(one, clock)),
  };
  const shares = sharesOf(spans, { points, ...moves }, note);
  const offset = clock.offset ?? offsetOf(activity.at(-1)) ?? offsetUnknown(activity.at(-1), timeZone);
  const whole = { part, points, offset, note };
  const recordings = shares.flatMap((share) => {
    if (!isTransition(share.session)) return [recordingOf(share, whole)];
    note('workouts', 'A transition of a multisport activity is no workout.', 1);
    note('points', 'Points of a transition are not kept.', share.points.length);
    note('laps', 'Laps of a transition are not kept.', share.laps.length);
    return [];
  });
  return { recordings, notes };
}

const [lapEnds, recordEnds] = [endsIn(fitLap, 'laps'), endsIn(fitRecord, 'streams')];
const [totalEnds, detailEnds] = [endsIn(fitSession, 'workout'), endsIn(fitSession, 'details')];

/** The parts of a revolution that a field beside the whole ones has. */
const fractions: Readonly<Record<string, string>> = {
  cadence: 'fractional_cadence',
  avg_cadence: 'avg_fractional_cadence',
  max_cadence: 'max_fractional_cadence',
};

/** The figures of a message. The `enhanced_` field of a value stands behind the plain one, and counts. */
function figuresIn(message: FitMessage, ends: typeof lapEnds): Record<string, number> {
  return figuresOf(ends, (name) => {
    const value = numberOf(message[name]);
    const fraction = fractions[name];
    // A heart rate of 0 means that nothing was measured.
    if (value === null || (value === 0 && name.endsWith('heart_rate'))) return null;
    return fraction === undefined ? value : value + (numberOf(message[fraction]) ?? 0);
  });
}

/** The points in the order of the file. */
function rawPoints(records: readonly FitMessage[], note: Note): Point[] {
  let sixteenths = 0;
  const points = records.flatMap((record): Point[] => {
    const { timestamp, distance, speed, enhanced_speed, compressed_speed_distance: packed } = record;
    const figures = figuresIn(record, recordEnds);
    if (typeof distance === 'number') sixteenths = Math.round(distance * 16);
    if (Array.isArray(packed) && packed.length === 3) {
      // 12 bits of the speed in hundredths, and the lower 12 bits of the distance in sixteenths.
      const [low, middle, high] = packed;
      const [speedBits, distanceBits] = [low | ((middle & 15) << 8), (middle >> 4) | (high << 4)];
      if (speed === undefined && enhanced_speed === undefined && speedBits !== 0xfff)
        figures.speed = speedBits / 100;
      if (distance === undefined && distanceBits !== 0xfff) {
        sixteenths += (distanceBits - sixteenths) & 0xfff;
        figures.distance = sixteenths / 16;
      }
    }
    return typeof timestamp === 'number' ? [{ ms: timestamp, ...figures }] : [];
  });
  note('points', 'Points without a time are not kept.', records.length - points.length);
  return points;
}

const beatsAt = (beats: readonly FitBeat[], { at }: ClockMap): FitBeat[] =>
  beats.map(({ ms, value }) => ({ ms: at(ms), value }));

/** The points in the order of time, of each instant one with the values of all. */
function mergedPoints(
  points: readonly Point[],
  beats: readonly FitBeat[],
  { nowMs, note }: { readonly nowMs: number; readonly note: Note },
): Point[] {
  const byTime = new Map<number, Point>();
  const problems = new Map<string, number>();
  for (const point of points) {
    const problem = instantProblem(point.ms, nowMs);
    const same = byTime.get(point.ms);
    if (problem !== null) problems.set(problem, (problems.get(problem) ?? 0) + 1);
    else byTime.set(point.ms, same === undefined ? point : { ...same, ...point });
  }
  for (const [problem, items] of problems) note('points', `The time ${problem}.`, items);
  const sorted = withBeats(byTime, beats).toSorted((a, b) => a.ms - b.ms);
  note('points', 'The file has too many points.', Math.max(0, sorted.length - mostPoints));
  return sorted.slice(0, mostPoints);
}

/** A message with its instants by the clock that was set right. */
function moved(message: FitMessage, { at }: Pick<ClockMap, 'at'>): FitMessage {
  const { start_time, timestamp } = message;
  const start = typeof start_time === 'number' ? { start_time: at(start_time) } : {};
  const end = typeof timestamp === 'number' ? { timestamp: at(timestamp) } : {};
  return { ...message, ...start, ...end };
}

function movedSession(session: FitMessage, clock: ClockMap): FitMessage {
  const { total_elapsed_time: elapsed } = session;
  const right = typeof elapsed === 'number' ? { total_elapsed_time: elapsed - clock.excessSeconds } : {};
  return { ...moved(session, clock), ...right };
}

/** The type of a file with a route to follow. */
const course = 6;
const multisport = 18;
const transition = 3;
/** `bike_to_run_transition` and the like. */
const transitions: ReadonlySet<unknown> = new Set([32, 33, 34]);

const isTransition = ({ sport, sub_sport }: FitMessage) => sport === transition || transitions.has(sub_sport);

/** Whether a session is the whole of the others. */
function isWhole({ sport }: FitMessage, sessions: readonly FitMessage[]): boolean {
  return sport === multisport && sessions.some((other) => other.sport !== multisport);
}

/** The time of an activity. A file without a session has one of all its points. */
interface Span {
  readonly session: FitMessage;
  readonly start_ms: number;
  readonly end_ms: number;
}

/** `room`: with more activities than sessions, points behind the last session are one of their own. */
function spansOf(sessions: readonly FitMessage[], points: readonly Point[], room: number): Span[] {
  const spans = sessions.map((session) => spanOf(session, points, sessions.length === 1));
  if (spans.length >= room) return spans;
  // The session of what a cut-off file recorded last was not written.
  const behindMs = Math.max(...spans.map(({ end_ms }) => end_ms + nearMs));
  const [first, last] = [points.find(({ ms }) => ms > behindMs), points.at(-1)];
  if (first === undefined || last === undefined) return spans;
  return [...spans, { session: {}, start_ms: first.ms, end_ms: last.ms }];
}

function spanOf(session: FitMessage, points: readonly Point[], isOnly: boolean): Span {
  const [start, end] = [numberOf(session.start_time), numberOf(session.timestamp)];
  const seconds = numberOf(session.total_elapsed_time) || numberOf(session.total_timer_time) || null;
  const lastMs = points.at(-1)?.ms ?? Number.NaN;
  const elapsedMs = seconds === null ? null : Math.round(seconds * 1000);
  const before = end === null || elapsedMs === null ? null : end - elapsedMs;
  const start_ms = start ?? before ?? points[0]?.ms ?? Number.NaN;
  if (elapsedMs === null) return { session, start_ms, end_ms: isOnly ? lastMs : (end ?? lastMs) };
  // Some devices state the time without pauses as the elapsed one, and the end beside it.
  const isLonger = isOnly && end !== null && lastMs > start_ms + elapsedMs + nearMs && lastMs <= end + nearMs;
  return { session, start_ms, end_ms: isLonger ? lastMs : start_ms + elapsedMs };
}

/** A summary is rounded, so that a point may lie a little outside of it. */
const nearMs = 5000;

/** An activity with what lies in its span. */
interface Share extends Span {
  readonly points: Point[];
  readonly laps: LapRecord[];
  readonly lengths: FitMessage[];
}

interface Shared {
  readonly points: readonly Point[];
  readonly laps: readonly FitMessage[];
  readonly lengths: readonly FitMessage[];
}

function sharesOf(spans: readonly Span[], { points, laps, lengths }: Shared, note: Note): Share[] {
  const shares = spans
    .map((span): Share => ({ ...span, points: [], laps: [], lengths: [] }))
    .toSorted((a, b) => a.start_ms - b.start_ms);
  let [pointsOutside, lapsOutside, lengthsOutside] = [0, 0, 0];
  for (const point of points) {
    const share = ownerOf(shares, point.ms, point.ms);
    if (share === undefined) pointsOutside += 1;
    else share.points.push(point);
  }
  for (const message of laps) {
    const lap = lapOf(message);
    const share = lap === null ? undefined : ownerOf(shares, lap.start_ms, lap.end_ms ?? lap.start_ms);
    if (lap === null || share === undefined) lapsOutside += 1;
    else share.laps.push(lap);
  }
  for (const message of lengths) {
    const start = numberOf(message.start_time) ?? numberOf(message.timestamp);
    const share = start === null ? undefined : ownerOf(shares, start, start);
    if (share === undefined) lengthsOutside += 1;
    else share.lengths.push(message);
  }
  note('points', 'Points outside of the time of an activity are not kept.', pointsOutside);
  note('laps', 'Laps outside of an activity are not kept.', lapsOutside);
  note('lengths', 'Lengths outside of an activity are not kept.', lengthsOutside);
  return shares;
}

/** The activity that most of a time lies in; of an instant at a border the later one. */
function ownerOf(shares: readonly Share[], fromMs: number, toMs: number): Share | undefined {
  let owner: Share | undefined;
  let most = Number.NEGATIVE_INFINITY;
  for (const share of shares) {
    const common = Math.min(toMs, share.end_ms) - Math.max(fromMs, share.start_ms);
    if (common < -nearMs || common < most) continue;
    [owner, most] = [share, common];
  }
  return owner;
}

function lapOf(message: FitMessage): LapRecord | null {
  const [start, end] = [numberOf(message.start_time), numberOf(message.timestamp)];
  const lap = lapWith(start ?? Number.NaN, figuresIn(message, lapEnds));
  if (lap === null || lap.end_ms !== null || end === null || end < lap.start_ms) return lap;
  return { ...lap, end_ms: end };
}

interface Whole {
  readonly part: FitPart;
  /** All points of the file. */
  readonly points: readonly Point[];
  readonly offset: number | null;
  readonly note: Note;
}

function recordingOf(share: Share, { part, points: all, offset, note }: Whole): Recording {
  const { session, start_ms, end_ms, laps } = share;
  const sport = sportOf('sport' in session ? session : { ...sportIn(part), ...session });
  const isSwim = workoutTypeNamed(sport) === 'swimming';
  const points = withLengths(ownDistances(share, all), share);
  note('laps', 'The activity has too many laps.', Math.max(0, laps.length - mostLaps));
  return {
    sport,
    name: null,
    device: deviceOf(part),
    start_ms,
    end_ms,
    zone_offset_minutes: offset,
    totals: totalsOf(session, points),
    details: {
      ...roundedHeartRate(figuresIn(session, detailEnds)),
      ...cyclesOf(session, workoutTypeNamed(sport)),
      ...(isSwim ? swimOf(share) : {}),
    },
    laps,
    points,
  };
}

// A device that measured the distance with a developer's field states none in the session.
function totalsOf(session: FitMessage, points: readonly Point[]): Recording['totals'] {
  const { distance_meters, ...totals } = figuresIn(session, totalEnds);
  const isMeasured = distance_meters !== 0 || points.every(({ distance = 0 }) => distance === 0);
  return distance_meters !== undefined && isMeasured ? { ...totals, distance_meters } : totals;
}

function roundedHeartRate({ min_heart_rate_bpm: least, ...others }: Record<string, number>) {
  return least === undefined ? others : { ...others, min_heart_rate_bpm: Math.round(least) };
}

/** Two steps are a cycle. */
function cyclesOf({ total_cycles }: FitMessage, type: ReturnType<typeof workoutTypeNamed>) {
  const cycles = numberOf(total_cycles);
  const isOnFoot = type === 'running' || type === 'walking' || type === 'hiking';
  return cycles !== null && isOnFoot ? { steps: Math.round(cycles * 2) } : {};
}

const isActive = ({ length_type }: FitMessage) => length_type !== 0;

function swimOf({ session, lengths }: Share) {
  const active = lengths.filter(isActive);
  const strokes = active
    .map(({ total_strokes }) => numberOf(total_strokes))
    .filter((count) => count !== null);
  const counted = strokes.length === 0 ? null : strokes.reduce((sum, count) => sum + count, 0);
  const swim_lengths =
    numberOf(session.num_active_lengths) ??
    (active.length === 0 ? numberOf(session.num_lengths) : active.length);
  const swim_strokes = numberOf(session.total_cycles) ?? counted;
  return { swim_lengths, swim_strokes };
}

/** The distance by length, of a swim whose points have none. */
function withLengths(points: readonly Point[], { session, lengths }: Share): readonly Point[] {
  const total = numberOf(session.total_distance);
  const active = lengths.filter(isActive).length;
  const pool = numberOf(session.pool_length) ?? (total === null || active === 0 ? null : total / active);
  if (pool === null || lengths.length === 0 || points.some(({ distance }) => distance !== undefined))
    return points;
  const byTime = new Map(points.map((point) => [point.ms, point]));
  const put = (ms: number, distance: number) => byTime.set(ms, { ...byTime.get(ms), ms, distance });
  let meters = 0;
  for (const length of lengths) {
    const [start, end] = [numberOf(length.start_time), endOfLength(length)];
    if (start !== null && meters === 0) put(start, 0);
    if (isActive(length)) meters += pool;
    if (end !== null) put(end, meters);
  }
  return [...byTime.values()].toSorted((a, b) => a.ms - b.ms);
}

function endOfLength({ start_time, total_elapsed_time, timestamp }: FitMessage): number | null {
  const [start, seconds] = [numberOf(start_time), numberOf(total_elapsed_time)];
  return start === null || seconds === null ? numberOf(timestamp) : start + Math.round(seconds * 1000);
}

/** The points of a leg with distances from its own start: devices count on through the legs of an activity. */
function ownDistances({ session, points, start_ms }: Share, all: readonly Point[]): readonly Point[] {
  const distanceOf = ({ distance }: Point) => distance !== undefined;
  const before = all.findLast((point) => point.ms < start_ms && distanceOf(point))?.distance ?? 0;
  const [first, last] = [points.find(distanceOf)?.distance, points.findLast(distanceOf)?.distance];
  if (before === 0 || first === undefined || last === undefined || first < before) return points;
  const stated = numberOf(session.total_distance);
  if (stated !== null && Math.abs(last - before - stated) > Math.abs(last - stated)) return points;
  return points.map((point) =>
    point.distance === undefined ? point : { ...point, distance: point.distance - before },
  );
}

/** The sport of an activity without a session. */
const sportIn = ({ messages: { sport, lap } }: FitPart): FitMessage =>
  sport.at(-1) ?? lap.find((one) => 'sport' in one) ?? {};

// `strength_training` says more than `training`, but `treadmill` of `walking` no other sport.
function sportOf({ sport, sub_sport }: FitMessage): string {
  const [name, more] = [getFitSportName(numberOf(sport)), getFitSubSportName(numberOf(sub_sport))];
  const isOther = workoutTypeNamed(name) === 'other';
  if (more !== null && isOther && workoutTypeNamed(more) !== 'other') return more;
  return name === null || name === 'generic' ? 'other' : name;
}

/** The name of the device of a file. */
export function deviceOf({ messages: { file_id } }: FitPart): string {
  const [id] = file_id;
  const manufacturer = numberOf(id?.manufacturer);
  const names = [getFitManufacturerName(manufacturer) ?? manufacturer, id?.product_name ?? id?.product];
  const known = names.filter((name) => typeof name === 'string' || typeof name === 'number');
  return textOrNull(known.join(' '), 100) ?? 'unknown';
}

/**
 * The clock of the device, in whole quarters of an hour from UTC. Writers that do not have the zone state the same time twice, which
 * says nothing about it.
 */
export function offsetOf(message: FitMessage | undefined): number | null {
  const [utc, local] = [numberOf(message?.timestamp), numberOf(message?.local_timestamp)];
  if (utc === null || local === null || utc === local || !isDate(utc)) return null;
  const offset = Math.round((local - utc) / minuteMs / 15) * 15;
  return Math.abs(offset) <= 14 * 60 ? offset : null;
}

// A writer that does not know the zone states the instant as its local time, too. The user's zone says more.
function offsetUnknown(message: FitMessage | undefined, timeZone: string | null): number | null {
  const [utc, local] = [numberOf(message?.timestamp), numberOf(message?.local_timestamp)];
  return utc === null || utc !== local || timeZone === null ? null : offsetIn(timeZone, utc, false);
}

/** A number of a message; null if the field has none. */
export function numberOf(value: FitMessage[string] | undefined): number | null {
  return typeof value === 'number' ? value : null;
}
