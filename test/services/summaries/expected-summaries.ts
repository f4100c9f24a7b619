import type { ActivitySummary, SleepSummary } from '../../../contracts/summaries/schemas.ts';
import type { DataDaily, DataEpoch, DataSample, DataSleep, DataWorkout, UserData } from './user-data.ts';

/** Summaries computed directly from the lists of user data, by the documented rules. */
const providers = ['devicemaker', 'activitynet'] as const; // the most trusted first

function dateOf(ms: number, offset: number): string {
  return new Date(ms + offset * 60_000).toISOString().slice(0, 10);
}

/** The daily records that count: of those with the same start the longest. */
function recordsOf({ dailies }: UserData): DataDaily[] {
  return dailies.filter(
    (one) => !dailies.some((other) => other.startMs === one.startMs && other.seconds > one.seconds),
  );
}

/** The local day of an instant: that of its provider's daily record, of several the later one, otherwise by its own offset. */
function dayOf(
  life: UserData,
  { provider, ms, offset }: Pick<DataSample, 'provider' | 'ms' | 'offset'>,
): string {
  const covering = recordsOf(life)
    .filter((one) => provider === 'devicemaker' && ms >= one.startMs && ms < one.startMs + one.seconds * 1000)
    .sort((a, b) => b.startMs - a.startMs);
  return covering[0]?.date ?? dateOf(ms, offset);
}

/**
 * The parts of slots that count: of one activity type the last that differs from the one before, of several types the
 * newest that have room in the slot.
 */
function countedEpochs({ epochs }: UserData): DataEpoch[] {
  return [...Map.groupBy(epochs, ({ startMs }) => startMs).values()].flatMap((deliveries) => {
    const versions = new Map<string, DataEpoch>();
    for (const one of deliveries) {
      if (JSON.stringify(versions.get(one.type)) === JSON.stringify(one)) continue;
      versions.delete(one.type);
      versions.set(one.type, one);
    }
    const [newest, ...older] = [...versions.values()].reverse();
    const counted = newest === undefined ? [] : [newest];
    for (const one of older)
      if (sum(counted.map(({ active }) => active)) + one.active <= one.seconds) counted.push(one);
    return counted;
  });
}

/** The sums of the parts of each slot. */
function slotSamplesOf(life: UserData): DataSample[] {
  const slots = Map.groupBy(countedEpochs(life), ({ startMs }) => startMs);
  return [...slots].flatMap(([ms, parts]) => {
    const from = { provider: 'devicemaker' as const, device: 'Watch 7', ms, offset: parts[0]?.offset ?? 0 };
    return [
      { ...from, type: 'steps' as const, value: sum(parts.map(({ steps }) => steps)) },
      { ...from, type: 'energy' as const, value: sum(parts.map(({ kcal }) => kcal)) },
      { ...from, type: 'distance_walking_running' as const, value: sum(parts.map(({ meters }) => meters)) },
    ];
  });
}

/** All samples of user data, including those within other records. */
function samplesOf(life: UserData): DataSample[] {
  const { samples, dailies, sleeps } = life;
  const all = [...samples, ...slotSamplesOf(life)];
  const from = { provider: 'devicemaker' as const };
  for (const { beats, startMs, device, offset } of dailies.filter((one) => recordsOf(life).includes(one)))
    for (const [after, value] of beats)
      all.push({ ...from, device, offset, type: 'heart_rate', ms: startMs + after * 1000, value });
  for (const { oxygen, breaths, startMs, device, offset } of sleeps) {
    for (const [after, value] of oxygen)
      all.push({ ...from, device, offset, type: 'oxygen_saturation', ms: startMs + after * 1000, value });
    for (const [after, value] of breaths)
      all.push({ ...from, device, offset, type: 'respiratory_rate', ms: startMs + after * 1000, value });
  }
  return all;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const minutes = (seconds: number | null) => (seconds === null ? null : Math.floor(seconds / 60));
const shownTypes = [
  'steps',
  'flights_climbed',
  'energy',
  'exercise_time',
  'heart_rate',
  'distance_walking_running',
  'distance_cycling',
];

interface Told {
  readonly provider: string;
  readonly device: string;
  readonly value: number;
}

/** Workouts of a provider, those together that several of its devices recorded at once. */
function ridesOf(workouts: readonly DataWorkout[]): DataWorkout[][] {
  const rides: DataWorkout[][] = [];
  for (const one of workouts) {
    const same = rides.filter((ride) => ride.some((other) => isSameRide(one, other)));
    for (const ride of same) rides.splice(rides.indexOf(ride), 1);
    rides.push([...same.flat(), one]);
  }
  return rides;
}

function isSameRide(a: DataWorkout, b: DataWorkout): boolean {
  const end = ({ startMs, seconds }: DataWorkout) => startMs + seconds * 1000;
  const shared = Math.min(end(a), end(b)) - Math.max(a.startMs, b.startMs);
  return a.device !== b.device && shared > 0 && shared >= 500 * Math.min(a.seconds, b.seconds);
}

/** The values of one provider for a day, in the order of the answer. */
function tellings(life: UserData, date: string, provider: (typeof providers)[number]) {
  const dailies = provider === 'devicemaker' ? recordsOf(life).filter((one) => one.date === date) : [];
  const samples = samplesOf(life).filter((one) => one.provider === provider && dayOf(life, one) === date);
  const rides = ridesOf(life.workouts.filter((one) => one.provider === provider)).filter(
    ([first]) => first !== undefined && dayOf(life, { ...first, ms: first.startMs }) === date,
  );
  const workouts = rides.flat();
  const longestDaily = [...dailies].sort((a, b) => b.seconds - a.seconds)[0];
  const longestWorkout = [...workouts].sort((a, b) => b.seconds - a.seconds || a.startMs - b.startMs)[0];
  const total = (...fields: string[]): Told | null => {
    for (const field of fields) {
      const values = dailies.flatMap(({ totals }) => totals[field] ?? []);
      if (values.length > 0) return { provider, device: longestDaily?.device ?? '', value: sum(values) };
    }
    return null;
  };
  const measured = (...types: string[]): Told | null => {
    const matching = samples.filter(({ type }) => types.includes(type));
    const perDevice = [...new Set(matching.map(({ device }) => device))].sort().map((device) => ({
      provider,
      device,
      value: sum(matching.filter((one) => one.device === device).map(({ value }) => value)),
    }));
    return perDevice.reduce<Told | null>((a, b) => (a === null || b.value > a.value ? b : a), null);
  };
  const trained = (read: (workout: DataWorkout) => number | undefined): Told | null => {
    const values = rides.flatMap((recordings) => {
      const byDevice = [...Map.groupBy(recordings, ({ device }) => device).values()];
      const sums = byDevice
        .map((own) => own.flatMap((one) => read(one) ?? []))
        .filter((own) => own.length > 0);
      return sums.length === 0 ? [] : [Math.max(...sums.map(sum))];
    });
    return values.length === 0
      ? null
      : { provider, device: longestWorkout?.device ?? '', value: sum(values) };
  };
  const beats = samples.filter(({ type }) => type === 'heart_rate');
  const worn = [...new Set(beats.map(({ device }) => device))].sort();
  const countOn = (device: string) => beats.filter((one) => one.device === device).length;
  const fullest = worn.reduce<string | null>((a, b) => (a === null || countOn(b) > countOn(a) ? b : a), null);
  const heart = (of: (values: number[]) => number): Told | null =>
    fullest === null
      ? null
      : {
          provider,
          device: fullest,
          value: of(beats.filter((one) => one.device === fullest).map(({ value }) => value)),
        };
  const active = total('activeKilocalories') ?? measured('energy') ?? trained(({ kcal }) => kcal);
  const basal = total('bmrKilocalories') ?? measured('basal_energy');
  const exercise = measured('exercise_time');
  return {
    isThere: dailies.length + workouts.length > 0 || samples.some(({ type }) => shownTypes.includes(type)),
    anyDevice: longestDaily?.device ?? samples[0]?.device ?? longestWorkout?.device ?? '',
    steps: total('steps') ?? measured('steps') ?? trained(({ steps }) => steps),
    distance:
      total('distanceInMeters') ??
      measured('distance_walking_running', 'distance_cycling') ??
      trained(({ meters }) => meters),
    floors: total('floorsClimbed') ?? measured('flights_climbed'),
    elevation: trained(({ climbed }) => climbed),
    active,
    energy: active === null || basal === null ? null : { ...active, value: active.value + basal.value },
    seconds:
      total('activeTimeInSeconds') ??
      (exercise === null ? null : { ...exercise, value: exercise.value * 60 }) ??
      trained(({ seconds }) => seconds),
    sedentary: provider === 'devicemaker' ? sedentaryOn(life, date) : null,
    moderate: total('moderateIntensityDurationInSeconds'),
    vigorous: total('vigorousIntensityDurationInSeconds'),
    average: heart(mean) ?? total('averageHeartRateInBeatsPerMinute'),
    highest: total('maxHeartRateInBeatsPerMinute') ?? heart((values) => Math.max(...values)),
    lowest: total('minHeartRateInBeatsPerMinute') ?? heart((values) => Math.min(...values)),
  };
}

/** The time of sedentary parts of slots; 0 where a day has none but other parts. */
function sedentaryOn(life: UserData, date: string): Told | null {
  const provider = 'devicemaker';
  const parts = countedEpochs(life).filter(
    (one) => dayOf(life, { provider, ...one, ms: one.startMs }) === date,
  );
  const seated = parts.map(({ type, active }) => (type === 'SEDENTARY' ? active : 0));
  return parts.length === 0 ? null : { provider, device: 'Watch 7', value: sum(seated) };
}

/** The dates with any activity, sorted. */
function activeDates(life: UserData): string[] {
  const dates = [
    ...life.dailies.map(({ date }) => date),
    ...life.workouts.map((one) => dayOf(life, { ...one, ms: one.startMs })),
    ...samplesOf(life)
      .filter(({ type }) => shownTypes.includes(type))
      .map((one) => dayOf(life, one)),
  ];
  return [...new Set(dates)].sort();
}

/** The expected activity summaries between two dates. */
export function expectedActivity(life: UserData, first: string, last: string): ActivitySummary[] {
  return activeDates(life)
    .filter((date) => date >= first && date <= last)
    .map((date) => {
      const told = providers.map((provider) => ({ provider, ...tellings(life, date, provider) }));
      type Field = Exclude<keyof (typeof told)[number], 'isThere' | 'anyDevice' | 'provider'>;
      const most = (field: Field) =>
        told
          .map((one) => one[field])
          .reduce((a, b) => (b === null || (a !== null && a.value >= b.value) ? a : b));
      const best = (field: Field) => told.map((one) => one[field]).find((one) => one !== null) ?? null;
      const shown = {
        steps: most('steps'),
        distance: most('distance'),
        floors: most('floors'),
        elevation: most('elevation'),
        active: most('active'),
        energy: most('energy'),
        seconds: most('seconds'),
        sedentary: most('sedentary'),
        moderate: most('moderate'),
        vigorous: most('vigorous'),
        average: best('average'),
        highest: best('highest'),
        lowest: best('lowest'),
      };
      const named = Object.values(shown).find((one) => one !== null);
      const fallback = told.find(({ isThere }) => isThere);
      const value = (one: Told | null) => one?.value ?? null;
      const whole = (one: Told | null) => (one === null ? null : Math.round(one.value));
      const light =
        shown.seconds === null || shown.moderate === null || shown.vigorous === null
          ? null
          : Math.max(0, shown.seconds.value - shown.moderate.value - shown.vigorous.value);
      return {
        date,
        source: {
          provider: named?.provider ?? fallback?.provider ?? '',
          device: named?.device ?? fallback?.anyDevice ?? '',
        },
        steps: whole(shown.steps),
        distance_meters: value(shown.distance),
        floors_climbed: whole(shown.floors),
        elevation_meters: value(shown.elevation),
        active_calories_kcal: value(shown.active),
        total_calories_kcal: value(shown.energy),
        active_minutes: minutes(value(shown.seconds)),
        sedentary_minutes: minutes(value(shown.sedentary)),
        intensity_minutes: {
          light: minutes(light),
          moderate: minutes(value(shown.moderate)),
          vigorous: minutes(value(shown.vigorous)),
        },
        heart_rate: {
          avg_bpm: whole(shown.average),
          max_bpm: whole(shown.highest),
          min_bpm: whole(shown.lowest),
        },
      };
    });
}

const asleepOf = ({ deep, light, rem }: DataSleep) => deep + light + rem;
const awakeOf = ({ awake }: DataSleep) => sum(awake.map(([, length]) => length));
const endOf = (sleep: DataSleep) => sleep.startMs + (asleepOf(sleep) + awakeOf(sleep)) * 1000;

/** The expected sleep summaries between two dates. */
export function expectedSleep(life: UserData, first: string, last: string): SleepSummary[] {
  const mains = life.sleeps.filter((sleep) => asleepOf(sleep) > 0);
  const naps = life.sleeps.flatMap(({ naps, offset, device }) =>
    naps.map((nap) => ({ ...nap, device, date: dateOf(nap.startMs + nap.seconds * 1000, offset) })),
  );
  const dates = new Set([...mains, ...naps].map(({ date }) => date));
  const samples = samplesOf(life);
  return [...dates]
    .filter((date) => date >= first && date <= last)
    .sort()
    .map((date) => {
      const parts = mains.filter((one) => one.date === date).sort((a, b) => a.startMs - b.startMs);
      const dozes = naps.filter((one) => one.date === date);
      const within = (type: string) =>
        samples.filter(
          (one) => one.type === type && parts.some((part) => one.ms >= part.startMs && one.ms < endOf(part)),
        );
      const average = (type: string) => {
        const values = within(type).map(({ value }) => value);
        return values.length === 0 ? null : mean(values);
      };
      const hundredths = (value: number | null) => (value === null ? null : Math.round(value * 100) / 100);
      const added = (read: (part: DataSleep) => number) => (parts.length === 0 ? null : sum(parts.map(read)));
      const inBed = added((part) => (endOf(part) - part.startMs) / 1000);
      const asleep = added(asleepOf);
      const [start] = parts;
      const end = parts.at(-1);
      const iso = (ms: number) => `${new Date(ms).toISOString().slice(0, 19)}Z`;
      const beats = average('heart_rate');
      return {
        date,
        source: { provider: 'devicemaker', device: parts[0]?.device ?? dozes[0]?.device ?? '' },
        start_time: start === undefined ? null : iso(start.startMs),
        end_time: end === undefined ? null : iso(endOf(end)),
        duration_minutes: minutes(asleep),
        time_in_bed_minutes: minutes(inBed),
        efficiency_percent: asleep === null || inBed === null ? null : hundredths((asleep / inBed) * 100),
        stages: {
          awake_minutes: minutes(added(awakeOf)),
          light_minutes: minutes(added(({ light }) => light)),
          deep_minutes: minutes(added(({ deep }) => deep)),
          rem_minutes: minutes(added(({ rem }) => rem)),
        },
        interruptions_count:
          parts.length === 0 ? null : sum(parts.map(({ awake }) => awake.length)) + parts.length - 1,
        nap_count: dozes.length,
        nap_duration_minutes: Math.floor(sum(dozes.map(({ seconds }) => seconds)) / 60),
        avg_heart_rate_bpm: beats === null ? null : Math.round(beats),
        avg_hrv_sdnn_ms: hundredths(average('heart_rate_variability_sdnn')),
        avg_respiratory_rate: hundredths(average('respiratory_rate')),
        avg_spo2_percent: hundredths(average('oxygen_saturation')),
      };
    });
}
