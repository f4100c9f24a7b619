import type { NightMeans } from '../../../domain/provider/facts.ts';
import { seriesOf } from '../../../domain/records/series.ts';

/** The series types of which a night has a mean. */
export const nightTypes = [
  'heart_rate',
  'heart_rate_variability_sdnn',
  'respiratory_rate',
  'oxygen_saturation',
] as const satisfies readonly (keyof NightMeans)[];

/** Their stored ids. */
export const nightTypeIds: readonly number[] = nightTypes.map((type) => seriesOf(type).id);
