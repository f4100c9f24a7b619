/**
 * The sports, one row each. `effort` is the part of the heart rate reserve that a usual workout needs;
 * it varies by `wave` once in `wave_minutes` (hills, sets, lengths).
 */
export interface Sport {
  /** The name of a workout, which follows the time of day. */
  readonly noun: string;
  readonly effort: number;
  readonly wave: number;
  readonly wave_minutes: number;
  /** Energy at the usual effort, in multiples of rest. */
  readonly met: number;
  readonly steps_per_minute: number;
  /** Speed at the usual effort; 0 for stationary sports. */
  readonly speed_m_per_s: number;
  readonly climb_m_per_km: number;
  /** The distance is walked or run, and part of the day's distance. */
  readonly on_foot: boolean;
  /** Revolutions of the crank or strokes per minute. */
  readonly cadence?: { readonly of: 'crank' | 'arm'; readonly rpm: number };
}

const still = { steps_per_minute: 0, speed_m_per_s: 0, climb_m_per_km: 0, on_foot: false };
const wheels = { of: 'crank', rpm: 84 } as const;

/** The sports by name. */
const sports = {
  run: {
    noun: 'Run',
    effort: 0.73,
    wave: 0.05,
    wave_minutes: 11,
    met: 9.8,
    steps_per_minute: 166,
    speed_m_per_s: 2.95,
    climb_m_per_km: 7,
    on_foot: true,
  },
  intervals: {
    noun: 'Intervals',
    effort: 0.76,
    wave: 0.16,
    wave_minutes: 5,
    met: 11,
    steps_per_minute: 172,
    speed_m_per_s: 3.25,
    climb_m_per_km: 1,
    on_foot: true,
  },
  ride: {
    noun: 'Ride',
    effort: 0.62,
    wave: 0.1,
    wave_minutes: 13,
    met: 8,
    steps_per_minute: 0,
    speed_m_per_s: 7.6,
    climb_m_per_km: 9,
    on_foot: false,
    cadence: wheels,
  },
  indoor_ride: {
    noun: 'Indoor Ride',
    effort: 0.68,
    wave: 0.09,
    wave_minutes: 6,
    met: 8.5,
    steps_per_minute: 0,
    speed_m_per_s: 8.2,
    climb_m_per_km: 0,
    on_foot: false,
    cadence: wheels,
  },
  swim: {
    noun: 'Swim',
    effort: 0.6,
    wave: 0.07,
    wave_minutes: 4,
    met: 8,
    steps_per_minute: 0,
    speed_m_per_s: 0.85,
    climb_m_per_km: 0,
    on_foot: false,
    cadence: { of: 'arm', rpm: 27 },
  },
  hike: {
    noun: 'Hike',
    effort: 0.46,
    wave: 0.1,
    wave_minutes: 25,
    met: 6.3,
    steps_per_minute: 98,
    speed_m_per_s: 1.15,
    climb_m_per_km: 55,
    on_foot: true,
  },
  walk: {
    noun: 'Walk',
    effort: 0.32,
    wave: 0.03,
    wave_minutes: 15,
    met: 4.3,
    steps_per_minute: 112,
    speed_m_per_s: 1.4,
    climb_m_per_km: 5,
    on_foot: true,
  },
  strength: {
    ...still,
    noun: 'Strength',
    effort: 0.42,
    wave: 0.16,
    wave_minutes: 4,
    met: 5,
    steps_per_minute: 9,
  },
  yoga: {
    ...still,
    noun: 'Yoga',
    effort: 0.19,
    wave: 0.05,
    wave_minutes: 8,
    met: 2.8,
  },
  row: {
    ...still,
    noun: 'Row',
    effort: 0.7,
    wave: 0.06,
    wave_minutes: 7,
    met: 8.5,
    speed_m_per_s: 3.6,
  },
} as const satisfies Record<string, Sport>;

/** The name of a sport of the table. */
export type SportName = keyof typeof sports;

/** A row of the table. */
export function sportOf(name: SportName): Sport {
  return sports[name];
}
