import { randomOf } from '../simulation/random.ts';
import { fitActivity } from './fit-activity.ts';

/** A point of a run, one each ten seconds. */
interface RunPoint {
  readonly ms: number;
  readonly latitude: number;
  readonly longitude: number;
  readonly altitude: number;
  readonly distance: number;
  readonly heartRate: number;
  readonly cadence: number;
}

/** A run as a watch recorded it. */
export interface RecordedRun {
  readonly startMs: number;
  readonly endMs: number;
  readonly points: readonly RunPoint[];
}

const stepMs = 10_000;
const metersPerStep = 28;

/** The run of a day along a street. */
export function recordedRun(seed: string, startMs: number, endMs: number): RecordedRun {
  const random = randomOf(`${seed} run`);
  const points = Array.from({ length: Math.floor((endMs - startMs) / stepMs) + 1 }, (_, index) => ({
    ms: startMs + index * stepMs,
    latitude: 48.1 + index * 0.0002,
    longitude: 11.5 + index * 0.0001,
    altitude: 520 + (index % 20),
    distance: index * metersPerStep,
    heartRate: random.whole(120, 165),
    cadence: random.whole(80, 90),
  }));
  return { startMs, endMs, points };
}

const iso = (ms: number) => new Date(ms).toISOString();

/** The run as GPX with the extensions that watches write. */
export function gpxOf({ points }: RecordedRun, name: string): string {
  const trackPoints = points.map(
    ({
      ms,
      latitude,
      longitude,
      altitude,
      heartRate,
      cadence,
    }) => `<trkpt lat="${latitude}" lon="${longitude}">
<ele>${altitude}</ele><time>${iso(ms)}</time>
<extensions><gpxtpx:TrackPointExtension><gpxtpx:hr>${heartRate}</gpxtpx:hr><gpxtpx:cad>${cadence}</gpxtpx:cad></gpxtpx:TrackPointExtension></extensions>
</trkpt>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<gpx version="1.1" creator="Pulsebus sandbox" xmlns="http://www.topografix.com/GPX/1/1" xmlns:gpxtpx="http://www.garmin.com/xmlschemas/TrackPointExtension/v1">
<trk><name>${name}</name><type>running</type><trkseg>
${trackPoints.join('\n')}
</trkseg></trk>
</gpx>
`;
}

/** The run as TCX, in one lap. */
export function tcxOf({ startMs, endMs, points }: RecordedRun): string {
  const meters = points.at(-1)?.distance ?? 0;
  const trackPoints = points.map(
    ({
      ms,
      latitude,
      longitude,
      altitude,
      distance,
      heartRate,
      cadence,
    }) => `<Trackpoint><Time>${iso(ms)}</Time>
<Position><LatitudeDegrees>${latitude}</LatitudeDegrees><LongitudeDegrees>${longitude}</LongitudeDegrees></Position>
<AltitudeMeters>${altitude}</AltitudeMeters><DistanceMeters>${distance}</DistanceMeters>
<HeartRateBpm><Value>${heartRate}</Value></HeartRateBpm>
<Extensions><ns3:TPX xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><ns3:RunCadence>${cadence}</ns3:RunCadence></ns3:TPX></Extensions></Trackpoint>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2">
<Activities><Activity Sport="Running"><Id>${iso(startMs)}</Id>
<Lap StartTime="${iso(startMs)}"><TotalTimeSeconds>${(endMs - startMs) / 1000}</TotalTimeSeconds><DistanceMeters>${meters}</DistanceMeters><Calories>420</Calories>
<Track>
${trackPoints.join('\n')}
</Track></Lap>
<Creator><Name>Sandbox watch</Name></Creator></Activity></Activities>
</TrainingCenterDatabase>
`;
}

const running = 1;

/** The run as a FIT activity with a session, a lap and the time zone of the watch. */
export function fitOf(
  { startMs, endMs, points }: RecordedRun,
  offsetMinutes: number,
  kilocalories = 420,
): Uint8Array {
  const meters = points.at(-1)?.distance ?? 0;
  return fitActivity({ startMs, endMs, sport: running, offsetMinutes, kilocalories, meters, points });
}
