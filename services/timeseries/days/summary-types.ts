import type { SeriesType } from '../../../domain/records/series.ts';
import { bodyTypes } from './body.ts';
import { activityTypes } from './queries/select-activity-days.ts';

/** The series types that each summary is computed from. */
export const summaryTypes: Readonly<Record<string, readonly SeriesType[]>> = {
  activity_summary: activityTypes,
  body: bodyTypes,
};
