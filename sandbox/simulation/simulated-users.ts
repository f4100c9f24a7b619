import { hashOf } from './random.ts';
import type { MinuteOfDay, Traits } from './traits.ts';

/**
 * Synthetic users. A user consists of a row of traits and a seed, from which all data is derived, so the same seed
 * gives the same bytes on any machine. Their titles describe what they do and are not names of people.
 */

const clock = (hours: number, minutes = 0): MinuteOfDay => hours * 60 + minutes;

const base = {
  wears: null,
  ride_watts: null,
  cycle_days: null,
  uploads_workouts: false,
  owns_scale: false,
  charges_every_days: 4,
  nap_chance: 0.06,
  spo2_percent: 96.5,
} as const satisfies Partial<Traits>;

/** The traits of the users of the table. */
export const userTraits: readonly Traits[] = [
  {
    ...base,
    key: 'weekday-runner',
    title: ['Weekday', 'Runner'],
    zone: 'Asia/Kathmandu',
    device: 'Stride 255',
    resting_heart_rate_bpm: 49,
    max_heart_rate_bpm: 186,
    hrv_rmssd_ms: 62,
    weight_kg: 61.5,
    height_cm: 169,
    age_years: 34,
    vo2_max: 52,
    spo2_percent: 94.8,
    rhythm: {
      kind: 'weekdays',
      bed: clock(22, 30),
      wake: clock(6, 10),
      lie_in_minutes: 65,
      work: [clock(9), clock(17)],
    },
    commute: { minutes: 22, by: 'foot' },
    work_on_feet: 0.12,
    cycle_days: 29,
    routines: [
      { sport: 'run', weekdays: [0, 2, 4], at: clock(6, 50), minutes: [32, 58], chance: 0.9 },
      { sport: 'intervals', weekdays: [1], at: clock(17, 50), minutes: [38, 50], chance: 0.85 },
      { sport: 'strength', weekdays: [3], at: clock(18, 10), minutes: [35, 55], chance: 0.7 },
      { sport: 'hike', weekdays: [5], at: clock(10, 30), minutes: [110, 210], chance: 0.45 },
      { sport: 'yoga', weekdays: [6], at: clock(18), minutes: [30, 50], chance: 0.6 },
    ],
  },
  {
    ...base,
    key: 'shift-worker',
    title: ['Night-Shift', 'Cyclist'],
    zone: 'America/Los_Angeles',
    device: 'Summit 7',
    resting_heart_rate_bpm: 57,
    max_heart_rate_bpm: 181,
    hrv_rmssd_ms: 41,
    weight_kg: 84,
    height_cm: 181,
    age_years: 41,
    vo2_max: 44,
    rhythm: {
      kind: 'shifts',
      nights: 4,
      days_off: 3,
      shift: [clock(22), clock(30)],
      bed: clock(23, 40),
      wake: clock(8, 20),
    },
    commute: { minutes: 28, by: 'wheels' },
    work_on_feet: 0.65,
    nap_chance: 0.08,
    routines: [
      { sport: 'ride', weekdays: [1, 3, 5, 6], at: clock(16, 40), minutes: [55, 125], chance: 0.75 },
      { sport: 'strength', weekdays: [0, 2], at: clock(17, 30), minutes: [40, 60], chance: 0.55 },
      { sport: 'walk', weekdays: [4, 6], at: clock(19, 45), minutes: [25, 45], chance: 0.6 },
    ],
  },
  {
    ...base,
    key: 'power-cyclist',
    title: ['Power', 'Cyclist'],
    zone: 'Europe/Helsinki',
    device: 'Crank 540',
    resting_heart_rate_bpm: 44,
    max_heart_rate_bpm: 190,
    hrv_rmssd_ms: 78,
    weight_kg: 70,
    height_cm: 178,
    age_years: 29,
    vo2_max: 61,
    ride_watts: 215,
    rhythm: {
      kind: 'weekdays',
      bed: clock(22),
      wake: clock(6, 30),
      lie_in_minutes: 40,
      work: [clock(8), clock(16)],
    },
    commute: { minutes: 18, by: 'wheels' },
    work_on_feet: 0.2,
    routines: [
      { sport: 'indoor_ride', weekdays: [1, 3], at: clock(17, 30), minutes: [60, 80], chance: 0.9 },
      { sport: 'ride', weekdays: [2], at: clock(17), minutes: [80, 120], chance: 0.85 },
      { sport: 'ride', weekdays: [5, 6], at: clock(10), minutes: [150, 260], chance: 0.85 },
    ],
  },
  {
    ...base,
    key: 'island-hiker',
    title: ['Island', 'Hiker'],
    zone: 'America/St_Johns',
    device: 'Ridge 6',
    resting_heart_rate_bpm: 60,
    max_heart_rate_bpm: 170,
    hrv_rmssd_ms: 33,
    weight_kg: 74,
    height_cm: 172,
    age_years: 55,
    vo2_max: 37,
    nap_chance: 0.25,
    rhythm: {
      kind: 'weekdays',
      bed: clock(21, 50),
      wake: clock(6),
      lie_in_minutes: 20,
      work: [clock(8, 30), clock(15, 30)],
    },
    commute: { minutes: 12, by: 'foot' },
    work_on_feet: 0.4,
    routines: [
      { sport: 'walk', weekdays: [0, 1, 2, 3, 4], at: clock(16, 30), minutes: [35, 60], chance: 0.7 },
      { sport: 'hike', weekdays: [5, 6], at: clock(9), minutes: [150, 330], chance: 0.8 },
    ],
  },
  {
    ...base,
    key: 'half-day-wearer',
    title: ['Half-Day', 'Wearer'],
    zone: 'Australia/Adelaide',
    device: 'Band 4',
    resting_heart_rate_bpm: 66,
    max_heart_rate_bpm: 178,
    hrv_rmssd_ms: 29,
    weight_kg: 92,
    height_cm: 176,
    age_years: 47,
    vo2_max: 33,
    rhythm: {
      kind: 'weekdays',
      bed: clock(23, 20),
      wake: clock(7, 10),
      lie_in_minutes: 80,
      work: [clock(9), clock(17, 30)],
    },
    commute: { minutes: 35, by: 'wheels' },
    work_on_feet: 0.1,
    wears: [clock(8, 15), clock(20, 30)],
    routines: [{ sport: 'walk', weekdays: [0, 2, 6], at: clock(18, 40), minutes: [25, 50], chance: 0.6 }],
  },
  {
    ...base,
    key: 'twice-connected-swimmer',
    title: ['Twice-Connected', 'Swimmer'],
    zone: 'Europe/Lisbon',
    device: 'Lane 3',
    resting_heart_rate_bpm: 54,
    max_heart_rate_bpm: 184,
    hrv_rmssd_ms: 51,
    weight_kg: 66,
    height_cm: 174,
    age_years: 37,
    vo2_max: 47,
    uploads_workouts: true,
    owns_scale: true,
    rhythm: {
      kind: 'weekdays',
      bed: clock(23),
      wake: clock(7),
      lie_in_minutes: 60,
      work: [clock(9, 30), clock(18)],
    },
    commute: { minutes: 15, by: 'foot' },
    work_on_feet: 0.3,
    routines: [
      { sport: 'swim', weekdays: [0, 2, 4], at: clock(18, 50), minutes: [40, 65], chance: 0.85 },
      { sport: 'row', weekdays: [1], at: clock(19), minutes: [30, 45], chance: 0.7 },
      { sport: 'run', weekdays: [5], at: clock(9, 40), minutes: [40, 70], chance: 0.8 },
    ],
  },
];

/** A user with traits. All random streams of the user are derived from `seed`. */
export interface SimulatedUser {
  readonly traits: Traits;
  readonly seed: string;
  /** The user's id in the application that holds the API key. */
  readonly external_user_id: string;
  /** The id of the user's accounts at providers without another form of ids. */
  readonly account_id: string;
}

/** The first `count` users of a seed. */
export function simulatedUsers(seed: string, count: number = userTraits.length): SimulatedUser[] {
  return userTraits.slice(0, count).map((traits, index) => userOf(seed, traits, index));
}

/** A user of a seed. Users after those of the table repeat their traits, with days of their own. */
export function simulatedUserAt(seed: string, index: number): SimulatedUser {
  const round = Math.floor(index / userTraits.length);
  const like = userTraits[index % userTraits.length] ?? userTraits[0];
  if (like === undefined) throw new Error('the table of users is empty');
  if (round === 0) return userOf(seed, like, index);
  const [first, second] = like.title;
  const title = [first, `${second} ${round + 1}`] as const;
  return userOf(seed, { ...like, key: `${like.key}-${round + 1}`, title }, index);
}

function userOf(seed: string, traits: Traits, index: number): SimulatedUser {
  const own = `${seed}/${traits.key}`;
  return { traits, seed: own, external_user_id: `sandbox-${index + 1}`, account_id: accountOf(own) };
}

function accountOf(seed: string): string {
  return [1, 2, 3, 4].map((part) => hashOf(`${seed}/${part}`).toString(16).padStart(8, '0')).join('');
}
