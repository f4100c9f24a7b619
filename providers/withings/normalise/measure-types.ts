import type { SeriesType } from '../../../domain/series.ts';

/** A measure type: its name and, where the catalogue has it, its series type and the factor to the unit of the series. */
export interface MeasureType {
  readonly name: string;
  readonly series: SeriesType | null;
  readonly factor?: number;
}

/** Measure types by number. Those without a series type are not kept: the catalogue has no such series. */
export const measureTypes: Readonly<Record<number, MeasureType>> = {
  1: { name: 'weight', series: 'weight' },
  4: { name: 'height', series: 'height', factor: 100 },
  5: { name: 'fat-free mass', series: 'lean_body_mass' },
  6: { name: 'fat ratio', series: 'body_fat_percentage' },
  8: { name: 'fat mass', series: 'body_fat_mass' },
  9: { name: 'diastolic pressure', series: 'blood_pressure_diastolic' },
  10: { name: 'systolic pressure', series: 'blood_pressure_systolic' },
  11: { name: 'pulse', series: 'heart_rate' },
  12: { name: 'temperature', series: 'body_temperature' },
  54: { name: 'oxygen saturation', series: 'oxygen_saturation' },
  71: { name: 'body temperature', series: 'body_temperature' },
  73: { name: 'skin temperature', series: 'skin_temperature' },
  76: { name: 'muscle mass', series: 'skeletal_muscle_mass' },
  // The series `hydration` is water that was drunk. This is water in the body.
  77: { name: 'water mass', series: null },
  88: { name: 'bone mass', series: null },
  91: { name: 'pulse wave velocity', series: null },
  123: { name: 'VO2 max', series: 'vo2_max' },
  135: { name: 'QRS interval', series: null },
  136: { name: 'PR interval', series: null },
  137: { name: 'QT interval', series: null },
  138: { name: 'corrected QT interval', series: null },
};

/** The numbers of the measure types that are kept. */
export const keptMeasureTypes: readonly number[] = Object.entries(measureTypes)
  .filter(([, { series }]) => series !== null)
  .map(([type]) => Number(type));
