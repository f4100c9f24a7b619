/** Values of one user that are planted in every way that data comes in. Each is long enough to be no coincidence. */
export interface Planted {
  readonly former: UserFields;
  readonly current: UserFields;
  readonly accounts: { readonly former: string; readonly devicemaker: string; readonly activitynet: string };
  readonly tokens: { readonly access: string; readonly refresh: string };
  readonly devices: { readonly watch: string; readonly bicycle: string };
  /** Of activities at both providers. */
  readonly activities: { readonly run: string; readonly ride: string };
  readonly workouts: { readonly run: string; readonly ride: string; readonly title: string };
  /** Health values with more digits than any measurement has. */
  readonly health: Health;
}

interface UserFields {
  readonly first_name: string;
  readonly last_name: string;
  readonly email: string;
  readonly external_user_id: string;
}

interface Health {
  readonly grams: number;
  readonly vo2: number;
  readonly runMeters: number;
  readonly rideMeters: number;
  readonly fat: number;
  readonly malformed: number;
  readonly waiting: number;
  readonly phase: string;
}

/** Values that are of this user only. */
export function plantedFor(mark: string, digit: number): Planted {
  const user = (when: string): UserFields => ({
    first_name: `First${when}${mark}`,
    last_name: `Last${when}${mark}`,
    email: `${when}.${mark}@example.com`,
    external_user_id: `crm-${when}-${mark}`,
  });
  return {
    former: user('former'),
    current: user('current'),
    accounts: {
      former: `account-former-${mark}`,
      devicemaker: `account-current-${mark}`,
      activitynet: `42949672${digit}7003`,
    },
    tokens: { access: `token-access-${mark}`, refresh: `token-refresh-${mark}` },
    devices: { watch: `Watch of ${mark}`, bicycle: `Bicycle of ${mark}` },
    activities: { run: `7310${digit}42881`, ride: `8420${digit}53992` },
    workouts: { run: `Run of ${mark}`, ride: `Ride of ${mark}`, title: `Title of ${mark}` },
    health: {
      grams: 93_217.4319 + digit,
      vo2: 47.23198717 + digit,
      runMeters: 10_432.71839 + digit,
      rideMeters: 28_123.465719 + digit,
      fat: 18.27364591 + digit,
      malformed: 61.72839401 + digit,
      waiting: 77.18293647 + digit,
      phase: `PHASE_${mark.toUpperCase()}`,
    },
  };
}

/** All of them as texts, in the forms in which they are written. */
export function textsOf(planted: Planted): string[] {
  const { health, ...texts } = planted;
  const { phase, ...numbers } = health;
  return [
    ...Object.values(texts).flatMap((group): string[] => Object.values(group)),
    phase,
    ...Object.values(numbers).map(String),
    String(health.grams / 1000),
  ];
}
