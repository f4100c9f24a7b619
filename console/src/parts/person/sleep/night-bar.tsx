import { sourceOf } from '../../../titles.ts';
import type { Zone } from '../../../zone.ts';
import { stageName, stageRows } from '../../lanes/stage-lane.tsx';
import { clockSpan, clockText, type Session } from './nights.ts';
import { spansOf } from './stages.ts';

/** A clock axis in minutes from midnight. */
export interface Axis {
  readonly from: number;
  readonly to: number;
}

const height = 20;
const hours = 180;

const marksOf = ({ from, to }: Axis) => {
  const first = Math.ceil(from / hours) * hours;
  return Array.from({ length: Math.floor((to - first) / hours) + 1 }, (_, index) => first + index * hours);
};

/** The hours of the axis above the bars. */
export function TimeHead({ axis }: { axis: Axis }) {
  return (
    <div class="night-row night-head" aria-hidden="true">
      <span />
      <div class="night-hours">
        {marksOf(axis).map((minutes) => (
          <span key={minutes} style={{ left: `${((minutes - axis.from) / (axis.to - axis.from)) * 100}%` }}>
            {clockText(minutes).replace(/:00/, '')}
          </span>
        ))}
      </div>
    </div>
  );
}

/** The colours of the stages. */
export function StageLegend() {
  return (
    <p class="line faint legend">
      {stageRows.toReversed().map((stage) => (
        <span key={stage}>
          <span class={`swatch stage-${stage}`} aria-hidden="true" /> {stageName(stage)}
        </span>
      ))}
      <span>
        <span class="swatch stage-plain" aria-hidden="true" /> Without stages
      </span>
    </p>
  );
}

/** The sleep of a day: from bed to wake, the stages as tones, naps lower. */
export function NightBar({ axis, zone, sessions }: { axis: Axis; zone: Zone; sessions: readonly Session[] }) {
  const text = sessions.map((session) => textOf(session, zone)).join('. ') || 'No sleep';
  return (
    <svg
      class="night-bar hypnogram"
      viewBox={`${axis.from} 0 ${axis.to - axis.from} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={text}
    >
      {marksOf(axis).map((minutes) => (
        <line key={minutes} class="grid" x1={minutes} x2={minutes} y1="0" y2={height} />
      ))}
      {sessions.map((session) => (
        <Bar key={session.id} session={session} zone={zone} />
      ))}
    </svg>
  );
}

function textOf(session: Session, zone: Zone): string {
  const { from, to } = clockSpan(session, zone);
  const what = session.is_nap ? 'Nap' : 'Asleep';
  return `${what} from ${clockText(from)} to ${clockText(to)}, ${sourceOf(session.source)}`;
}

function Bar({ session, zone }: { session: Session; zone: Zone }) {
  const { from, to } = clockSpan(session, zone);
  const start = Date.parse(session.start_time);
  const at = (time: number) => from + (time - start) / 60_000;
  const [top, tall] = session.is_nap ? [6, 8] : [2, 16];
  return (
    <>
      <rect class="plain" x={from} width={to - from} y={top} height={tall} />
      {spansOf(session.stages_timeline ?? null).map((span) => (
        <rect
          key={span.from}
          class={span.stage}
          x={at(span.from)}
          width={(span.to - span.from) / 60_000}
          y={top}
          height={tall}
        />
      ))}
    </>
  );
}
