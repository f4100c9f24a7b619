import type { TrackHead } from '../../../contracts/timeseries/workout-details.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { LapRecord } from '../../../domain/workouts/details.ts';
import type { StreamType } from '../../../domain/workouts/track.ts';
import { isLocated } from './geojson.ts';
import type { Point, PointSource } from './read-points.ts';
import { element, rounded, xmlDeclaration, xmlText } from './xml.ts';

const opening =
  '<TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2" xmlns:ns3="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Activities>';
const sports: Readonly<Record<string, string>> = { running: 'Running', cycling: 'Biking' };

type Lap = Pick<
  LapRecord,
  | 'start_ms'
  | 'duration_seconds'
  | 'distance_meters'
  | 'max_speed_meters_per_second'
  | 'avg_heart_rate_bpm'
  | 'max_heart_rate_bpm'
>;

/** A workout as Training Center XML. Its points belong to the lap in which they were measured. */
export async function* tcxOf(
  { head, read }: PointSource,
  types: readonly StreamType[],
): AsyncGenerator<string> {
  const laps = lapsOf(head);
  const started = formatInstant(head.start_ms);
  yield `${xmlDeclaration}${opening}<Activity Sport="${sports[head.type] ?? 'Other'}">${element('Id', started)}\n`;
  const writer = new LapWriter(laps, head);
  for await (const points of read(types)) yield points.map((point) => writer.textOf(point)).join('');
  yield writer.end();
  yield `${element('Notes', xmlText(head.name))}</Activity></Activities></TrainingCenterDatabase>\n`;
}

function lapsOf({ laps, start_ms, duration_seconds, distance_meters }: TrackHead): readonly Lap[] {
  const whole = { max_speed_meters_per_second: null, avg_heart_rate_bpm: null, max_heart_rate_bpm: null };
  return laps.length === 0 ? [{ ...whole, start_ms, duration_seconds, distance_meters }] : laps;
}

/** Opens and closes laps and tracks between the points. */
class LapWriter {
  readonly #laps: readonly Lap[];
  readonly #head: TrackHead;
  #open = -1;
  #hasTrack = false;

  constructor(laps: readonly Lap[], head: TrackHead) {
    this.#laps = laps;
    this.#head = head;
  }

  /** A point, after the laps that begin before it. */
  textOf(point: Point): string {
    let text = this.#open === -1 ? this.#next() : '';
    while ((this.#laps[this.#open + 1]?.start_ms ?? Number.POSITIVE_INFINITY) <= point.ms)
      text += this.#next();
    if (!this.#hasTrack) text += '<Track>\n';
    this.#hasTrack = true;
    return text + trackpoint(point);
  }

  /** The end of the last lap, after laps without points. */
  end(): string {
    let text = '';
    while (this.#open < this.#laps.length - 1) text += this.#next();
    return text + this.#close();
  }

  #next(): string {
    const closed = this.#close();
    this.#open += 1;
    const lap = this.#laps[this.#open];
    return lap === undefined ? closed : closed + lapText(lap, this.#head);
  }

  #close(): string {
    const text = `${this.#hasTrack ? '</Track>' : ''}${this.#open === -1 ? '' : '</Lap>\n'}`;
    this.#hasTrack = false;
    return text;
  }
}

// The form demands calories of each lap: those of the workout are divided by time.
function lapText(lap: Lap, { calories_kcal, duration_seconds }: TrackHead): string {
  const seconds = lap.duration_seconds ?? 0;
  const share = duration_seconds === 0 ? 1 : Math.min(1, seconds / duration_seconds);
  return [
    `<Lap StartTime="${formatInstant(lap.start_ms)}">`,
    element('TotalTimeSeconds', seconds),
    element('DistanceMeters', lap.distance_meters ?? 0),
    element('MaximumSpeed', lap.max_speed_meters_per_second),
    element('Calories', Math.round((calories_kcal ?? 0) * share)),
    beats('AverageHeartRateBpm', lap.avg_heart_rate_bpm ?? undefined),
    beats('MaximumHeartRateBpm', lap.max_heart_rate_bpm ?? undefined),
    '<Intensity>Active</Intensity><TriggerMethod>Manual</TriggerMethod>\n',
  ].join('');
}

function trackpoint(point: Point): string {
  const { latitude, longitude, altitude, distance, heart_rate, cadence, speed, power } = point.values;
  const position = element('LatitudeDegrees', latitude) + element('LongitudeDegrees', longitude);
  const more = element('ns3:Speed', speed) + element('ns3:Watts', rounded(power));
  return [
    `<Trackpoint>${element('Time', formatInstant(point.ms))}`,
    isLocated(point) ? element('Position', position) : '',
    element('AltitudeMeters', altitude),
    element('DistanceMeters', distance),
    beats('HeartRateBpm', heart_rate),
    element('Cadence', rounded(cadence)),
    more === '' ? '' : element('Extensions', element('ns3:TPX', more)),
    '</Trackpoint>\n',
  ].join('');
}

function beats(name: string, value: number | undefined): string {
  return value === undefined ? '' : element(name, element('Value', Math.round(value)));
}
