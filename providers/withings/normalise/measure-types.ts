import type { SeriesType } from '../../../domain/records/series.ts';

/** A measure type: its name, its series type, and how its value becomes one in the unit of the series. */
export interface MeasureType {
  readonly name: string;
  readonly series: SeriesType;
  readonly factor?: number;
  readonly isInterval?: boolean;
}

/** An interval of a heartbeat lasts longer than 10 ms and less than 10 s. */
const shortestIntervalMs = 10;

/** A value of a measure type in the unit of its series. The provider does not document whether intervals are in s or in ms. */
export function inUnitOfSeries({ factor = 1, isInterval = false }: MeasureType, value: number): number {
  return isInterval && value < shortestIntervalMs ? value * 1000 : value * factor;
}

/** Measure types by number. */
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
  77: { name: 'water mass', series: 'body_water_mass' },
  88: { name: 'bone mass', series: 'bone_mass' },
  91: { name: 'pulse wave velocity', series: 'pulse_wave_velocity' },
  123: { name: 'VO2 max', series: 'vo2_max' },
  135: { name: 'QRS interval', series: 'ecg_qrs_interval', isInterval: true },
  136: { name: 'PR interval', series: 'ecg_pr_interval', isInterval: true },
  137: { name: 'QT interval', series: 'ecg_qt_interval', isInterval: true },
  138: { name: 'corrected QT interval', series: 'ecg_corrected_qt_interval', isInterval: true },
  155: { name: 'vascular age', series: 'vascular_age' },
  168: { name: 'extracellular water', series: 'extracellular_water_mass' },
  169: { name: 'intracellular water', series: 'intracellular_water_mass' },
  170: { name: 'visceral fat', series: 'visceral_fat_rating' },
  226: { name: 'basal metabolic rate', series: 'basal_metabolic_rate' },
  227: { name: 'metabolic age', series: 'metabolic_age' },
};

/** The numbers of the measure types, which a request names. */
export const measureTypeNumbers: readonly number[] = Object.keys(measureTypes).map(Number);
