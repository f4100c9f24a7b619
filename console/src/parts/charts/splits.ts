/** Values over time: seconds after the start of a workout, and a value of each. */
export interface Track {
  readonly seconds: readonly number[];
  readonly values: readonly number[];
}

/** A kilometre or a mile of a workout, or the rest of one at its end. */
export interface Split {
  readonly number: number;
  readonly meters: number;
  /** The time without pauses of the recording. */
  readonly seconds: number;
  /** Where it begins and ends, in seconds after the start of the workout. */
  readonly from: number;
  readonly to: number;
  readonly heartRate: number | null;
}

const kilometer = 1000;
const leastMeters = 10;
/** A longer distance of two values is a pause of the recording. */
const pauseSeconds = 30;
/** A speed whose sum differs by more from the reported distance is of something else, and is not adjusted to it. */
const mostDifference = 0.25;

/**
 * The parts of a workout of `splitMeters` from its speed in m/s. The sum is adjusted to the distance that the device reported, which
 * counts what is between the samples.
 */
export function splitsOf(
  speed: Track,
  heartRate: Track,
  reportedMeters: number | null,
  splitMeters = kilometer,
): Split[] {
  const steps = stepsOf(speed);
  const meters = steps.reduce((sum, step) => sum + step.meters, 0);
  const ratio = reportedMeters === null || meters === 0 ? 1 : reportedMeters / meters;
  const factor = Math.abs(ratio - 1) <= mostDifference ? ratio : 1;
  const cut = steps.map((step) => ({ ...step, meters: step.meters * factor }));
  return group(cut, splitMeters).map((split) => ({ ...split, heartRate: meanIn(heartRate, split) }));
}

interface Step {
  readonly from: number;
  readonly seconds: number;
  readonly meters: number;
}

function stepsOf({ seconds, values }: Track): Step[] {
  const distances = seconds.slice(1).map((at, index) => at - (seconds[index] ?? at));
  const usual = distances.toSorted((a, b) => a - b)[Math.floor(distances.length / 2)] ?? 1;
  return seconds.map((from, index) => {
    const distance = distances[index] ?? usual;
    const length = distance > pauseSeconds ? usual : distance;
    return { from, seconds: length, meters: Math.max(0, values[index] ?? 0) * length };
  });
}

type Grown = Omit<Split, 'heartRate'>;

function group(steps: readonly Step[], splitMeters: number): Grown[] {
  const splits: Grown[] = [];
  let open = emptyAt(1, steps[0]?.from ?? 0);
  for (const step of steps)
    for (let rest: Step | null = step; rest !== null; ) {
      const fits = Math.min(1, (splitMeters - open.meters) / Math.max(rest.meters, Number.MIN_VALUE));
      open = grow(open, rest, fits);
      rest = fits < 1 ? restOf(rest, fits) : null;
      if (rest === null) continue;
      splits.push(open);
      open = emptyAt(open.number + 1, open.to);
    }
  return open.meters < leastMeters ? splits : [...splits, open];
}

const emptyAt = (number: number, from: number): Grown => ({ number, meters: 0, seconds: 0, from, to: from });

function grow(split: Grown, { from, seconds, meters }: Step, part: number): Grown {
  const to = from + seconds * part;
  return { ...split, meters: split.meters + meters * part, seconds: split.seconds + seconds * part, to };
}

function restOf({ from, seconds, meters }: Step, part: number): Step {
  const rest = 1 - part;
  return { from: from + seconds * part, seconds: seconds * rest, meters: meters * rest };
}

function meanIn({ seconds, values }: Track, { from, to }: Grown): number | null {
  const inside = values.filter((_, index) => (seconds[index] ?? -1) >= from && (seconds[index] ?? 0) < to);
  return inside.length === 0 ? null : inside.reduce((sum, one) => sum + one, 0) / inside.length;
}
