import type { Baseline } from './baseline.ts';
import { type DayAxis, slotMs, type Tick } from './day-axis.ts';
import { bandPath, hoursHeight, type LanePlace, linePath, type Scale, scaleOf } from './lane-layout.ts';
import { gapText } from './lane-texts.ts';
import type { LineLane, Picture, Steps } from './picture.ts';
import type { Gap } from './points.ts';
import type { Stage, StageSpan } from './sleep-of-day.ts';

/** Where instants lie in a drawing of this width. */
export const placeOf =
  ({ from, to }: Pick<DayAxis, 'from' | 'to'>, width: number) =>
  (at: number) =>
    ((at - from) / (to - from)) * width;

interface Drawn {
  readonly place: LanePlace;
  readonly x: (at: number) => number;
  readonly width: number;
}

/** The hours above the lanes, and their lines through all of them. */
export function Hours({
  ticks,
  x,
  width,
  height,
  unit,
}: {
  ticks: readonly Tick[];
  x: (at: number) => number;
  width: number;
  height: number;
  unit: number;
}) {
  return (
    <g class="day-hours">
      {ticks.map(({ at, text }) => (
        <g key={at}>
          <path d={`M${Math.round(x(at)) + 0.5} ${hoursHeight * unit}V${height}`} />
          <text x={x(at)} y={16 * unit} text-anchor={x(at) > width - 20 ? 'end' : 'middle'}>
            {text}
          </text>
        </g>
      ))}
    </g>
  );
}

/** A line for each source, with the band of its buckets. */
export function Lines({
  lane,
  place,
  x,
  width,
  baseline = null,
  gaps = [],
  picture,
}: Drawn & { lane: LineLane; baseline?: Baseline | null; gaps?: readonly Gap[]; picture: Picture }) {
  const isMain = lane.id === 'heart';
  const scale = scaleOf(lane, baseline === null ? [] : [baseline.low, baseline.high], isMain ? 4 : 2);
  const y = (value: number) =>
    place.plotTop + place.height * (1 - (value - scale.low) / (scale.high - scale.low));
  return (
    <g class={`lane-${lane.id}`}>
      {gaps.map((gap) => (
        <GapArea key={gap.from} {...{ gap, place, x, picture }} />
      ))}
      {baseline !== null && (
        <rect
          class="day-baseline"
          x="0"
          width={width}
          y={y(baseline.high)}
          height={Math.max(2, y(baseline.low) - y(baseline.high))}
        />
      )}
      <Levels {...{ scale, y, width }} />
      {lane.tracks.map(({ points }, index) => (
        <g key={index} class={`tone-${index % 4}`}>
          <path class="band" d={bandPath(points, x, y)} />
          <path class="line" d={linePath(points, x, y)} />
        </g>
      ))}
    </g>
  );
}

function Levels({ scale, y, width }: { scale: Scale; y: (value: number) => number; width: number }) {
  return (
    <g class="day-levels">
      {scale.ticks.map((value) => (
        <g key={value}>
          <path d={`M0 ${Math.round(y(value)) + 0.5}H${width}`} />
          <text x="-6" y={y(value) + 4} text-anchor="end">
            {value}
          </text>
        </g>
      ))}
    </g>
  );
}

const leastNamed = 110;

// The text is left out where it does not fit: all gaps are named below the lanes.
function GapArea({
  gap,
  place,
  x,
  picture,
}: {
  gap: Gap;
  place: LanePlace;
  x: (at: number) => number;
  picture: Picture;
}) {
  const [left, right] = [x(gap.from), x(gap.to)];
  return (
    <g class="day-gap">
      <rect x={left} width={right - left} y={place.plotTop} height={place.height}>
        <title>{`No heart rate: ${gapText(gap, picture.axis.zone)}`}</title>
      </rect>
      {right - left >= leastNamed && (
        <text x={(left + right) / 2} y={place.plotTop + place.height / 2} text-anchor="middle">
          no heart rate
        </text>
      )}
    </g>
  );
}

const stageRows: Readonly<Record<Stage, readonly [row: number, rows: number]>> = {
  awake: [0, 1],
  rem: [1, 1],
  light: [2, 1],
  deep: [3, 1],
  unmeasurable: [0, 1],
  asleep: [1, 3],
};
const rowNames = ['awake', 'REM', 'light', 'deep'] as const;
const stageRowCount = rowNames.length;

/** Stages of sleep in four rows, from awake to deep. Sleep without stages takes three. */
export function SleepStages({ stages, place, x }: Drawn & { stages: readonly StageSpan[] }) {
  const high = place.height / stageRowCount;
  return (
    <g class="day-stages">
      {rowNames.map((name, row) => (
        <text key={name} x="-6" y={place.plotTop + (row + 0.5) * high + 4} text-anchor="end">
          {name}
        </text>
      ))}
      {stages.map(({ stage, from, to }) => {
        const [row, rows] = stageRows[stage];
        return (
          <rect
            key={`${from} ${stage}`}
            class={stage}
            x={x(from)}
            width={Math.max(1, x(to) - x(from))}
            y={place.plotTop + row * high + 1}
            height={rows * high - 2}
            rx="2"
          />
        );
      })}
    </g>
  );
}

const [lightSteps, briskSteps] = [600, 1500];
const pace = (sum: number) => (sum < lightSteps ? 'slow' : sum < briskSteps ? 'medium' : 'brisk');

/** Steps of each quarter hour as bars; the tone is the pace: from 40, and from 100 steps a minute. */
export function StepBars({ steps, axis, place, x }: Drawn & { steps: Steps; axis: DayAxis }) {
  const most = Math.max(briskSteps, ...steps.sums.map((sum) => sum ?? 0));
  return (
    <g class="day-bars">
      <path d={`M0 ${place.plotTop + place.height - 0.5}H${x(axis.to)}`} />
      <text x="-6" y={place.plotTop + 10} text-anchor="end">
        {most.toLocaleString()}
      </text>
      {steps.sums.map((sum, index) => {
        const at = axis.from + index * slotMs;
        const tall = ((sum ?? 0) / most) * place.height;
        return sum === null || sum === 0 ? null : (
          <rect
            key={at}
            class={pace(sum)}
            x={x(at) + 0.5}
            width={Math.max(1, x(at + slotMs) - x(at) - 1)}
            y={place.plotTop + place.height - Math.max(1, tall)}
            height={Math.max(1, tall)}
          />
        );
      })}
    </g>
  );
}
