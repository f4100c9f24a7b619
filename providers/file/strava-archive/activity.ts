import { isKept } from '../../../domain/provider/field-table.ts';
import { workoutTypeNamed } from '../../../domain/workouts/sport-names.ts';
import { textOrNull } from '../../phone/normalise/item.ts';
import type { Row } from '../csv.ts';
import { endsIn, figuresOf } from '../figures.ts';
import type { Recording } from '../recording.ts';
import { stravaActivity } from './fields.ts';

/** An activity as its row states it: names and totals as the user has edited them. */
export interface StravaActivity {
  readonly id: string;
  readonly start_ms: number;
  readonly end_ms: number;
  readonly sport: string;
  readonly name: string | null;
  /** The name of its file in the archive; null for an entry by hand. */
  readonly file: string | null;
  readonly totals: Recording['totals'];
  readonly details: Recording['details'];
}

/** The columns by position, since exports of 2019. Later ones move, and all are translated. */
const positions = [
  ...['Activity ID', 'Activity Date', 'Activity Name', 'Activity Type', 'Activity Description'],
  ...['Elapsed Time', 'Distance', 'Max Heart Rate', 'Relative Effort', 'Commute', 'Activity Private Note'],
  ...['Activity Gear', 'Filename', 'Athlete Weight', 'Bike Weight', 'Elapsed Time 2', 'Moving Time'],
  ...['Distance 2', 'Max Speed', 'Average Speed', 'Elevation Gain', 'Elevation Loss', 'Elevation Low'],
  ...['Elevation High', 'Max Grade', 'Average Grade', 'Average Positive Grade', 'Average Negative Grade'],
  ...['Max Cadence', 'Average Cadence', 'Max Heart Rate 2', 'Average Heart Rate', 'Max Watts'],
  ...['Average Watts', 'Calories', 'Max Temperature', 'Average Temperature'],
] as const;

const [totalEnds, detailEnds] = [endsIn(stravaActivity, 'workout'), endsIn(stravaActivity, 'details')];

/** Reads a row of `activities.csv`; a sentence if it is no activity. */
export function readStravaActivity(row: Row): StravaActivity | string {
  const named = 'Activity ID' in row ? row : byPosition(row);
  const id = /^\d{1,20}$/.exec(named['Activity ID']?.trim() ?? '')?.[0];
  if (id === undefined) return 'The activity has no id.';
  const start_ms = instantOf(named['Activity Date'] ?? '');
  if (start_ms === null) return 'The time cannot be read.';
  const seconds = numberOf(named['Elapsed Time 2']) ?? numberOf(named['Elapsed Time']);
  if (seconds === null || seconds < 0) return 'The activity has no duration.';
  const read = (field: string) => figureOf(field, named);
  return {
    id,
    start_ms,
    end_ms: start_ms + Math.round(seconds * 1000),
    sport: sportOf(named['Activity Type'] ?? ''),
    name: textOrNull(named['Activity Name']?.replaceAll(/\s+/g, ' '), 500),
    file: named.Filename?.trim() || null,
    totals: figuresOf(totalEnds, read),
    details: { ...figuresOf(detailEnds, read), commute: flagOf(named.Commute) },
  };
}

function byPosition(row: Row): Row {
  const cells = Object.values(row);
  return Object.fromEntries(positions.map((name, index) => [name, cells[index] ?? '']));
}

/** Units of which 0 is no measurement. */
const neverZero = new Set(['bpm', 'rpm', 'kcal']);

function figureOf(name: string, row: Row): number | null {
  const field = stravaActivity[name];
  const value = numberOf(row[name]);
  const isUnmeasured = value === 0 && field !== undefined && isKept(field) && neverZero.has(field.unit ?? '');
  return isUnmeasured ? null : value;
}

/** A number with a point or a comma; null if there is none. */
function numberOf(text: string | undefined): number | null {
  const trimmed = text?.trim().replace(/^(-?\d+),(\d+)$/, '$1.$2') ?? '';
  const value = trimmed === '' ? Number.NaN : Number(trimmed);
  return Number.isFinite(value) ? value : null;
}

function flagOf(text: string | undefined): boolean | null {
  const trimmed = text?.trim().toLowerCase() ?? '';
  return trimmed === '' ? null : trimmed === 'true' || numberOf(trimmed) === 1;
}

/** The beginnings of the names of months in the languages of exports. Of two that fit, the longer one counts. */
const months: readonly (readonly string[])[] = [
  ['jan', 'gen', 'ene'],
  ['feb', 'fév', 'fev'],
  ['mar', 'mär', 'maa', 'mrt'],
  ['apr', 'avr', 'abr'],
  ['may', 'mai', 'mag', 'mei'],
  ['jun', 'juin', 'giu'],
  ['jul', 'juil', 'lug'],
  ['aug', 'aoû', 'ago'],
  ['sep', 'set'],
  ['oct', 'okt', 'ott', 'out'],
  ['nov'],
  ['dec', 'dez', 'déc', 'dic'],
];

const dateAndClock = /^(.+?)[,\sT]+(\d{1,2})[:.h](\d{2})(?:[:.](\d{2}))?\s*(?:([ap])\.?\s?m\.?)?$/i;

/** An instant in UTC, as the language of the user writes it; null if it cannot be read. */
function instantOf(text: string): number | null {
  const [, date, hours, minutes, seconds = '0', half] = dateAndClock.exec(text.trim().normalize('NFC')) ?? [];
  if (date === undefined) return null;
  const day = dayOf(date);
  const ofHalf = half === undefined ? Number(hours) : (Number(hours) % 12) + (/p/i.test(half) ? 12 : 0);
  if (day === null || ofHalf > 23 || Number(minutes) > 59 || Number(seconds) > 60) return null;
  return day + ((ofHalf * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000;
}

function dayOf(date: string): number | null {
  const numbers = (date.match(/\d+/g) ?? []).map(Number);
  const word = /\p{L}{3,}/u.exec(date.toLowerCase())?.[0];
  const month =
    word === undefined ? 0 : 1 + months.findIndex((names) => names.some((name) => word.startsWith(name)));
  const [first = 0, second = 0, third = 0] = numbers;
  if (month > 0) return utcDay(second, month, first);
  if (first > 31) return utcDay(first, second, third);
  return second > 12 ? utcDay(third, first, second) : utcDay(third, second, first);
}

function utcDay(year: number, month: number, day: number): number | null {
  const ms = Date.UTC(year, month - 1, day);
  const read = new Date(ms);
  return read.getUTCMonth() === month - 1 && read.getUTCDate() === day ? ms : null;
}

/** Sports in other languages, by the English name. Only files without a sport need them. */
const sports: Readonly<Record<string, string>> = {
  run: 'lauf laufen course course_à_pied carrera corsa corrida hardloopsessie',
  trail_run: 'traillauf trail trail_running',
  ride: 'radfahrt sortie_à_vélo vélo bicicleta pedalata pedalada rit ciclismo giro',
  virtual_ride: 'virtuelle_radfahrt virtuelle_fahrt sortie_virtuelle',
  swim: 'schwimmen natation natación nuoto natação zwemmen',
  walk: 'spaziergang gehen marche caminata camminata caminhada wandeling',
  hike: 'wanderung wandern randonnée senderismo escursione trilha hike',
  weight_training: 'krafttraining musculation entrenamiento_con_pesas allenamento_pesi',
  yoga: 'yoga',
  rowing: 'rudern aviron remo canottaggio roeien',
};
const sportNames = new Map(
  Object.entries(sports).flatMap(([sport, names]) => names.split(' ').map((name) => [name, sport] as const)),
);

function sportOf(text: string): string {
  const name = text.trim().toLowerCase().replaceAll(/\s+/g, '_');
  if (workoutTypeNamed(name) !== 'other') return name;
  return sportNames.get(name) ?? (name || 'other');
}
