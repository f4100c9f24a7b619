import { useMemo } from 'preact/hooks';
import type {
  SingleWorkout,
  WorkoutStreamPoint,
  WorkoutStreams,
} from '../../../../../clients/typescript/src/index.ts';
import type { Resource } from '../../../resource.ts';
import { location, setQuery } from '../../../router.tsx';
import { digits, distance, elevation } from '../../../units.ts';
import { type Outline, outlineOf } from '../../charts/outline.ts';
import { Empty, Loaded } from '../../states.tsx';
import { motionOf } from './motion.ts';
import {
  available,
  boundsOf,
  type Colouring,
  levelOf,
  levels,
  measuredBy,
  smoothed,
  stretchesOf,
} from './route-colours.ts';

const size = 340;
const margin = 10;
/** Points on each side whose mean is the colour of one. */
const smoothing = 8;

/** The shape of a workout's route, without a map, coloured by what was measured along it. */
export function Route({
  workout,
  streams,
}: {
  workout: SingleWorkout;
  streams: Resource<WorkoutStreams | null>;
}) {
  const isOpen = location.value.query.has('route');
  const isLoading = isOpen && streams.data === undefined;
  return (
    <section class={`card route-card ${isLoading ? 'open' : ''}`} aria-labelledby="route">
      <h3 id="route">Route</h3>
      {isOpen ? (
        <Loaded of={streams} what="route">
          {(read) => read !== null && <Shape points={read.data} workout={workout} />}
        </Loaded>
      ) : (
        <>
          <p class="faint">
            Positions and elevation are read when you ask for them. Each read is in the audit log.
          </p>
          <button type="button" onClick={() => setQuery({ route: 'pace' }, false)}>
            Show the route
          </button>
        </>
      )}
    </section>
  );
}

interface ShapeProps {
  readonly points: readonly WorkoutStreamPoint[];
  readonly workout: SingleWorkout;
}

function Shape({ points, workout }: ShapeProps) {
  const outline = useMemo(() => outlineOf(points, size), [points]);
  const kinds = useMemo(() => available(points), [points]);
  const wanted = location.value.query.get('route');
  const by = kinds.find((one) => one === wanted) ?? kinds[0];
  const values = useMemo(
    () =>
      smoothed(
        points.map((point) => (by === undefined ? null : measuredBy(point, by))),
        smoothing,
      ),
    [points, by],
  );
  const bounds = useMemo(() => boundsOf(values), [values]);
  if (outline === null) return <Empty>There are no positions of this workout.</Empty>;
  return (
    <>
      {kinds.length > 0 && <Choice kinds={kinds} by={by} workout={workout} />}
      <figure class="route-figure">
        <Drawing outline={outline} values={values} bounds={bounds} meters={workout.distance_meters} />
        <figcaption>
          {by !== undefined && bounds !== null && <Legend by={by} bounds={bounds} workout={workout} />}
          <span class="faint">North is at the top. A ring marks the start, a dot the end.</span>
        </figcaption>
      </figure>
    </>
  );
}

const titleOf = (by: Colouring, { type }: SingleWorkout) =>
  by === 'pace' ? motionOf(type).name : by === 'altitude' ? 'Elevation' : 'Heart rate';

interface ChoiceProps {
  readonly kinds: readonly Colouring[];
  readonly by: Colouring | undefined;
  readonly workout: SingleWorkout;
}

function Choice({ kinds, by, workout }: ChoiceProps) {
  return (
    <fieldset class="row" aria-label="Colour of the route">
      {kinds.map((one) => (
        <button
          key={one}
          type="button"
          aria-pressed={one === by}
          onClick={() => setQuery({ route: one }, false)}
        >
          {titleOf(one, workout)}
        </button>
      ))}
    </fieldset>
  );
}

interface DrawingProps {
  readonly outline: Outline;
  readonly values: readonly (number | null)[];
  readonly bounds: readonly number[] | null;
  readonly meters: number | null;
}

function Drawing({ outline, values, bounds, meters }: DrawingProps) {
  const { places, width, height, start, end } = outline;
  const stretches = useMemo(
    () =>
      stretchesOf(places, (index) => {
        const value = values[index] ?? null;
        return value === null || bounds === null ? null : levelOf(value, bounds);
      }),
    [places, values, bounds],
  );
  return (
    <svg
      class="route"
      viewBox={[-margin, -margin, width + 2 * margin, height + 2 * margin].join(' ')}
      width={width + 2 * margin}
      height={height + 2 * margin}
      role="img"
      aria-label={`Shape of the route${meters === null ? '' : `, ${distance(meters)}`}`}
    >
      {stretches.map(({ level, path }, index) => (
        <path key={index} class={level === null ? '' : `level-${level}`} d={path} />
      ))}
      <circle class="start" cx={start.x} cy={start.y} r="6" />
      <circle class="end" cx={end.x} cy={end.y} r="4" />
    </svg>
  );
}

function Legend({
  by,
  bounds,
  workout,
}: {
  by: Colouring;
  bounds: readonly number[];
  workout: SingleWorkout;
}) {
  const text = textOf(by, workout);
  const [least = 0, most = 0] = [bounds[0], bounds.at(-1)];
  const [from, to] = by === 'pace' ? ['slowest', 'fastest'] : ['lowest', 'highest'];
  return (
    <div class="route-legend">
      <span>
        {titleOf(by, workout)}: {from} {text(least)}, {to} {text(most)}
      </span>
      <span class="row ramp" aria-hidden="true">
        {Array.from({ length: levels }, (_, level) => (
          <i key={level} class={`level-${level}`} title={`from ${text(bounds[level] ?? 0)}`} />
        ))}
      </span>
    </div>
  );
}

function textOf(by: Colouring, { type }: SingleWorkout): (value: number) => string {
  if (by === 'altitude') return (meters) => elevation(meters);
  if (by === 'heart_rate') return (value) => `${digits(value, 0)} bpm`;
  const { convert, text } = motionOf(type);
  return (metersPerSecond) => {
    const value = convert(metersPerSecond);
    return value === null ? 'a stop' : text(value);
  };
}
