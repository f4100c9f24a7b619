import { api } from '../../api.ts';
import { useResource } from '../../resource.ts';
import { format } from '../charts/bars.tsx';
import { Empty, Loaded } from '../states.tsx';
import type { OfUser } from './of-user.ts';

/** The body measurements of a user as they are now. */
export function Body({ userId, version }: OfUser) {
  const body = useResource(
    `${userId} ${version}`,
    (signal) => api.summaries.body({ user_id: userId }, { signal }),
    true,
  );
  return (
    <Loaded of={body} what="body">
      {(summary) => {
        if (summary === null) return <Empty>No body measurements yet.</Empty>;
        const { slow_changing: slow, averaged, latest } = summary;
        const facts: readonly (readonly [string, number | null, string])[] = [
          ['Weight', slow.weight_kg, 'kg'],
          ['Height', slow.height_cm, 'cm'],
          ['Body fat', slow.body_fat_percent, '%'],
          ['Muscle mass', slow.muscle_mass_kg, 'kg'],
          ['Body mass index', slow.bmi, 'kg/m²'],
          ['Resting heart rate', averaged.resting_heart_rate_bpm, 'bpm'],
          ['Heart rate variability (SDNN)', averaged.avg_hrv_sdnn_ms, 'ms'],
          ['Body temperature', latest.body_temperature_celsius, '°C'],
          ['Skin temperature', latest.skin_temperature_celsius, '°C'],
        ];
        const known = facts.flatMap(([name, value, unit]) => (value === null ? [] : [{ name, value, unit }]));
        if (known.length === 0) return <Empty>No body measurements yet.</Empty>;
        return (
          <dl class="facts">
            {known.map(({ name, value, unit }) => [
              <dt key={name}>{name}</dt>,
              <dd key={`${name} value`}>
                {format(value)} {unit}
              </dd>,
            ])}
          </dl>
        );
      }}
    </Loaded>
  );
}
