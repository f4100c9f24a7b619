import { embedToken } from '../../embed.ts';
import { Link } from '../../router.tsx';
import { placeOf } from './lane-drawings.tsx';
import type { LanePlace } from './lane-layout.ts';
import { clockOfDay, workoutName } from './lane-texts.ts';
import type { Picture } from './picture.ts';

/** The workouts of a day as blocks that lead to their pages, which an embedded page does not have. */
export function WorkoutBlocks({
  userId,
  picture,
  places,
  width,
}: {
  userId: string;
  picture: Picture;
  places: readonly LanePlace[];
  width: number;
}) {
  const place = places.find(({ id }) => id === 'workouts');
  const { axis, workouts } = picture;
  if (place === undefined) return null;
  const x = placeOf(axis, width);
  const clock = clockOfDay(axis.zone);
  return (
    <div class="workout-blocks">
      {workouts.map((one) => {
        const [left, right] = [
          Math.max(0, x(Date.parse(one.start_time))),
          Math.min(width, x(Date.parse(one.end_time))),
        ];
        const text = workoutName(one);
        return (
          <div
            key={one.id}
            style={{
              left: `${left}px`,
              width: `${Math.max(10, right - left)}px`,
              top: `${place.plotTop}px`,
              height: `${place.height}px`,
            }}
            title={`${text}, ${clock(one.start_time)} to ${clock(one.end_time)}`}
          >
            {embedToken === null ? (
              <Link to={`/users/${userId}/workouts/${one.id}`}>
                <span>{text}</span>
              </Link>
            ) : (
              <span>{text}</span>
            )}
          </div>
        );
      })}
    </div>
  );
}
