import { useMemo } from 'preact/hooks';
import type { ActivitySummary, ListedSleepSession } from '../../../../clients/typescript/src/index.ts';
import { duration } from '../../duration.ts';
import { Link, location } from '../../router.tsx';
import { queryFor, type View } from './address.ts';
import { longDate, shortDate, weekdayLetters } from './date-texts.ts';
import { type DayAxis, slotMs, weekdayOf } from './day-axis.ts';
import { linePath, type Scale, scaleOf } from './lane-layout.ts';
import { type LineLane, type Picture, pictureOf } from './picture.ts';
import { meanOf } from './points.ts';
import type { DaysAnswers } from './read-day.ts';
import { nightOf } from './sleep-of-day.ts';
import './days-view.css';

/** A day in small: its picture and its totals. */
interface SmallDay {
  readonly picture: Picture;
  readonly activity: ActivitySummary | undefined;
  readonly night: ListedSleepSession | undefined;
}

/** The days of a week or a month on the same axis and scale; each leads to its day. */
export function DaysView({
  answers,
  view,
  activity,
  date: chosen,
  today,
}: {
  answers: DaysAnswers;
  view: View;
  activity: readonly ActivitySummary[];
  date: string;
  today: string;
}) {
  const days = useMemo(() => smallDays(answers, activity), [answers, activity]);
  const scale = scaleOf(commonLane(days));
  return (
    <figure class="days-figure">
      <figcaption>
        <span class="key">
          heart rate from {Math.round(scale.low)} to {Math.round(scale.high)} bpm
        </span>
        <span class="key key-sleep">asleep</span>
        <span class="key key-steps">steps</span>
        <span class="faint">each from midnight to midnight, lines at 6 AM, noon and 6 PM</span>
      </figcaption>
      {view === 'month' && (
        <div class="weekdays" aria-hidden="true">
          {weekdayLetters().map((letter, index) => (
            <span key={index}>{letter}</span>
          ))}
        </div>
      )}
      <ol class={`days-view ${view}`}>
        {days.map((day, index) => (
          <Small
            key={day.picture.axis.date}
            {...{ day, view, scale, today }}
            isFirst={index === 0}
            isChosen={day.picture.axis.date === chosen}
          />
        ))}
      </ol>
    </figure>
  );
}

interface SmallProps {
  readonly day: SmallDay;
  readonly view: View;
  readonly scale: Scale;
  readonly today: string;
  readonly isFirst: boolean;
  readonly isChosen: boolean;
}

function Small({ day, view, scale, today, isFirst, isChosen }: SmallProps) {
  const { path, query } = location.value;
  const { date } = day.picture.axis;
  const column = view === 'month' && isFirst ? { gridColumnStart: `${weekdayOf(date) + 1}` } : {};
  return (
    <li style={column} class={date > today ? 'later' : ''}>
      <Link to={path + queryFor(query, date, 'day')} isCurrent={isChosen}>
        <span class="small-date">
          <span aria-hidden="true">{view === 'week' ? shortDate(date) : Number(date.slice(8))}</span>
          <span class="hidden">{longDate(date)}</span>
        </span>
        <Strip day={day} scale={scale} />
        <Totals day={day} />
      </Link>
    </li>
  );
}

function smallDays({ axes, chart, sleeps }: DaysAnswers, activity: readonly ActivitySummary[]): SmallDay[] {
  return axes.map((axis) => {
    const picture = pictureOf(axis, { chart, sleeps, workouts: [], scores: [] }, Date.now());
    return {
      picture,
      activity: activity.find(({ date }) => date === axis.date),
      night: nightOf(picture.sleeps, axis.date, axis.zone),
    };
  });
}

const commonLane = (days: readonly SmallDay[]): LineLane => ({
  id: 'heart',
  tracks: days.flatMap(({ picture }) => picture.heart.tracks),
});

const [width, height, foot] = [480, 60, 18];
const place =
  ({ from, to }: DayAxis) =>
  (at: number) =>
    ((at - from) / (to - from)) * width;

// The strip has no text, so that it may be stretched; lines keep their width.
function Strip({ day: { picture }, scale }: { day: SmallDay; scale: Scale }) {
  const { axis, heart, steps, stages } = picture;
  const x = place(axis);
  const y = (value: number) => (height - foot) * (1 - (value - scale.low) / (scale.high - scale.low));
  const most = 2000;
  return (
    <svg class="day-strip" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {stages.map(({ from, to, stage }) => (
        <rect
          key={`${from} ${stage}`}
          class="asleep"
          x={x(from)}
          width={x(to) - x(from)}
          y="0"
          height={height - foot}
        />
      ))}
      <path class="hour" d={[6, 12, 18].map((hour) => `M${(width * hour) / 24} 0V${height}`).join('')} />
      {steps?.sums.map((sum, index) => {
        const tall = (Math.min(most, sum ?? 0) / most) * foot;
        const at = axis.from + index * slotMs;
        return tall === 0 ? null : (
          <rect
            key={at}
            class="bar"
            x={x(at)}
            width={x(at + slotMs) - x(at)}
            y={height - tall}
            height={tall}
          />
        );
      })}
      {heart.tracks.slice(0, 1).map(({ points }, index) => (
        <path key={index} class="line" d={linePath(points, x, y)} />
      ))}
    </svg>
  );
}

function Totals({ day: { activity, night, picture } }: { day: SmallDay }) {
  const steps = activity?.steps ?? null;
  const mean = meanOf(picture.heart.tracks[0]?.slotMeans ?? []);
  return (
    <span class="day-totals">
      {steps !== null && (
        <span>
          <span class="full">{steps.toLocaleString()}</span>
          <span class="compact" aria-hidden="true">
            {compact(steps)}
          </span>{' '}
          <i>steps</i>
        </span>
      )}
      {typeof night?.duration_seconds === 'number' && (
        <span>
          {duration(night.duration_seconds)} <i>asleep</i>
        </span>
      )}
      {mean !== null && (
        <span>
          {Math.round(mean)} <i>bpm</i>
        </span>
      )}
    </span>
  );
}

const compact = (value: number) => value.toLocaleString(undefined, { notation: 'compact' });
