import { gzipSync } from 'node:zlib';
import { fitOf, gpxOf, type RecordedRun, recordedRun, tcxOf } from './recorded-run.ts';
import { zipOf } from './zip.ts';

/** The user whose bulk export is written. */
export interface StravaUser {
  readonly seed: string;
  /** The start of the first activity, in UTC milliseconds. There is one each day. */
  readonly startMs: number;
  readonly activities: number;
  /** The language of the headers, the sports and the dates. */
  readonly language: 'en' | 'de';
}

/** What the export contains, to compare with what is stored. */
export interface StravaLedger {
  readonly ids: readonly string[];
  readonly distanceMeters: number;
  readonly movingSeconds: number;
  /** Activities with a track. */
  readonly tracks: number;
  /** Members that cannot be read. */
  readonly damaged: number;
}

type Way = 'fit' | 'tcx' | 'gpx' | 'plain' | 'by hand' | 'damaged';
const ways: readonly Way[] = ['fit', 'tcx', 'gpx', 'plain', 'by hand', 'damaged'];

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const firstId = 1_000_000_001;
const longestName = 'A run "around" the lake,\nwith a break';

/** A bulk export of Strava, with its oddities: rows with line breaks, blanks before XML, entries by hand, a damaged file, photos. */
export function stravaArchive({ seed, startMs, activities, language }: StravaUser): {
  readonly zip: Buffer;
  readonly ledger: StravaLedger;
} {
  const members: { name: string; bytes: Uint8Array }[] = [];
  const rows: string[][] = [];
  const text = texts[language];
  let [distanceMeters, movingSeconds] = [0, 0];
  for (let index = 0; index < activities; index += 1) {
    const way = ways[index % ways.length] ?? 'fit';
    const begin = startMs + index * dayMs;
    const run = recordedRun(`${seed} ${index}`, begin, begin + 30 * minuteMs);
    const id = firstId + index;
    const file = fileOf(way, run, id);
    if (file !== null) members.push(file);
    const meters = 5000 + index;
    distanceMeters += meters;
    movingSeconds += 1700;
    rows.push(rowOf({ id, begin, meters, file: file?.name ?? '', index }, text));
  }
  const table = [text.header, ...rows].map((cells) => cells.map(cellOf).join(',')).join('\n');
  const others = ['profile.csv', 'bikes.csv', 'media/1.jpg', 'routes/1.gpx', 'clubs/1.jpg'];
  return {
    zip: zipOf([
      { name: 'activities.csv', bytes: Buffer.from(`${table}\n`) },
      ...members,
      ...others.map((name) => ({ name, bytes: Buffer.from('<gpx></gpx>') })),
    ]),
    ledger: {
      ids: rows.map(([id = '']) => id),
      distanceMeters,
      movingSeconds,
      tracks: members.filter(({ name }) => !name.includes('damaged')).length,
      damaged: members.filter(({ name }) => name.includes('damaged')).length,
    },
  };
}

function fileOf(way: Way, run: RecordedRun, id: number): { name: string; bytes: Uint8Array } | null {
  const name = `activities/${id * 2}`;
  switch (way) {
    case 'fit':
      return { name: `${name}.fit.gz`, bytes: gzipSync(fitOf(run, 0)) };
    case 'tcx':
      return { name: `${name}.tcx.gz`, bytes: gzipSync(`          ${tcxOf(run)}`) };
    case 'gpx':
      return { name: `${name}.gpx.gz`, bytes: gzipSync(gpxOf(run, 'a name before it was edited')) };
    case 'plain':
      return { name: `${name}.gpx`, bytes: Buffer.from(gpxOf(run, 'a name before it was edited')) };
    case 'by hand':
      return null;
    case 'damaged':
      return { name: `${name}-damaged.fit.gz`, bytes: gzipSync(fitOf(run, 0)).subarray(0, 100) };
  }
}

interface ListedActivity {
  readonly id: number;
  readonly begin: number;
  readonly meters: number;
  readonly file: string;
  readonly index: number;
}

function rowOf(
  { id, begin, meters, file, index }: ListedActivity,
  text: (typeof texts)[StravaUser['language']],
): string[] {
  const kilometers = (meters / 1000).toFixed(2);
  const shown = text.comma ? kilometers.replace('.', ',') : kilometers;
  // A third of the names in the table have no `.gz`.
  const listed = index % 3 === 2 ? file.replace(/\.gz$/, '') : file;
  return [
    ...[String(id), text.date(begin), index % 5 === 0 ? longestName : `Run ${index}`, text.sport, ''],
    ...['1800', shown, '', '12', 'false', '', 'Shoes', listed, '70.0', ''],
    ...[
      '1800.0',
      '1700.0',
      `${meters}.0`,
      '4.5',
      '2.9',
      '21.0',
      '20.0',
      '510.0',
      '540.0',
      '5.0',
      '0.1',
      '',
      '',
    ],
    ...['', '', '175', '148', '', '', '401.0', '', '18.0'],
  ];
}

const cellOf = (cell: string) => (/[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const pad = (value: number) => String(value).padStart(2, '0');
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const texts = {
  en: {
    sport: 'Run',
    comma: false,
    date(ms: number) {
      const at = new Date(ms);
      const hour = at.getUTCHours() % 12 || 12;
      const half = at.getUTCHours() < 12 ? 'AM' : 'PM';
      const day = `${months[at.getUTCMonth()]} ${at.getUTCDate()}, ${at.getUTCFullYear()}`;
      return `${day}, ${hour}:${pad(at.getUTCMinutes())}:${pad(at.getUTCSeconds())} ${half}`;
    },
    header: [
      ...['Activity ID', 'Activity Date', 'Activity Name', 'Activity Type', 'Activity Description'],
      ...[
        'Elapsed Time',
        'Distance',
        'Max Heart Rate',
        'Relative Effort',
        'Commute',
        'Activity Private Note',
      ],
      ...[
        'Activity Gear',
        'Filename',
        'Athlete Weight',
        'Bike Weight',
        'Elapsed Time',
        'Moving Time',
        'Distance',
      ],
      ...[
        'Max Speed',
        'Average Speed',
        'Elevation Gain',
        'Elevation Loss',
        'Elevation Low',
        'Elevation High',
      ],
      ...['Max Grade', 'Average Grade', 'Average Positive Grade', 'Average Negative Grade', 'Max Cadence'],
      ...[
        'Average Cadence',
        'Max Heart Rate',
        'Average Heart Rate',
        'Max Watts',
        'Average Watts',
        'Calories',
      ],
      ...['Max Temperature', 'Average Temperature'],
    ],
  },
  de: {
    sport: 'Lauf',
    comma: true,
    date(ms: number) {
      const [day, time] = new Date(ms).toISOString().split('T');
      return `${day?.split('-').toReversed().join('.')}, ${time?.slice(0, 8)}`;
    },
    header: [
      ...[
        'Aktivitäts-ID',
        'Aktivitätsdatum',
        'Name der Aktivität',
        'Aktivitätsart',
        'Aktivitätsbeschreibung',
      ],
      ...['Verstrichene Zeit', 'Distanz', 'Max. Herzfrequenz', 'Relativer Aufwand', 'Pendeln'],
      ...[
        'Private Notiz',
        'Ausrüstung',
        'Dateiname',
        'Gewicht des Athleten',
        'Radgewicht',
        'Verstrichene Zeit',
      ],
      ...[
        'Bewegungszeit',
        'Distanz',
        'Höchstgeschwindigkeit',
        'Durchschnittsgeschwindigkeit',
        'Höhenzunahme',
      ],
      ...[
        'Höhenverlust',
        'Niedrigster Punkt',
        'Höchster Punkt',
        'Max. Steigung',
        'Durchschnittliche Steigung',
      ],
      ...[
        'Positive Steigung',
        'Negative Steigung',
        'Max. Kadenz',
        'Kadenz',
        'Max. Herzfrequenz',
        'Herzfrequenz',
      ],
      ...['Max. Watt', 'Watt', 'Kalorien', 'Max. Temperatur', 'Temperatur'],
    ],
  },
} as const;
