import {
  assumed,
  computed,
  each,
  type FieldTable,
  isKept,
  kept,
  notKept,
} from '../../domain/provider/field-table.ts';
import type { Draft } from '../../domain/recipe/draft.ts';
import { type Item, isItem, readFields } from '../../domain/recipe/read-fields.ts';
import type { RecordType } from '../../domain/recipe/record-type.ts';
import { manualDevice } from '../../domain/records/recording-method.ts';
import { accepts, isSeriesType, type SeriesType, seriesOf } from '../../domain/records/series.ts';
import { isReadable, ofDevice, onlyRead, rowDevice, unknownDevice, zoneAt } from './rows.ts';

/** An interval of a heartbeat lasts longer than 10 ms and less than 10 s. */
const shortestIntervalMs = 10;

// The provider does not document whether intervals are in s or in ms.
const interval = (end: `series.${SeriesType}`) =>
  computed(
    (value) => (typeof value === 'number' && value < shortestIntervalMs ? value * 1000 : value),
    'ms',
    end,
  );

/** The types of measures by number. Our documentation of the provider names those up to 138. */
export const measureTypes: FieldTable = {
  1: kept('kg', 'series.weight'),
  4: kept('m', 'series.height'),
  5: kept('kg', 'series.lean_body_mass'),
  6: kept('percent', 'series.body_fat_percentage'),
  8: kept('kg', 'series.body_fat_mass'),
  9: kept('mmHg', 'series.blood_pressure_diastolic'),
  10: kept('mmHg', 'series.blood_pressure_systolic'),
  11: kept('bpm', 'series.heart_rate'),
  12: kept('celsius', 'series.body_temperature'),
  54: kept('percent', 'series.oxygen_saturation'),
  71: kept('celsius', 'series.body_temperature'),
  73: kept('celsius', 'series.skin_temperature'),
  76: kept('kg', 'series.skeletal_muscle_mass'),
  // The series `hydration` is water that was drunk. This is water in the body.
  77: kept('kg', 'series.body_water_mass'),
  88: kept('kg', 'series.bone_mass'),
  91: kept('m/s', 'series.pulse_wave_velocity'),
  123: kept('ml/kg/min', 'series.vo2_max'),
  135: interval('series.ecg_qrs_interval'),
  136: interval('series.ecg_pr_interval'),
  137: interval('series.ecg_qt_interval'),
  138: interval('series.ecg_corrected_qt_interval'),
  ...assumed({
    155: kept('years', 'series.vascular_age'),
    168: kept('kg', 'series.extracellular_water_mass'),
    169: kept('kg', 'series.intracellular_water_mass'),
    170: kept(null, 'series.visceral_fat_rating'),
    226: kept('kcal/day', 'series.basal_metabolic_rate'),
    227: kept('years', 'series.metabolic_age'),
  }),
};

/** A table for each type, and its series. */
const tables = new Map(
  Object.entries(measureTypes).flatMap(([type, field]) => {
    const series = isKept(field) ? field.ends[0].slice('series.'.length) : '';
    return isSeriesType(series) ? [[type, { series, table: { [type]: field } }] as const] : [];
  }),
);

const objectives = 2;
const enteredByUser = 2;
/**
 * Groups that may not be of this user. They are not samples: they are events of the type `unconfirmed_measurement`, which
 * no series and no summary contains, until Withings sends them with another attribution.
 */
const unconfirmed = new Map([
  ['1', 'ambiguous_user'],
  ['4', 'entered_at_sign_up'],
]);

/** A group of measures that were taken together. */
const fields: FieldTable = {
  grpid: kept(null, 'key'),
  attrib: computed((attrib) => (attrib === enteredByUser ? manualDevice : null), null, 'source'),
  date: kept('s', 'start_time'),
  ...each(onlyRead, 'created', 'modified'),
  category: notKept('tells goals, which are left out, from measurements'),
  deviceid: ofDevice,
  'measures[].value': kept('as `unit`', 'series.weight'),
  'measures[].type': kept(null, 'series.weight'),
  'measures[].unit': kept('power of 10', 'series.weight'),
  ...rowDevice,
  ...assumed({
    timezone: zoneAt('date'),
    modelid: ofDevice,
    comment: notKept('written by the user, and may name places or people'),
    ...each(notKept('a figure of the sensor without a unit'), 'measures[].algo', 'measures[].fm'),
    ...each(notKept('the app in which a value was typed'), 'measures[].apppfmid', 'measures[].appliver'),
    'measures[].position': notKept('a part of the body: the types that are kept are of the whole of it'),
  }),
};

function withMeasures(draft: Draft, { category, attrib, measures }: Item): Draft | string {
  if (!isReadable(draft, false) || !Array.isArray(measures)) return 'unreadable';
  if (category === objectives) return 'objective';
  const values = new Map<SeriesType, number>();
  const skipped: Record<string, number> = {};
  // Two measures of one series in a group, such as the two types of body temperature: the later replaces the earlier.
  for (const measure of measures) {
    const [type, value] = measured(measure) ?? [];
    const isAccepted = type !== undefined && accepts(type, value);
    const reason = type === undefined ? 'measure_type_not_kept' : 'value_out_of_range';
    if (isAccepted) values.set(type, value);
    else skipped[reason] = (skipped[reason] ?? 0) + 1;
  }
  const reason = unconfirmed.get(String(attrib));
  if (reason === undefined || values.size === 0)
    return { ...draft, skipped, series: Object.fromEntries(values) };
  const measurements = [...values].map(([type, value]) => ({ type, value, unit: seriesOf(type).unit }));
  return { ...draft, skipped, event: { type: 'unconfirmed_measurement', data: { reason, measurements } } };
}

function measured(measure: unknown): readonly [SeriesType, unknown] | undefined {
  const { type, value, unit } = isItem(measure) ? measure : {};
  const own = tables.get(String(type));
  if (own === undefined || typeof value !== 'number' || typeof unit !== 'number') return undefined;
  const draft = readFields(own.table, { [String(type)]: Number(`${value}e${unit}`) });
  return [own.series, draft.series?.[own.series]];
}

/** The measures of scales, thermometers and blood pressure monitors. */
export const measures: RecordType = {
  fields,
  device: unknownDevice,
  sampleItem: { key: ({ draft }) => draft.key ?? '', seconds: 0 },
  complete: withMeasures,
};
