import type { SingleWorkout } from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { useResource } from '../../../resource.ts';
import { digits } from '../../../units.ts';
import { type Course, figuresOf } from '../../lanes/course.ts';
import { duration } from '../../time.tsx';
import { type HeartZone, type Maximum, maximumOf, timeInZones } from './zones.ts';

const yearMs = 365 * 86_400_000;

interface CardProps {
  readonly userId: string;
  readonly workout: SingleWorkout;
  readonly heartRate: Course | null;
}

/** The time in five zones of the heart rate, and from which maximum they are computed. */
export function HeartZones({ userId, workout, heartRate }: CardProps) {
  const year = useResource(`${userId} year before ${workout.id}`, (signal) =>
    readYear(userId, workout.end_time, signal),
  );
  const ofWorkout = heartRate === null ? null : (figuresOf(heartRate)?.largest ?? null);
  const isRead = year.data !== undefined || year.error !== undefined;
  const maximum = isRead ? maximumOf(year.data?.highest ?? null, year.data?.age ?? null, ofWorkout) : null;
  if (heartRate === null || ofWorkout === null) return null;
  return (
    <section class="card zones-card" aria-labelledby="zones">
      <h3 id="zones">Heart rate zones</h3>
      {maximum !== null && (
        <>
          <Zones zones={timeInZones(heartRate, maximum.bpm)} />
          <p class="faint">{basisText(maximum)}</p>
        </>
      )}
    </section>
  );
}

async function readYear(user_id: string, end_time: string, signal: AbortSignal) {
  const start_time = new Date(Date.parse(end_time) - yearMs).toISOString();
  const types: ['heart_rate'] = ['heart_rate'];
  const range = { user_id, start_time, end_time, types, max_points: 100 };
  const [chart, body] = await Promise.all([
    api.timeseries.chart({ ...range, aggregates: ['max'] }, { signal }),
    api.summaries.body({ user_id }, { signal }),
  ]);
  const highest = chart.series.flatMap(({ statistics }) => statistics.max ?? []);
  return {
    highest: highest.length === 0 ? null : Math.max(...highest),
    age: body?.slow_changing.age ?? null,
  };
}

function basisText({ bpm, basis }: Maximum): string {
  const value = `${digits(bpm, 0)} bpm`;
  if (basis === 'age')
    return `Zones in tenths of ${value}, the usual maximum of the age (220 minus the age).`;
  if (basis === 'measured') return `Zones in tenths of ${value}, the highest heart rate of the year before.`;
  return `Zones in tenths of ${value}, the highest heart rate of this workout: no other is known.`;
}

function Zones({ zones }: { zones: readonly HeartZone[] }) {
  const longest = Math.max(...zones.map(({ part }) => part), Number.MIN_VALUE);
  return (
    <dl class="zone-list">
      {zones.toReversed().map(({ number, name, from, to, seconds, part }) => (
        <div key={number}>
          <dt>
            {number} {name}{' '}
            <span class="faint">
              {number === 1 ? `below ${to}` : to === null ? `from ${from}` : `${from} to ${to - 1}`} bpm
            </span>
          </dt>
          <dd class="zone-bar">
            <svg viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
              <rect class={`level-${number - 1}`} width={part / longest} height="1" />
            </svg>
          </dd>
          <dd>{seconds === 0 ? '0 min' : duration(seconds)}</dd>
          <dd class="faint">{digits(part * 100, 0)} %</dd>
        </div>
      ))}
    </dl>
  );
}
