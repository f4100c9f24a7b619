import { z } from 'zod';
import type { timeseries } from '../../../contracts/timeseries.ts';
import type { ParamsOf } from '../../../domain/contract.ts';
import { sampleSource } from '../../../domain/records/recording-method.ts';
import { StageSpan } from '../../../domain/records/records.ts';
import { seriesById } from '../../../domain/records/series.ts';
import { formatInstant } from '../../../domain/time/time.ts';
import type { Queryable } from '../../../mixins/database/database.ts';
import type { Settings } from '../rules/settings.ts';
import { selectExportRecords } from '../tables/export.ts';
import { selectSeries } from '../tables/series.ts';
import { selectDetails } from '../tables/tracks.ts';
import { intervalsToWire } from './events.ts';
import { extrasToWire } from './read-workout.ts';

/**
 * The next records of a kind as an export returns them: all columns that may be exported, with times as on the wire.
 */
export async function exportRecords(
  database: Queryable,
  { shownAs }: Settings,
  query: ParamsOf<typeof timeseries, 'exportRecords'>,
) {
  const rows = await selectExportRecords(database, query.user_id, query.kind, query.after, query.limit);
  const last = rows.length < query.limit ? undefined : rows.at(-1);
  const extras = query.kind === 'workout' ? await selectDetails(database, query.user_id, rows) : null;
  return {
    records: rows.map(({ id, record }) => ({
      ...withStages(recordToWire(record, shownAs)),
      ...(extras === null ? {} : extrasToWire(extras.get(id))),
    })),
    next: last === undefined ? null : { start_time: last.start_time, id: last.id },
  };
}

/** The series of a user, ordered by id. */
export async function exportSeries(database: Queryable, { shownAs }: Settings, userId: string) {
  const rows = await selectSeries(database, userId, null);
  return rows
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, type_id, provider, device }) => {
      const { type, unit } = seriesById(type_id);
      return { series_id: id, type, unit, ...sampleSource(shownAs(provider), device) };
    });
}

/** With the stage intervals of a sleep as their route returns them. */
function withStages(record: Record<string, unknown>): Record<string, unknown> {
  const { stage_intervals: spans, start_time } = record;
  if (!Array.isArray(spans)) return record;
  const startMs = Date.parse(String(start_time));
  return { ...record, stage_intervals: intervalsToWire(z.array(StageSpan).parse(spans), startMs) };
}

function recordToWire(
  record: Record<string, unknown>,
  shownAs: Settings['shownAs'],
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, valueToWire(name, value, shownAs)]),
  );
}

function valueToWire(name: string, value: unknown, shownAs: Settings['shownAs']): unknown {
  if (typeof value !== 'string') return value;
  if (name === 'provider') return shownAs(value);
  return /_(time|at)$/.test(name) ? formatInstant(Date.parse(value)) : value;
}
