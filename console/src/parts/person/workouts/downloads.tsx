import type { SingleWorkout } from '../../../../../clients/typescript/src/index.ts';
import { streamUrl } from '../../../api.ts';

const formats = [
  ['gpx', 'GPX', 'route and times, for maps'],
  ['tcx', 'TCX', 'all points with laps, for training programs'],
  ['geojson', 'GeoJSON', 'route with its streams'],
  ['json', 'JSON', 'all streams'],
] as const;

/** The streams of a workout as files. */
export function Downloads({ userId, workout }: { userId: string; workout: SingleWorkout }) {
  const path = `/users/${userId}/events/workouts/${workout.id}/streams`;
  return (
    <section class="downloads-part" aria-labelledby="downloads">
      <h3 id="downloads">Download the streams</h3>
      <ul class="downloads">
        {formats.map(([format, name, what]) => (
          <li key={format}>
            <a class="button" href={streamUrl(`${path}?format=${format}`)} download>
              {name}
            </a>
            <span class="faint">{what}</span>
          </li>
        ))}
      </ul>
      <p class="faint">Each download is in the audit log.</p>
    </section>
  );
}
