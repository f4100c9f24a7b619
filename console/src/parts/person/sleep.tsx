import { useState } from 'preact/hooks';
import type { SleepSession, SleepStageIntervals } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { sourceOf, titleOf } from '../../titles.ts';
import { useZone } from '../../user-zone.ts';
import { date, formatIn, minute, type Zone, zoneName } from '../../zone.ts';
import { DataTable } from '../charts/bars.tsx';
import { Empty, Loaded } from '../states.tsx';
import { daysAgo, duration } from '../time.tsx';

/** The nights of the last month; the stages of one of them as a hypnogram. */
export function Sleep({ userId, version }: { userId: string; version: number }) {
  const [chosen, setChosen] = useState('');
  const zone = useZone();
  const range = { start_date: daysAgo(30), end_date: daysAgo(-1), limit: 100 };
  const nights = useResource(
    `${userId} ${version}`,
    (signal) => api.timeseries.sleeps({ user_id: userId, ...range }, { signal }).toArray(100),
    true,
  );
  return (
    <Loaded of={nights} what="sleep">
      {(all) => {
        const list = all.toSorted((one, other) => Date.parse(other.start_time) - Date.parse(one.start_time));
        const night = list.find(({ id }) => id === chosen) ?? list[0];
        if (night === undefined) return <Empty>No sleep in the last 30 days.</Empty>;
        return (
          <>
            <label class="filters">
              Night
              <select value={night.id} onChange={(event) => setChosen(event.currentTarget.value)}>
                {list.map((one) => (
                  <option key={one.id} value={one.id}>
                    {nightText(one, zone)}
                  </option>
                ))}
              </select>
            </label>
            <Night userId={userId} night={night} />
          </>
        );
      }}
    </Loaded>
  );
}

function nightText(night: SleepSession, ofUser: Zone): string {
  const { start_time, end_time, zone_offset, is_nap, source } = night;
  const zone = zone_offset ?? ofUser;
  const clock = formatIn(zone, minute);
  const span = `${clock(start_time)} to ${clock(end_time)} ${zoneName(zone)}`;
  return `${formatIn(zone, date)(end_time)}, ${span}${is_nap ? ', nap' : ''} (${sourceOf(source)})`;
}

function Night({ userId, night }: { userId: string; night: SleepSession }) {
  const ofUser = useZone();
  const zone = night.zone_offset ?? ofUser;
  const stages = useResource(night.id, (signal) =>
    api.timeseries.sleepStages({ user_id: userId, event_id: night.id }, { signal }),
  );
  return (
    <>
      <p>
        {duration(night.duration_seconds)} asleep
        {night.efficiency_percent !== null && `, efficiency ${night.efficiency_percent} %`}
      </p>
      <Loaded of={stages} what="stages">
        {(data) =>
          data.intervals === null ? (
            <Empty>{titleOf(data.source.provider)} sent no stages of this night.</Empty>
          ) : (
            <Hypnogram night={data} zone={zone} />
          )
        }
      </Loaded>
    </>
  );
}

const rows = ['awake', 'rem', 'light', 'deep'] as const;
const [width, rowHeight] = [1000, 28];

function Hypnogram({ night, zone }: { night: SleepStageIntervals; zone: Zone }) {
  const clock = formatIn(zone, minute);
  const from = Date.parse(night.start_time);
  const scale = width / Math.max(1, Date.parse(night.end_time) - from);
  const x = (at: string) => (Date.parse(at) - from) * scale;
  const intervals = night.intervals ?? [];
  return (
    <figure>
      <figcaption>
        Stages of sleep <span class="faint">{zoneName(zone)}</span>
      </figcaption>
      <div class="hypnogram">
        <div aria-hidden="true">
          {rows.map((stage) => (
            <span key={stage}>{stage}</span>
          ))}
        </div>
        <svg
          viewBox={`0 0 ${width} ${rows.length * rowHeight}`}
          preserveAspectRatio="none"
          role="img"
          aria-label="Stages of sleep"
        >
          {intervals.map(({ stage, start_time, end_time }) => {
            const row = rows.findIndex((one) => one.startsWith(stage));
            return (
              <rect
                key={start_time + stage}
                class={stage}
                x={x(start_time)}
                width={Math.max(1, x(end_time) - x(start_time))}
                y={Math.max(0, row) * rowHeight + 4}
                height={rowHeight - 8}
              >
                <title>{`${stage}, ${clock(start_time)} to ${clock(end_time)}`}</title>
              </rect>
            );
          })}
        </svg>
      </div>
      <div class="row ends night" aria-hidden="true">
        <span>{clock(night.start_time)}</span>
        <span>{clock(night.end_time)}</span>
      </div>
      <DataTable
        title="Stages of sleep"
        head={[`From (${zoneName(zone)})`, 'To', 'Stage']}
        rows={intervals.map((one) => [clock(one.start_time), clock(one.end_time), one.stage])}
      />
    </figure>
  );
}
