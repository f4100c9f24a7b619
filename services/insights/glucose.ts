import type { GlucoseReport } from '../../contracts/insights/schemas.ts';
import { dateAfter } from '../../domain/insights/day-results.ts';
import { missing } from '../../domain/insights/finding.ts';
import { glucoseDays, glucoseReportOf } from '../../domain/insights/glucose.ts';
import { readMethod } from '../../domain/records/recording-method.ts';
import type { Call } from '../../runtime/environment.ts';
import { methodOf, type ShownAs } from './shown.ts';

/** The glucose of the 14 local days up to a date. It is read from the samples and not kept. @throws USER_NOT_FOUND (404) */
export async function glucoseReport(
  call: Call,
  shownAs: ShownAs,
  { user_id, end_date }: { readonly user_id: string; readonly end_date: string },
): Promise<GlucoseReport> {
  const start_date = dateAfter(end_date, 1 - glucoseDays);
  const { source, every_minutes, values } = await call('timeseries.glucoseValues', {
    ...{ user_id, first_date: start_date, last_date: end_date },
  });
  if (source === null) await call('users.get', { user_id });
  const given = values.map(([mgPerDl, minuteOfDay]) => ({ mgPerDl, minuteOfDay }));
  const { value, confidence, reason } =
    every_minutes === null ? missing('too_little_coverage') : glucoseReportOf(given, every_minutes);
  return {
    ...{
      start_date,
      end_date,
      values: values.length,
      confidence,
      reason,
      method: methodOf('glucose_report'),
    },
    source: source && { provider: shownAs(source.provider), device: readMethod(source.device).device },
    mean_mg_per_dl: value?.meanMgPerDl ?? null,
    gmi_percent: value?.gmiPercent ?? null,
    cv_percent: value?.cvPercent ?? null,
    below_54_percent: value?.below54Percent ?? null,
    from_54_to_69_percent: value?.from54To69Percent ?? null,
    from_70_to_180_percent: value?.from70To180Percent ?? null,
    from_181_to_250_percent: value?.from181To250Percent ?? null,
    above_250_percent: value?.above250Percent ?? null,
    hours: value === null ? null : value.hours.map((hour) => hour && [...hour]),
  };
}
