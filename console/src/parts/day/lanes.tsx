import { useSignal } from '@preact/signals';
import { useCallback, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { zoneName } from '../../zone.ts';
import { DataTable } from '../charts/bars.tsx';
import type { Baseline } from './baseline.ts';
import { clockTexts, slotsOf, ticksOf } from './day-axis.ts';
import { Hours, Lines, placeOf, SleepStages, StepBars } from './lane-drawings.tsx';
import { Labels, labelsOf } from './lane-labels.tsx';
import { type LaneId, type LanePlace, lanesOf, placesOf } from './lane-layout.ts';
import { gapText } from './lane-texts.ts';
import { minuteAt } from './moment.ts';
import type { Picture } from './picture.ts';
import { readingsAt } from './readings.ts';
import { CursorLine, labelOf, type Moment, Panel, Slider } from './scrubber.tsx';
import { WorkoutBlocks } from './workout-blocks.tsx';
import './lanes.css';

interface LanesProps {
  readonly userId: string;
  readonly picture: Picture;
  readonly baseline: Baseline | null;
  readonly isFolded: boolean;
}

const narrowest = 560;

/** The lanes of a day on one axis, a cursor over all of them, and the values behind as a table. */
export function Lanes(props: LanesProps) {
  const { picture } = props;
  const moment = useSignal<Moment>({ at: null, isByKey: false });
  const { date } = picture.axis;
  const shown = useRef(date);
  useLayoutEffect(() => {
    if (shown.current === date) return; // a key may come before the first effects
    shown.current = date;
    moment.value = { at: null, isByKey: false };
  }, [date, moment]);
  const { place, width, unit } = useWidth();
  const show = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const { left, width: wide } = event.currentTarget.getBoundingClientRect();
    moment.value = { at: minuteAt(picture.axis, (event.clientX - left) / wide), isByKey: false };
  };
  const leave = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    const isFocused = event.currentTarget.contains(document.activeElement);
    if (event.pointerType === 'mouse' && !isFocused) moment.value = { at: null, isByKey: false };
  };
  const ids = lanesOf(picture, props.isFolded);
  const labels = labelsOf(picture, props.baseline, ids);
  const { places, height } = placesOf(labels, width, unit);
  return (
    <figure class="day-lanes">
      <Panel {...{ picture, moment }} />
      <div
        ref={place}
        class="day-area"
        style={{ height: `${height}px` }}
        onPointerMove={show}
        onPointerDown={show}
        onPointerLeave={leave}
      >
        {width > 0 && (
          <>
            <Drawing {...props} {...{ places, width, height, unit }} />
            <Slider {...{ picture, moment }} />
            <Labels {...{ labels, places }} />
            <WorkoutBlocks {...props} {...{ places, width }} />
            <CursorLine axis={picture.axis} {...{ moment, width, height }} />
          </>
        )}
      </div>
      <Missing {...{ picture, ids }} />
      <ValuesTable picture={picture} />
    </figure>
  );
}

// The drawing has the size of its element, so that lines and texts are sharp.
function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [size, setSize] = useState({ width: 0, unit: 1 });
  useLayoutEffect(() => {
    const { current } = place;
    if (current === null) return;
    const measure = () => {
      const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
      setSize((old) =>
        old.width === current.clientWidth ? old : { width: current.clientWidth, unit: rem / 16 },
      );
    };
    measure();
    const resized = new ResizeObserver(measure);
    resized.observe(current);
    return () => resized.disconnect();
  }, []);
  return { place, ...size };
}

interface Placed extends LanesProps {
  readonly places: readonly LanePlace[];
  readonly width: number;
}

function Drawing({
  picture,
  baseline,
  places,
  width,
  height,
  unit,
}: Placed & { height: number; unit: number }) {
  const { axis, heart, lines, gaps, stages, steps } = picture;
  const x = placeOf(axis, width);
  const ticks = useMemo(() => ticksOf(axis, width < narrowest * unit ? 6 : 3), [axis, width, unit]);
  return (
    <svg {...{ width, height }} aria-hidden="true">
      {places.map((place) => (
        <rect key={place.id} class="ground" x="0" y={place.plotTop} width={width} height={place.height} />
      ))}
      <Hours {...{ ticks, x, width, height, unit }} />
      {places.map((place) => {
        const drawn = { place, x, width };
        const { id } = place;
        if (id === 'heart')
          return <Lines key={id} {...drawn} {...{ baseline, gaps, picture }} lane={heart} />;
        if (id === 'sleep') return <SleepStages key={id} {...drawn} stages={stages} />;
        if (id === 'activity') return steps !== null && <StepBars key={id} {...drawn} {...{ steps, axis }} />;
        const lane = lines.find((one) => one.id === id);
        return lane !== undefined && <Lines key={id} {...drawn} {...{ lane, picture }} />;
      })}
    </svg>
  );
}

// What the picture does not show is said below it.
function Missing({ picture: { gaps, axis }, ids }: { picture: Picture; ids: readonly LaneId[] }) {
  const none = core.filter(([id]) => !ids.includes(id)).map(([, name]) => name);
  return (
    <p class="faint day-missing">
      {ids.includes('heart') && gaps.length > 0 && (
        <span>No heart rate: {gaps.map((gap) => gapText(gap, axis.zone)).join(', ')}. </span>
      )}
      {none.length > 0 && <span>Not received of this day: {none.join(', ')}.</span>}
    </p>
  );
}

const core: readonly (readonly [LaneId, string])[] = [
  ['heart', 'heart rate'],
  ['sleep', 'sleep'],
  ['activity', 'steps by time of day'],
  ['workouts', 'workouts'],
];

function ValuesTable({ picture }: { picture: Picture }) {
  const { axis } = picture;
  const rows = useCallback(() => {
    const slots = slotsOf(axis);
    const times = clockTexts(axis.zone, slots);
    return slots.map((at, index) => [
      times[index] ?? '',
      ...readingsAt(picture, at).map(({ text, unit }) => (text === '' ? '' : text + unit)),
    ]);
  }, [picture, axis]);
  const head = readingsAt(picture, axis.from).map(labelOf);
  return (
    <DataTable
      title="Values of every 15 minutes"
      head={[`Time (${zoneName(axis.zone)})`, ...head]}
      rows={rows}
    />
  );
}
