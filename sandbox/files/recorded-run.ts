import { FitBaseType, FitEncoder } from 'fit-file-parser';
import { randomOf } from '../simulation/random.ts';

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

const { Enum, Sint32, Uint16, Uint32, Uint8 } = FitBaseType;
const sizes: Readonly<Record<number, number>> = {
  [Enum]: 1,
  [Uint8]: 1,
  [Uint16]: 2,
  [Uint32]: 4,
  [Sint32]: 4,
};
const field = (number: number, baseType: FitBaseType, value: number) => ({
  number,
  baseType,
  value,
  size: sizes[baseType] ?? 1,
});
const semicircles = (degrees: number) => Math.round((degrees * 2 ** 31) / 180);
const message = { fileId: 0, session: 18, lap: 19, record: 20, activity: 34 } as const;
const running = 1;

/** The run as a FIT activity with a session, a lap and the time zone of the watch. */
export function fitOf({ startMs, endMs, points }: RecordedRun, offsetMinutes: number): Uint8Array {
  const encoder = new FitEncoder();
  const at = (ms: number) => FitEncoder.toFitTimestamp(new Date(ms));
  const milliseconds = endMs - startMs;
  const centimeters = (points.at(-1)?.distance ?? 0) * 100;
  encoder.writeMessage(
    message.fileId,
    [field(0, Enum, 4), field(1, Uint16, 255), field(2, Uint16, 7), field(4, Uint32, at(startMs))],
    0,
  );
  for (const { ms, latitude, longitude, altitude, distance, heartRate, cadence } of points)
    encoder.writeMessage(
      message.record,
      [
        field(253, Uint32, at(ms)),
        field(0, Sint32, semicircles(latitude)),
        field(1, Sint32, semicircles(longitude)),
        field(2, Uint16, (altitude + 500) * 5),
        field(3, Uint8, heartRate),
        field(4, Uint8, cadence),
        field(5, Uint32, distance * 100),
      ],
      1,
    );
  const whole = [field(253, Uint32, at(endMs)), field(2, Uint32, at(startMs))];
  const length = [
    field(7, Uint32, milliseconds),
    field(8, Uint32, milliseconds),
    field(9, Uint32, centimeters),
  ];
  encoder.writeMessage(message.lap, [...whole, ...length, field(11, Uint16, 420)], 2);
  encoder.writeMessage(
    message.session,
    [...whole, field(5, Enum, running), ...length, field(11, Uint16, 420)],
    3,
  );
  const local = field(5, Uint32, at(endMs) + offsetMinutes * 60);
  encoder.writeMessage(message.activity, [field(253, Uint32, at(endMs)), local], 4);
  return encoder.close();
}
