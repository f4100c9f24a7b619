import type { z } from 'zod';
import type { apiGateway } from '../../../contracts/api-gateway.ts';
import type { TrackHead } from '../../../contracts/timeseries/workout-details.ts';
import { type StreamType, streamTypes } from '../../../domain/workouts/track.ts';
import type { Call } from '../../../runtime/environment.ts';
import { geojsonOf, gpxOf, jsonOf, tcxOf } from './formats.ts';
import { pointSource } from './read-points.ts';

/** The parameters of the streams of a workout. */
export type StreamsQuery = z.output<typeof apiGateway.actions.workoutStreams.params>;

/** The media type of each form. */
export const streamMediaTypes: Readonly<Record<StreamsQuery['format'], string>> = {
  json: 'application/json; charset=utf-8',
  geojson: 'application/geo+json; charset=utf-8',
  gpx: 'application/gpx+xml; charset=utf-8',
  tcx: 'application/vnd.garmin.tcx+xml; charset=utf-8',
};

/** The text of a workout's streams in pieces. @throws RECORD_NOT_FOUND (404) before the first one */
export async function* streamWorkout(call: Call, query: StreamsQuery): AsyncGenerator<string> {
  const { user_id, event_id, resolution, format } = query;
  const head = await call('timeseries.workoutTrack', { user_id, event_id });
  const seconds = resolution === 'raw' ? null : Number(resolution);
  const bucketMs = seconds === null ? null : seconds * 1000;
  const source = pointSource(call, { user_id, event_id, bucketMs }, head);
  const types = typesOf(query, head);
  if (format === 'json') yield* jsonOf(source, types, seconds);
  else if (format === 'geojson') yield* geojsonOf(source, types);
  else yield* format === 'gpx' ? gpxOf(source, types) : tcxOf(source, types);
}

// Streams that were asked for but not measured are null in each point.
function typesOf({ types }: StreamsQuery, { track }: TrackHead): StreamType[] {
  return streamTypes.filter((type) => (types ?? track?.types ?? []).includes(type));
}
