import { ownValue } from '../../../domain/own-value.ts';
import {
  assumed,
  computed,
  decides,
  type FieldTable,
  kept,
  notKept,
} from '../../../domain/provider/field-table.ts';
import { type Item, isItem, numberOf } from '../../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../../domain/recipe/record-type.ts';
import type { SeriesType } from '../../../domain/records/series.ts';
import { type ElementReader, elementReader, measured } from '../elements.ts';
import { type DayClocks, device, offsetAt, startOfDate } from './entries.ts';
import { dateOf, offsetBetween, timeMs } from './times.ts';

/** What a table makes is one item of each element, with this key. */
const ofElement = (key: (item: Item) => string): Pick<RecordType, 'sampleItem'> => ({
  sampleItem: { key: ({ item }) => key(item), seconds: 0 },
});

/** A day of `*_healthStatusData.json`. Its values are those of the night. */
export const healthFields: FieldTable = {
  calendarDate: decides(null, 'start_time'),
  'metrics[].type': decides(null, 'series.heart_rate_variability_rmssd'),
  'metrics[].value': decides(
    'as its type',
    'series.heart_rate_variability_rmssd',
    'series.resting_heart_rate',
    'series.oxygen_saturation',
    'series.devicemaker_skin_temperature',
    'series.skin_temperature',
    'series.respiratory_rate',
  ),
  ...assumed({
    'metrics[].status': notKept('a word for the value'),
    'metrics[].percentage': notKept('the place of the value in the range of the user'),
    'metrics[].baselineUpperLimit': notKept('a limit of the range of the user'),
    'metrics[].baselineLowerLimit': notKept('a limit of the range of the user'),
  }),
};

/** The series of the kinds of values. What is 0 was not measured. */
const healthSeries: Readonly<Record<string, (value: number) => SeriesType>> = {
  HRV: () => 'heart_rate_variability_rmssd',
  HR: () => 'resting_heart_rate',
  SPO2: () => 'oxygen_saturation',
  // No description says whether it is a temperature or its deviation. No skin of a sleeper is as cold as a deviation is.
  SKIN_TEMP_C: (value) => (value > coldestSkin ? 'skin_temperature' : 'devicemaker_skin_temperature'),
  RESPIRATION: () => 'respiratory_rate',
};
const coldestSkin = 15;

/** The reader of health statuses. `hasRest`: the day itself has the resting heart rate, which then counts. */
export function healthReader(clocks: DayClocks, hasRest: (date: string) => boolean): ElementReader {
  const type: RecordType = {
    device,
    fields: healthFields,
    makes: [
      'heart_rate_variability_rmssd',
      'resting_heart_rate',
      'oxygen_saturation',
      'skin_temperature',
      'devicemaker_skin_temperature',
      'respiratory_rate',
    ],
    ...ofElement(({ calendarDate }) => dateOf(calendarDate) ?? ''),
    complete: (draft, { calendarDate, metrics }) => {
      const date = dateOf(calendarDate);
      if (date === null) return 'The entry has no date.';
      const values = (Array.isArray(metrics) ? metrics : []).filter(isItem).flatMap(({ type, value }) => {
        const number = numberOf(value) ?? 0;
        const series =
          typeof type === 'string' && number !== 0 ? ownValue(healthSeries, type)?.(number) : undefined;
        const isRest = series === 'resting_heart_rate' && hasRest(date);
        return series === undefined || isRest ? [] : [[series, number] as const];
      });
      return { ...draft, ...startOfDate(date, clocks), series: Object.fromEntries(values) };
    },
  };
  return elementReader('garmin_health', 'health_status', type);
}

/** A weighing of `*_userBioMetrics.json`. A scale sends 0 where it could not measure. */
export const biometricFields: FieldTable = {
  'metaData.calendarDate': kept('local time', 'start_time'),
  'weight.weight': kept('g', 'series.weight'),
  version: notKept('of several entries of a day the one with the highest version counts'),
  vo2MaxCycling: computed(measured, 'ml/kg/min', 'series.vo2_max_cycling'),
  ...assumed({
    'weight.timestampGMT': computed(timeMs, 'ms', 'start_time'),
    'weight.bmi': computed(measured, 'kg/m2', 'series.body_mass_index'),
    'weight.bodyFat': computed(measured, 'percent', 'series.body_fat_percentage'),
    'weight.bodyWater': computed(measured, 'percent', 'series.body_water_percentage'),
    'weight.muscleMass': computed(grams, 'g', 'series.skeletal_muscle_mass'),
    'weight.boneMass': computed(grams, 'g', 'series.bone_mass'),
    'weight.sourceType': notKept('how the value was entered, in words that no description explains'),
    'metaData.userProfilePK': notKept('the account'),
    'metaData.sequence': notKept('a number of the export'),
  }),
};

/** What an entry of biometrics is, by its day: the entry with the highest version counts. Null: it has no time. */
export function biometricKey({ metaData, weight }: Item): string | null {
  const date =
    dateOf(isItem(metaData) ? metaData.calendarDate : null) ??
    dateOf(isItem(weight) ? weight.timestampGMT : null);
  return date === null ? null : `${date} ${isItem(weight) ? 'weight' : 'vo2_max'}`;
}

function grams(value: unknown): number | null {
  const number = numberOf(value);
  return number === null || number <= 0 ? null : number / 1000;
}

/** The reader of weighings and of the cycling VO2max beside them. */
export function biometricReader(clocks: DayClocks): ElementReader {
  const type: RecordType = {
    device,
    fields: biometricFields,
    ...ofElement((item) => biometricKey(item) ?? ''),
    complete: (draft, { metaData, weight }) => {
      const utcMs = timeMs(isItem(weight) ? weight.timestampGMT : null);
      const local = isItem(metaData) ? metaData.calendarDate : null;
      const localMs = timeMs(local);
      const ms = utcMs ?? localMs;
      if (ms === null) return 'The entry has no time.';
      const offset = offsetAt(ms, clocks);
      const isLocal = utcMs === null;
      return { ...draft, start_time: ms, isLocal, ...(offset === null ? {} : { zone_offset: offset }) };
    },
  };
  return elementReader('garmin_biometrics', 'biometrics', type);
}

/** An estimate of `MetricsMaxMetData_*.json`. */
export const maxMetFields: FieldTable = {
  calendarDate: decides(null, 'start_time'),
  vo2MaxValue: kept('ml/kg/min', 'series.vo2_max'),
  sport: decides(null, 'series.vo2_max', 'series.vo2_max_cycling'),
  ...assumed({
    subSport: notKept('the sport decides'),
    maxMet: notKept('a 3.5th of the VO2max'),
    maxMetCategory: notKept('a number without a description'),
    deviceId: notKept('the id of a device without its name'),
    updateTimestamp: notKept('the time of the computation'),
    userProfilePK: notKept('the account'),
  }),
};

/** Whether an estimate is of riding. That of other sports is of running. */
export const isCycling = ({ sport }: Item) => sport === 'CYCLING';

/** The reader of VO2max. */
export function maxMetReader(clocks: DayClocks): ElementReader {
  const type: RecordType = {
    device,
    fields: maxMetFields,
    makes: ['vo2_max_cycling'],
    ...ofElement((item) => `${dateOf(item.calendarDate)} ${isCycling(item) ? 'cycling' : 'running'}`),
    complete: (draft, item) => {
      const date = dateOf(item.calendarDate);
      if (date === null) return 'The entry has no date.';
      const { series = {} } = draft;
      const placed = { ...draft, ...startOfDate(date, clocks) };
      const { vo2_max } = series;
      if (vo2_max === undefined || !isCycling(item)) return placed;
      return { ...placed, series: { vo2_max_cycling: vo2_max } };
    },
  };
  return elementReader('garmin_max_met', 'vo2_max', type);
}

/** A measurement of `BloodPressureFile_*.json`. Its date has a time, which is assumed to be of the user's clock. */
export const bloodPressureFields: FieldTable = {
  'metaData.calendarDate': computed(timeMs, null, 'start_time'),
  'bloodPressure.systolic': kept('mmHg', 'series.blood_pressure_systolic'),
  'bloodPressure.diastolic': kept('mmHg', 'series.blood_pressure_diastolic'),
  ...assumed({
    'bloodPressure.pulse': computed(measured, 'bpm', 'series.heart_rate'),
    'bloodPressure.notes': notKept('a free text'),
    version: notKept('of two entries of one time the later one counts'),
  }),
};

/** The reader of blood pressures. */
export function bloodPressureReader(clocks: DayClocks): ElementReader {
  const type: RecordType = {
    device,
    fields: bloodPressureFields,
    ...ofElement(({ metaData }) => String(timeMs(isItem(metaData) ? metaData.calendarDate : null))),
    complete: (draft, { metaData }) => {
      const localMs = timeMs(isItem(metaData) ? metaData.calendarDate : null);
      if (localMs === null) return 'The entry has no time.';
      const zone_offset = offsetAt(localMs, clocks);
      return {
        ...draft,
        start_time: localMs,
        isLocal: true,
        ...(zone_offset === null ? {} : { zone_offset }),
      };
    },
  };
  return elementReader('garmin_blood_pressure', 'blood_pressure', type);
}

/** A readiness of `TrainingReadinessDTO_*.json`. Several are computed on a day, of which that after waking counts. */
export const readinessFields: FieldTable = {
  calendarDate: computed(dateOf, null, 'date', 'key'),
  score: kept('0-100', 'score.readiness'),
  ...assumed({
    timestamp: kept('ISO 8601', 'start_time'),
    timestampLocal: computed((local, item) => offsetBetween(local, item.timestamp), null, 'zone_offset'),
    level: kept(null, 'score.readiness'),
    inputContext: notKept('of several of a day that after waking counts, otherwise the first'),
    feedbackShort: notKept('an advice'),
    feedbackLong: notKept('an advice'),
    deviceId: notKept('the id of a device without its name'),
    userProfilePK: notKept('the account'),
  }),
};

const readiness: RecordType = { device, fields: readinessFields };

/** Reads a readiness. */
export const readReadiness = elementReader('garmin_readiness', 'scores', readiness);

/** How early a readiness counts among those of its day. */
export function readinessRank(item: Item): number {
  return item.inputContext === 'AFTER_WAKEUP_RESET' ? 0 : (timeMs(item.timestamp) ?? Number.MAX_VALUE);
}
