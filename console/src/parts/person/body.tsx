import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import type { BodySummary } from '../../../../clients/typescript/src/index.ts';
import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { sourceOf } from '../../titles.ts';
import { bodyHeight, digits, temperature, weight } from '../../units.ts';
import { useZone } from '../../user-zone.ts';
import { formatIn } from '../../zone.ts';
import { Lanes } from '../lanes/lanes.tsx';
import { Empty, Loaded } from '../states.tsx';
import { bodyLanes, bodyTypes } from './body-lanes.ts';
import { Figures } from './figures.tsx';
import type { OfUser } from './of-user.ts';
import './records.css';

/** The body measurements of a user as they are now, and their course over 90 days; then what follows, which does not move. */
export function Body({ userId, version, children }: OfUser & { children: ComponentChildren }) {
  const body = useResource(
    `${userId} ${version}`,
    (signal) => api.summaries.body({ user_id: userId, latest_window_hours: 24 }, { signal }),
    true,
  );
  return (
    <>
      <div class="reserved-figures">
        <Loaded of={body} what="body">
          {(summary) => summary !== null && <Now summary={summary} />}
        </Loaded>
      </div>
      <Course userId={userId} version={version}>
        {children}
      </Course>
    </>
  );
}

function Now({ summary: { slow_changing: slow, averaged, latest, source } }: { summary: BodySummary }) {
  const zone = useZone();
  const given = (value: number | null, text: (value: number) => string) =>
    value === null ? null : text(value);
  const measured = (at: string | null) => (at === null ? '' : formatIn(zone, { timeStyle: 'short' })(at));
  const days = `mean of ${averaged.period_days} days`;
  const pressure = latest.blood_pressure;
  return (
    <>
      <Figures
        of={[
          ['Weight', given(slow.weight_kg, (value) => weight(value))],
          ['Body fat', given(slow.body_fat_percent, (value) => `${digits(value, 1)} %`)],
          ['Muscle mass', given(slow.muscle_mass_kg, (value) => weight(value))],
          ['Body mass index', given(slow.bmi, (value) => digits(value, 1))],
          ['Height', given(slow.height_cm, (value) => bodyHeight(value))],
          ['Resting heart rate', given(averaged.resting_heart_rate_bpm, (value) => `${value} bpm`), days],
          [
            'Heart rate variability',
            given(averaged.avg_hrv_sdnn_ms, (value) => `${digits(value, 0)} ms`),
            days,
          ],
          [
            'Blood pressure',
            pressure === null ? null : bloodPressure(pressure.avg_systolic_mmhg, pressure.avg_diastolic_mmhg),
            measured(latest.blood_pressure_measured_at),
          ],
          [
            'Body temperature',
            given(latest.body_temperature_celsius, (value) => temperature(value)),
            measured(latest.body_temperature_measured_at),
          ],
          [
            'Skin temperature',
            given(latest.skin_temperature_celsius, (value) => temperature(value)),
            measured(latest.skin_temperature_measured_at),
          ],
        ]}
      />
      <p class="faint line">The latest values, by {sourceOf(source)}.</p>
    </>
  );
}

const bloodPressure = (systolic: number | null, diastolic: number | null) =>
  systolic === null || diastolic === null ? null : `${digits(systolic, 0)}/${digits(diastolic, 0)} mmHg`;

const shownDays = 90;
const dayMs = 86_400_000;

function Course({ userId, version, children }: OfUser & { children: ComponentChildren }) {
  const zone = useZone();
  const range = useMemo(() => lastDays(), [version]);
  const chart = useResource(
    `${userId} body ${version}`,
    (signal) =>
      api.timeseries.chart(
        {
          user_id: userId,
          types: [...bodyTypes],
          max_points: 500,
          start_time: new Date(range.from).toISOString(),
          end_time: new Date(range.to).toISOString(),
          aggregates: ['value', 'min', 'max'],
        },
        { signal },
      ),
    true,
  );
  return (
    <>
      <div class={chart.data === undefined ? 'reserved' : ''}>
        <Loaded of={chart} what="body measurements">
          {(data) => {
            const lanes = bodyLanes(data, zone);
            return lanes.length === 0 ? (
              <Empty>
                No body measurements in the last {shownDays} days. A connected scale, blood pressure monitor
                or app sends them.
              </Empty>
            ) : (
              <Lanes title={`The last ${shownDays} days`} range={range} lanes={lanes} />
            );
          }}
        </Loaded>
      </div>
      {(chart.data !== undefined || chart.error !== undefined) && children}
    </>
  );
}

function lastDays() {
  const to = Math.ceil(Date.now() / 60_000) * 60_000;
  return { from: to - shownDays * dayMs, to };
}
