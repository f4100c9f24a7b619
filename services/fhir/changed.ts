import type { Observed } from '../../contracts/timeseries/observed.ts';
import { pressureTypes } from '../../domain/fhir/observed.ts';
import { mayTouch } from '../../domain/fhir/search-dates.ts';
import { isSeriesType } from '../../domain/records/series.ts';
import type { Call } from '../../runtime/environment.ts';

/** Whether an observation may have changed. */
export type MayHaveChanged = (item: Observed) => boolean;

interface Span {
  readonly series: string | null;
  readonly date: string | null;
  readonly first_ms: number | null;
  readonly last_ms: number | null;
}

/**
 * What may have changed of a user since an instant, by the change log. It names series, records and days, so that an unchanged
 * Observation beside a changed one is among them.
 */
export async function changesSince(call: Call, userId: string, sinceMs: number): Promise<MayHaveChanged> {
  const { spans } = await call('webhooks.changedSpans', { user_id: userId, since_ms: sinceMs });
  if (spans === null) return () => true;
  const bySeries = Map.groupBy(spans, ({ series }) => series ?? '');
  return (item) => seriesOf(item).some((series) => bySeries.get(series)?.some((span) => touches(span, item)));
}

// Records are under the empty name.
function seriesOf({ name }: Observed): readonly string[] {
  if (name === 'blood_pressure') return pressureTypes;
  return isSeriesType(name) ? [name] : [''];
}

function touches({ date, first_ms, last_ms }: Span, item: Observed): boolean {
  if (date !== null) return date === item.date;
  if (first_ms === null || last_ms === null) return true;
  return mayTouch(item.date, first_ms, last_ms);
}
