import { withMethod } from '../../../domain/records/recording-method.ts';
import type { ScoreKind } from '../../../domain/records/scores.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import type { ProviderName } from '../../../providers/all.ts';
import { textOf } from './cells.ts';
import type { SourceRow } from './rows.ts';

/*
 * What the live path of a provider calls its devices and its items. A record that is moved has the name and the key that the provider's
 * own item has: when the provider sends it again, it is the same record. docs/move-in-records.md has the table.
 */

/** What decides the key of a record. */
export interface KeyParts {
  readonly external_id: string | null;
  readonly start_ms: number;
  /** The local day, of a night that on which it ends. */
  readonly date: string | null;
}

/** The items of a kind of record. */
export interface LiveItems {
  readonly data_type: string;
  /** Null: the source does not have the key. */
  readonly keyOf: (parts: KeyParts) => string | null;
}

/** Our names of series by the codes that differ. */
export const seriesNames: Readonly<Record<string, SeriesType>> = {
  active_energy: 'energy',
  nike_fuel: 'sportswear_fuel',
  garmin_stress_level: 'devicemaker_stress_level',
  garmin_skin_temperature: 'devicemaker_skin_temperature',
  garmin_fitness_age: 'devicemaker_fitness_age',
  garmin_body_battery: 'devicemaker_body_battery',
  withings_pulse_wave_velocity: 'pulse_wave_velocity',
  withings_metabolic_age: 'metabolic_age',
};

/** A provider of theirs as ours. */
export interface MovedProvider {
  readonly provider: ProviderName;
  /** Codes whose values the live path of the provider stores in another series: the same value sent again is the same sample. */
  readonly series: Readonly<Record<string, SeriesType>>;
  /** The device of samples of a type. */
  readonly sampleDevice: (source: SourceRow, type: SeriesType) => string;
  readonly workoutDevice: (source: SourceRow) => string;
  readonly sleepDevice: (source: SourceRow) => string;
  readonly dayDevice: (source: SourceRow) => string;
  readonly workouts: LiveItems;
  readonly sleeps: LiveItems;
  readonly days: LiveItems;
  readonly cycles: LiveItems;
  /** The data types of scores, where the provider lists them again. */
  readonly scores: Readonly<Partial<Record<ScoreKind, string>>>;
}

/** The data type of what has no item at its provider. */
export const movedType = 'moved';

const noKey = (): null => null;
const external = ({ external_id }: KeyParts) => external_id;
const ofDate = ({ date }: KeyParts) => date;
const ofStart = ({ start_ms }: KeyParts) => String(start_ms / 1000);
const unnamed: LiveItems = { data_type: movedType, keyOf: noKey };
const items = (data_type: string, keyOf: LiveItems['keyOf'] = noKey): LiveItems => ({ data_type, keyOf });

const unknown = 'unknown';
const controls = /\p{Cc}/gu;
const nameOf = (text: string | null | undefined): string | null =>
  textOf(text?.replaceAll(controls, ''), 100);

/** The model that the source names, unless that is the name of the provider: it stands for none. */
const modelOr =
  (none: string, ...names: readonly string[]) =>
  ({ device_model }: SourceRow): string => {
    const model = nameOf(device_model);
    return model === null || names.includes(model.toLowerCase()) ? none : model;
  };

type Devices = Pick<MovedProvider, 'sampleDevice' | 'workoutDevice' | 'sleepDevice' | 'dayDevice'>;
const devices = (
  sampleDevice: MovedProvider['sampleDevice'],
  workoutDevice: MovedProvider['workoutDevice'] = (source) => sampleDevice(source, 'heart_rate'),
  sleepDevice = workoutDevice,
  dayDevice = workoutDevice,
): Devices => ({ sampleDevice, workoutDevice, sleepDevice, dayDevice });

/** Devices that have one name, and those of some types another one. */
const named = (usual: string, of: Readonly<Partial<Record<SeriesType, string>>> = {}) => {
  return (_: SourceRow, type: SeriesType): string => of[type] ?? usual;
};
const fixed = (name: string) => (): string => name;

const bare = {
  series: {},
  workouts: unnamed,
  sleeps: unnamed,
  days: unnamed,
  cycles: unnamed,
  scores: {},
} as const satisfies Partial<MovedProvider>;

const garminDevice = modelOr(unknown, 'garmin');
const garmin: MovedProvider = {
  ...bare,
  provider: 'devicemaker',
  series: {
    air_temperature: 'weather_temperature',
    skin_temperature_deviation: 'devicemaker_skin_temperature',
  },
  ...devices(garminDevice),
  workouts: items('activities', external),
  sleeps: items('sleeps', ofStart),
  days: items('dailies', ofStart),
  cycles: items('mct', ofDate),
};

const strava: MovedProvider = {
  ...bare,
  provider: 'activitynet',
  ...devices(modelOr(unknown, 'strava')),
  workouts: items('activities', external),
};

const asleep = 'Oura Ring, asleep';
const oura: MovedProvider = {
  ...bare,
  provider: 'oura',
  ...devices(
    named('Oura Ring', {
      heart_rate_variability_rmssd: asleep,
      resting_heart_rate: asleep,
      respiratory_rate: asleep,
    }),
    fixed('Oura Ring'),
    fixed(asleep),
  ),
  workouts: items('workout', external),
  sleeps: items('sleep', external),
  days: items('daily_activity'),
  scores: { sleep: 'daily_sleep', readiness: 'daily_readiness', activity: 'daily_activity' },
};

const whoop: MovedProvider = {
  ...bare,
  provider: 'whoop',
  ...devices(named('WHOOP')),
  workouts: items('workout', external),
  sleeps: items('sleep', external),
  scores: { recovery: 'recovery', strain: 'cycle' },
};

const recharge = 'Polar Nightly Recharge';
const polar: MovedProvider = {
  ...bare,
  provider: 'polar',
  ...devices(
    named('Polar', {
      heart_rate: 'Polar continuous heart rate',
      heart_rate_variability_rmssd: recharge,
      respiratory_rate: recharge,
    }),
    modelOr('Polar', 'polar'),
    fixed('Polar sleep'),
    fixed('Polar'),
  ),
  workouts: items('activities', external),
  sleeps: items('sleep', ofDate),
  days: items('days', ofDate),
};

const suunto: MovedProvider = {
  ...bare,
  provider: 'suunto',
  ...devices(named('Suunto'), modelOr('Suunto', 'suunto'), fixed('Suunto'), fixed('Suunto')),
  // The live key is `workoutKey`, and their id is `workoutId`.
  workouts: items('workout'),
  sleeps: items('sleep', external),
  scores: { recovery: 'recovery' },
};

const ultrahuman: MovedProvider = {
  ...bare,
  provider: 'ultrahuman',
  series: { skin_temperature_deviation: 'devicemaker_skin_temperature' },
  ...devices(named('Ultrahuman Ring')),
  sleeps: items('metrics', ({ external_id, date }) => {
    const day = external_id ?? date;
    return day === null ? null : `${day} night`;
  }),
  days: items('metrics', ofDate),
};

const ofGoogle: MovedProvider = {
  ...bare,
  provider: 'googlehealth',
  ...devices(modelOr(unknown)),
  workouts: items('exercise', external),
  sleeps: items('sleep', external),
};

// Records of Fitbit have ids of its former API.
const fitbit: MovedProvider = { ...ofGoogle, workouts: items('exercise'), sleeps: items('sleep') };

const withings: MovedProvider = {
  ...bare,
  provider: 'withings',
  ...devices(modelOr(unknown, 'withings')),
  workouts: items('workouts', external),
  sleeps: items('sleep', external),
};

/** Names of the device itself, and of the apps of its maker. */
const ownName = /^com\.(apple|samsung|sec)\.|^apple inc|^health$|iphone|ipad|apple watch|samsung|galaxy/i;

/** The name that phone-ingest gives a device, which has that of another app behind it. */
function phoneDevice({ device_model, original_source_name, source }: SourceRow): string {
  const [model, writer] = [nameOf(device_model), nameOf(original_source_name) ?? nameOf(source)];
  if (model === null) return writer ?? unknown;
  if (writer === null || ownName.test(writer)) return model;
  return `${model} (${writer})`.slice(0, 100).toWellFormed();
}

const phone: MovedProvider = {
  ...bare,
  provider: 'phone',
  ...devices((source) => {
    const device = phoneDevice(source);
    return source.device_type === 'manual' ? withMethod(device, 'manual') : device;
  }, phoneDevice),
  workouts: items('workouts', external),
  // The key of a night is one that phone-ingest makes.
  sleeps: items('sleep'),
};

/** The providers of theirs that are one of ours. Google has two: see `providerOf`. */
const providers: ReadonlyMap<string, MovedProvider> = new Map([
  ['garmin', garmin],
  ['strava', strava],
  ['oura', oura],
  ['whoop', whoop],
  ['polar', polar],
  ['suunto', suunto],
  ['ultrahuman', ultrahuman],
  ['fitbit', fitbit],
  ['withings', withings],
  ['apple', phone],
  ['samsung', phone],
  ['health_connect', phone],
  ['google_health', ofGoogle],
]);

/**
 * The provider of a source. What `google` has of its API is of Google Health, all else is of Health Connect, which a phone uploads.
 * Null: we have no such provider.
 */
export function providerOf({
  provider,
  source,
}: Pick<SourceRow, 'provider' | 'source'>): MovedProvider | null {
  const name = provider?.toLowerCase() ?? '';
  if (name === 'google') return /health_api/i.test(source ?? '') ? ofGoogle : phone;
  return providers.get(name) ?? null;
}

/** The data type and the key of a record. A record whose key is unknown has one of its id. */
export function itemName(
  { data_type, keyOf }: LiveItems,
  parts: KeyParts,
  id: string,
): { readonly data_type: string; readonly key: string } {
  const key = textOf(keyOf(parts), 200);
  return { data_type, key: key ?? `${movedType} ${id}` };
}
