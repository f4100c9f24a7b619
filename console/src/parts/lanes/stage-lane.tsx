import type { SleepStage } from '../../../../clients/typescript/src/index.ts';
import { formatIn, type Zone } from '../../zone.ts';
import type { Frame, Lane } from './lane.ts';

/** A time that was spent in one stage, in Unix milliseconds. */
export interface StageSpan {
  readonly stage: SleepStage;
  readonly from: number;
  readonly to: number;
}

/** The stages from the top of a hypnogram to its bottom. */
export const stageRows = ['awake', 'rem', 'light', 'deep'] as const;

/** The name of a stage that people read. */
export const stageName = (stage: SleepStage) =>
  stage === 'rem'
    ? 'REM'
    : stage === 'unmeasurable'
      ? 'Not measurable'
      : stage.charAt(0).toUpperCase() + stage.slice(1);

const rows: readonly SleepStage[] = stageRows;
const rowHeight = 28;

/** The hypnogram: a block for each stage, in the row of its stage. */
export function stageLane(spans: readonly StageSpan[], note: string, zone: Zone, sentence: string): Lane {
  const at = (time: number) => spans.find(({ from, to }) => from <= time && time < to);
  return {
    id: 'stages',
    name: 'Stages',
    note,
    tone: 'sleep',
    sentence,
    short: '',
    height: stageRows.length * rowHeight,
    times: spans.map(({ from }) => from),
    read: (time) => {
      const span = at(time);
      return span === undefined ? '' : stageName(span.stage);
    },
    draw: (frame) => <Hypnogram spans={spans} zone={zone} frame={frame} />,
  };
}

function Hypnogram({ spans, zone, frame }: { spans: readonly StageSpan[]; zone: Zone; frame: Frame }) {
  const clock = formatIn(zone, { timeStyle: 'short' });
  const y = (stage: SleepStage) => Math.max(0, rows.indexOf(stage)) * rowHeight;
  return (
    <g class="hypnogram">
      {stageRows.map((stage) => (
        <g key={stage}>
          <line
            class="grid"
            x1={frame.left}
            x2={frame.right}
            y1={y(stage) + rowHeight / 2}
            y2={y(stage) + rowHeight / 2}
          />
          <text x={frame.left - 6} y={y(stage) + rowHeight / 2} class="mark">
            {stageName(stage)}
          </text>
        </g>
      ))}
      <path class="steps" d={stepsOf(spans, frame, y)} />
      {spans.map(({ stage, from, to }) => (
        <rect
          key={`${from} ${stage}`}
          class={stage}
          x={frame.x(from)}
          width={Math.max(1, frame.x(to) - frame.x(from))}
          y={y(stage) + 4}
          height={rowHeight - 8}
          rx="2"
        >
          <title>{`${stageName(stage)}, ${clock(from)} to ${clock(to)}`}</title>
        </rect>
      ))}
    </g>
  );
}

/** Lines that join a stage with the next one. */
function stepsOf(spans: readonly StageSpan[], { x }: Frame, y: (stage: SleepStage) => number): string {
  return spans
    .flatMap(({ stage, from }, index) => {
      const before = spans[index - 1];
      if (before === undefined || before.to !== from) return [];
      return [`M${x(from).toFixed(1)} ${y(before.stage) + rowHeight / 2}V${y(stage) + rowHeight / 2}`];
    })
    .join('');
}
