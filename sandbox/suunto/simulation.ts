import { isoTime } from '../../domain/time/time.ts';
import type { SimulatedDay } from '../day-simulation/day.ts';
import { heartRateEveryMs } from '../day-simulation/heart-rate.ts';
import { stageTotals } from '../day-simulation/night.ts';
import { hrvAt, spo2At } from '../day-simulation/strain.ts';
import type {
  DayChanges,
  ListedAccount,
  ListedKind,
  ListedRecord,
  ListedRoute,
  ListedSpec,
  ListedWorld,
} from '../listed/listed.ts';
import { failure, recordsIn, spanOf, tokenPage } from '../listed/records.ts';
import { listedSimulation } from '../listed/simulation.ts';
import { type HttpRequest, ok, type Reply } from '../server/http.ts';
import { hashOf } from '../simulation/random.ts';

const [minuteMs, dayMs] = [60_000, 86_400_000];
const slotMs = 10 * minuteMs;

/** A time with the offset of the user's clock. */
function localTime(ms: number, offsetMinutes: number): string {
  const two = (value: number) => String(value).padStart(2, '0');
  const all = Math.abs(offsetMinutes);
  const zone = `${offsetMinutes < 0 ? '-' : '+'}${two(Math.floor(all / 60))}:${two(all % 60)}`;
  return `${isoTime(ms + offsetMinutes * minuteMs).replace('Z', '')}${zone}`;
}

/** The id of a workout begins with the time of its start. */
const workoutKeyOf = ({ user }: SimulatedDay, startMs: number): string =>
  `${startMs.toString(16).padStart(12, '0')}${hashOf(`${user.seed}/${startMs}`).toString(16).padStart(12, '0')}`;
const sports: Readonly<Record<string, number>> = { running: 1, ride: 2, walk: 0, hike: 11, swim: 21 };

function workoutsOf(day: SimulatedDay, { versionOf, recorded }: DayChanges): ListedRecord[] {
  const planned = day.workouts.map((one) => ({ ...one, sport: one.plan.sport }));
  const added = recorded.map((one) => ({
    ...one,
    sport: 'running',
    avg_heart_rate_bpm: 140,
    max_heart_rate_bpm: 155,
  }));
  return [...planned, ...added].map(({ startMs, endMs, ...one }) => {
    const workoutKey = workoutKeyOf(day, startMs);
    const fields = {
      workoutKey,
      workoutId: hashOf(workoutKey),
      activityId: sports[one.sport] ?? 4,
      // A workout without a change is fresh: it has no end yet.
      startTime: startMs,
      ...(versionOf(workoutKey) === 0 ? {} : { stopTime: endMs }),
      totalTime: (endMs - startMs) / 1000,
      timeOffsetInMinutes: day.offset_minutes,
      totalDistance: 5000,
      energyConsumption: 410,
      hrdata: { workoutAvgHR: one.avg_heart_rate_bpm, workoutMaxHR: one.max_heart_rate_bpm, userMaxHR: 190 },
      gear: { manufacturer: 'Suunto', name: 'Suunto Race', swVersion: '2.35.34' },
    };
    return { id: workoutKey, startMs, endMs, availableMs: endMs, fields };
  });
}

function nightOf(day: SimulatedDay, { versionOf }: DayChanges): ListedRecord[] {
  if (day.sleep === null) return [];
  const { startMs, endMs, stages } = day.sleep;
  const id = String(startMs / 1000);
  const seconds = (ms: number) => Math.round(ms / 1000);
  const { deep, light, rem } = stageTotals(stages);
  const entryData = {
    SleepId: Number(id),
    BedtimeStart: localTime(startMs, day.offset_minutes),
    IsNap: false,
    BedtimeEnd: localTime(endMs, day.offset_minutes),
    SleepQualityScore: 80 + versionOf(id),
    // A night that is computed again is shorter.
    Duration: seconds(deep + light + rem) - 60 * versionOf(id),
    DeepSleepDuration: seconds(deep),
    LightSleepDuration: seconds(light),
    REMSleepDuration: seconds(rem),
    HRAvg: 0.9,
    HRMin: 0.8,
    AvgHRV: 48,
    MaxSpo2: 0.97,
  };
  const fields = { timestamp: localTime(endMs, day.offset_minutes), entryData };
  return [{ id, startMs, endMs, availableMs: endMs + 30 * minuteMs, fields }];
}

/** The samples of a day every `everyMs` while the device is worn. Null: there is none at that time. */
function samplesOf(
  day: SimulatedDay,
  everyMs: number,
  of: (ms: number) => Pick<ListedRecord, 'fields' | 'samples'> | null,
): ListedRecord[] {
  const records: ListedRecord[] = [];
  for (let ms = day.startMs; ms < day.endMs; ms += everyMs) {
    const made = of(ms);
    const { fields, samples = [] } = made ?? { fields: {} };
    const timed = { timestamp: localTime(ms, day.offset_minutes), entryData: fields };
    const span = { startMs: ms, endMs: ms + everyMs, availableMs: ms + everyMs };
    if (made !== null) records.push({ id: String(ms), ...span, fields: timed, samples });
  }
  return records;
}

const meanOf = (values: readonly number[]): number =>
  Math.round(values.reduce((sum, one) => sum + one, 0) / values.length);

function activityOf(day: SimulatedDay): ListedRecord[] {
  return samplesOf(day, slotMs, (ms) => {
    const at = (everyMs: number) => Math.round((ms - day.startMs) / everyMs);
    const minutes = day.minutes.slice(at(minuteMs), at(minuteMs) + 10);
    const from = at(heartRateEveryMs);
    const rates = day.heart_rates.slice(from, from + slotMs / heartRateEveryMs).filter((rate) => rate > 0);
    if (rates.length === 0 || minutes.some(({ worn }) => !worn)) return null;
    const [bpm, oxygen, hrv] = [meanOf(rates), spo2At(day.user, ms), hrvAt(day.user, ms)];
    const StepCount = minutes.reduce((sum, { steps }) => sum + steps, 0);
    const fields = { HR: bpm / 60, StepCount, SpO2: oxygen / 100, EnergyConsumption: 41_840, HRV: hrv };
    const samples = [
      ['heart_rate', ms, bpm],
      ['oxygen_saturation', ms, oxygen],
      ['heart_rate_variability_rmssd', ms, hrv],
    ] as const;
    return { fields, samples };
  });
}

const recoveryOf = (day: SimulatedDay): ListedRecord[] =>
  samplesOf(day, 3 * slotMs, (ms) => {
    const percent = 30 + (hashOf(`${day.user.seed}/balance/${ms}`) % 60);
    const fields = { Balance: percent / 100, StressState: 1 + (percent % 3) };
    return { fields, samples: [['recovery_score', ms, percent]] };
  });

const shared = { scope: '', device: 'Suunto' } as const;
const kinds: Readonly<Record<string, ListedKind>> = {
  workout: { ...shared, kind: 'workouts', of: workoutsOf, device: 'Suunto Race' },
  sleep: { ...shared, kind: 'sleeps', of: nightOf },
  activity: { ...shared, kind: 'other', of: activityOf },
  recovery: { ...shared, kind: 'other', of: recoveryOf },
};

const keyOf = (own: Parameters<ListedSpec['settings']>[2]): string => `key-${own.client.client_id}`;

// Workouts that changed since a time: those that ended since then.
function workoutPage(world: ListedWorld, account: ListedAccount, { query }: HttpRequest): Reply {
  const nowMs = world.clock.nowMs();
  const sinceMs = Number(query.get('since') ?? nowMs - dayMs);
  const found = recordsIn(world, account, 'workout', { startMs: sinceMs - 2 * dayMs, endMs: nowMs });
  const changed = found.filter(({ availableMs }) => availableMs >= sinceMs).toReversed();
  const { fields } = tokenPage(changed, query.get('offset'), Number(query.get('limit') ?? 50));
  return ok({ error: null, payload: fields, metadata: { workoutcount: String(changed.length) } });
}

function samplePage(world: ListedWorld, account: ListedAccount, kind: string, request: HttpRequest): Reply {
  const span = spanOf(request, 'from', 'to', 'ms');
  if (span === null || span.endMs - span.startMs > 28 * dayMs) return failure(400, 'invalid_span');
  return ok(recordsIn(world, account, kind, span).map(({ fields }) => fields));
}

function routes(world: ListedWorld): ListedRoute[] {
  const keyed = (path: string, handle: ListedRoute['handle']): ListedRoute => ({
    method: 'GET',
    path,
    scope: null,
    handle: (account, request) =>
      request.headers['ocp-apim-subscription-key'] === keyOf(world.own)
        ? handle(account, request)
        : failure(401, 'Access denied due to missing subscription key.'),
  });
  return [
    keyed('/v3/workouts/', (account, request) => workoutPage(world, account, request)),
    ...['sleep', 'activity', 'recovery'].map((kind) =>
      keyed(`/247samples/${kind}`, (account, request) => samplePage(world, account, kind, request)),
    ),
  ];
}

/** The events of samples contain their times, and those of a workout its start. There are none of deletions. */
const eventOf: ListedSpec['eventOf'] = ({ id: username }, { type, id, operation }) => {
  if (operation === 'delete') return null;
  if (type === 'workout') {
    const startTime = Number.parseInt(id.slice(0, 12), 16);
    return { type: 'WORKOUT_CREATED', username, workout: { workoutKey: id, startTime } };
  }
  const timestamp = isoTime(Number(id) * (type === 'sleep' ? 1000 : 1));
  const samples = [{ timestamp, entryData: {} }];
  return { type: `SUUNTO_247_${type.toUpperCase()}_CREATED`, username, samples };
};

const jsonPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** A maker of sports watches that lists workouts, nights and samples of all day. Its access tokens name the account. */
export const suunto = listedSimulation({
  name: 'suunto',
  title: 'Suunto',
  hasAccount: ({ key }) => key === 'power-cyclist',
  scopes: [],
  kinds,
  authorizePath: '/oauth/authorize',
  tokenPath: '/oauth/token',
  refresh: 'rotates',
  accessToken: ({ id }, random) =>
    `${jsonPart({ alg: 'RS256' })}.${jsonPart({ user: id, sub: `s${id}` })}.${random}`,
  settings: (base, { client_id, client_secret }, own) => ({
    SUUNTO_API_URL: base,
    SUUNTO_AUTHORIZE_URL: `${base}/oauth/authorize`,
    SUUNTO_TOKEN_URL: `${base}/oauth/token`,
    SUUNTO_CLIENT_ID: client_id,
    SUUNTO_CLIENT_SECRET: client_secret,
    SUUNTO_SUBSCRIPTION_KEY: keyOf(own),
    SUUNTO_NOTIFICATION_SECRET: own.secret,
    SUUNTO_REQUESTS_PER_MINUTE: '6000',
  }),
  eventOf,
  signature: { header: 'X-HMAC-SHA256-Signature', encoding: 'hex', with: 'own' },
  webhookPath: '/events',
  routes,
});
