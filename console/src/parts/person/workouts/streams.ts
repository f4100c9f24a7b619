import type { SingleWorkout, WorkoutStreams } from '../../../../../clients/typescript/src/index.ts';
import { api } from '../../../api.ts';
import { type Resource, useResource } from '../../../resource.ts';

const mostPoints = 1000;

/** The route of a workout with what colours it. It is read on demand, because each read is in the audit log. */
export function useStreams(
  userId: string,
  { id, start_time, end_time }: SingleWorkout,
  isRead: boolean,
): Resource<WorkoutStreams | null> {
  const seconds = (Date.parse(end_time) - Date.parse(start_time)) / 1000;
  const resolution = String(Math.min(3600, Math.max(1, Math.ceil(seconds / mostPoints))));
  return useResource(`${userId} ${id} ${resolution} ${isRead}`, async (signal) => {
    if (!isRead) return null;
    return api.apiGateway.workoutStreams(
      {
        user_id: userId,
        event_id: id,
        resolution,
        types: ['latitude', 'longitude', 'altitude', 'speed', 'heart_rate'],
      },
      { signal },
    );
  });
}
