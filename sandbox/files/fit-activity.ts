import { FitBaseType, FitEncoder } from 'fit-file-parser';

/** A point of an activity, in the units of our streams. What was not measured is absent. */
export interface FitPoint {
  readonly ms: number;
  readonly latitude?: number;
  readonly longitude?: number;
  readonly altitude?: number;
  readonly heartRate?: number;
  readonly cadence?: number;
  readonly distance?: number;
  readonly speed?: number;
  readonly power?: number;
  readonly temperature?: number;
}

/** What a device recorded, for a FIT file. `sport` is a number of the FIT profile. */
export interface RecordedActivity {
  readonly startMs: number;
  readonly endMs: number;
  readonly sport: number;
  readonly offsetMinutes: number;
  readonly kilocalories: number;
  readonly meters: number;
  readonly points: readonly FitPoint[];
}

const { Enum, Sint8, Sint32, Uint16, Uint32, Uint8 } = FitBaseType;
const sizes: Readonly<Record<number, number>> = {
  [Enum]: 1,
  [Uint8]: 1,
  [Sint8]: 1,
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

/** The fields of a point: the number, the type, and the raw value. */
const pointFields: readonly (readonly [keyof FitPoint, number, FitBaseType, (value: number) => number])[] = [
  ['latitude', 0, Sint32, semicircles],
  ['longitude', 1, Sint32, semicircles],
  ['altitude', 2, Uint16, (meters) => (meters + 500) * 5],
  ['heartRate', 3, Uint8, (bpm) => bpm],
  ['cadence', 4, Uint8, (rpm) => rpm],
  ['distance', 5, Uint32, (meters) => meters * 100],
  ['speed', 6, Uint16, (metersPerSecond) => metersPerSecond * 1000],
  ['power', 7, Uint16, (watts) => watts],
  ['temperature', 13, Sint8, (celsius) => celsius],
];

/** An activity as a FIT file, with a session, a lap and the clock of the device. */
export function fitActivity(activity: RecordedActivity): Uint8Array {
  const { startMs, endMs, sport, offsetMinutes, kilocalories, meters, points } = activity;
  const encoder = new FitEncoder();
  const at = (ms: number) => FitEncoder.toFitTimestamp(new Date(ms));
  const milliseconds = endMs - startMs;
  encoder.writeMessage(
    message.fileId,
    [field(0, Enum, 4), field(1, Uint16, 255), field(2, Uint16, 7), field(4, Uint32, at(startMs))],
    0,
  );
  for (const point of points)
    encoder.writeMessage(
      message.record,
      [
        field(253, Uint32, at(point.ms)),
        ...pointFields.flatMap(([name, number, baseType, raw]) => {
          const value = point[name];
          return value === undefined ? [] : [field(number, baseType, Math.round(raw(value)))];
        }),
      ],
      1,
    );
  const whole = [field(253, Uint32, at(endMs)), field(2, Uint32, at(startMs))];
  const length = [
    field(7, Uint32, milliseconds),
    field(8, Uint32, milliseconds),
    field(9, Uint32, Math.round(meters * 100)),
  ];
  encoder.writeMessage(message.lap, [...whole, ...length], 2);
  encoder.writeMessage(
    message.session,
    [...whole, field(5, Enum, sport), ...length, field(11, Uint16, kilocalories)],
    3,
  );
  const local = field(5, Uint32, at(endMs) + offsetMinutes * 60);
  encoder.writeMessage(message.activity, [field(253, Uint32, at(endMs)), local], 4);
  return encoder.close();
}
