import type { Workout } from '../../../../clients/typescript/src/index.ts';
import { duration } from '../../duration.ts';
import { formatIn, type Instant, type Zone } from '../../zone.ts';
import { type DayAxis, slotMs } from './day-axis.ts';
import type { LineId, LineLane, Picture, Steps } from './picture.ts';
import { type Gap, meanOf } from './points.ts';
import { nightOf } from './sleep-of-day.ts';

/** The names and units of the lanes that are lines; `extreme` is the end of the range whose time is worth a word. */
export const lineNames: Readonly<
  Record<LineId, { readonly title: string; readonly unit: string; readonly extreme: 'highest' | 'lowest' }>
> = {
  heart: { title: 'Heart rate', unit: ' bpm', extreme: 'highest' },
  stress: { title: 'Stress', unit: '', extreme: 'highest' },
  battery: { title: 'Body battery', unit: ' %', extreme: 'lowest' },
  oxygen: { title: 'Blood oxygen', unit: ' %', extreme: 'lowest' },
  glucose: { title: 'Glucose', unit: ' mg/dL', extreme: 'highest' },
};

let lastClock: { readonly zone: Zone; readonly clock: (at: Instant) => string } | undefined;

/** The clock of a day. A format takes longer to make than a cursor may take for a step, so the last one is kept. */
export function clockOfDay(zone: Zone): (at: Instant) => string {
  if (lastClock?.zone !== zone)
    lastClock = { zone, clock: formatIn(zone, { hour: 'numeric', minute: '2-digit' }) };
  return lastClock.clock;
}

const integers = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });

/** A whole number. */
export const whole = (value: number) => integers.format(value);

/**
 * The extremes of a lane over all of its sources; null without values. The mean is that of the quarter hours, so that a workout
 * with a value every second counts no more than its time.
 */
export function rangeOf({
  tracks,
}: LineLane): { min: number; max: number; minAt: number; maxAt: number; mean: number } | null {
  let [min, max, minAt, maxAt] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0];
  for (const { points } of tracks)
    points.times.forEach((at, index) => {
      const [low = min, high = max] = [points.mins[index], points.maxs[index]];
      if (low < min) [min, minAt] = [low, at];
      if (high > max) [max, maxAt] = [high, at];
    });
  const slots = tracks[0]?.slotMeans.map((_, slot) =>
    meanOf(tracks.map((one) => one.slotMeans[slot] ?? null)),
  );
  const mean = meanOf(slots ?? []) ?? 0;
  return min > max ? null : { min, max, minAt, maxAt, mean };
}

/** What a line says: `from 48 to 142 bpm, mean 67, highest at 6:12 PM`. Empty without values. */
export function lineText(lane: LineLane, zone: Zone): string {
  const range = rangeOf(lane);
  if (range === null) return '';
  const { unit, extreme } = lineNames[lane.id];
  const at = clockOfDay(zone)(extreme === 'highest' ? range.maxAt : range.minAt);
  return `from ${whole(range.min)} to ${whole(range.max)}${unit}, mean ${whole(range.mean)}, ${extreme} at ${at}`;
}

/** What the sleep of a day is: the night that ended on it, and what follows. Empty without sleep. */
export function sleepText({ sleeps, axis: { date, zone, to } }: Picture): string {
  const clock = clockOfDay(zone);
  const night = nightOf(sleeps, date, zone);
  const times = (one: { start_time: string; end_time: string }) =>
    `${clock(one.start_time)} to ${clock(one.end_time)}`;
  return sleeps
    .map((one) => {
      if (one.is_nap) return `nap from ${times(one)}`;
      if (one === night && one.duration_seconds === null) return `in bed from ${times(one)}`;
      if (one === night) return `${duration(one.duration_seconds ?? 0)} asleep from ${times(one)}`;
      return Date.parse(one.end_time) > to
        ? `next night from ${clock(one.start_time)}`
        : `also asleep from ${times(one)}`;
    })
    .join('; ');
}

/** What the bars of a day say: `8,123 steps, most from 5:15 PM to 5:30 PM`. */
export function stepsText({ sums, total }: Steps, { from, zone }: DayAxis): string {
  const most = Math.max(...sums.map((sum) => sum ?? 0));
  const at = from + sums.indexOf(most) * slotMs;
  const clock = clockOfDay(zone);
  const when = most === 0 ? '' : `, most from ${clock(at)} to ${clock(at + slotMs)}`;
  return `${whole(total)} steps${when}`;
}

/** The workouts of a day: `Morning run, 45 min`. */
export const workoutsText = (workouts: readonly Workout[]) =>
  workouts.map((one) => `${workoutName(one)}, ${duration(one.duration_seconds)}`).join('; ');

/** The name of a workout, or its type. */
export const workoutName = ({ name, type }: Workout) => (name === '' ? type.replaceAll('_', ' ') : name);

/** A gap: `no heart rate from 9:10 AM to 11:00 AM (1 h 50 min)`. */
export function gapText({ from, to }: Gap, zone: Zone): string {
  const clock = clockOfDay(zone);
  return `${clock(from)} to ${clock(to)} (${duration((to - from) / 1000)})`;
}
