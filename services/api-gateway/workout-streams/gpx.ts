import { formatInstant } from '../../../domain/time/time.ts';
import type { StreamType } from '../../../domain/workouts/track.ts';
import { isLocated } from './geojson.ts';
import type { Point, PointSource } from './read-points.ts';
import { element, rounded, xmlDeclaration, xmlText } from './xml.ts';

const opening =
  '<gpx version="1.1" creator="Pulsebus" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v2">\n';

/** The route of a workout as GPX 1.1, with the extensions of track points that are in use. */
export async function* gpxOf(
  { head, read }: PointSource,
  types: readonly StreamType[],
): AsyncGenerator<string> {
  const time = element('time', formatInstant(head.start_ms));
  const name = element('name', xmlText(head.name));
  yield `${xmlDeclaration}${opening}<metadata>${time}</metadata>\n<trk>${name}${element('type', head.type)}<trkseg>\n`;
  for await (const points of read([...new Set<StreamType>(['latitude', 'longitude', ...types])]))
    yield points.filter(isLocated).map(pointOf).join('');
  yield '</trkseg></trk>\n</gpx>\n';
}

function pointOf({ ms, values }: Point): string {
  const { latitude, longitude, altitude, power, temperature, heart_rate, cadence, speed } = values;
  const measured =
    element('gpxtpx:atemp', temperature) +
    element('gpxtpx:hr', rounded(heart_rate)) +
    element('gpxtpx:cad', rounded(cadence)) +
    element('gpxtpx:speed', speed);
  const point = measured === '' ? '' : element('gpxtpx:TrackPointExtension', measured);
  const extensions = element('power', rounded(power)) + point;
  return `<trkpt lat="${latitude}" lon="${longitude}">${element('ele', altitude)}${element('time', formatInstant(ms))}${extensions === '' ? '' : element('extensions', extensions)}</trkpt>\n`;
}
