import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { recordingMethod, SeriesTypeName, Source, UserId } from '../../domain/wire.ts';
import { mostTypes, Resolution } from './schemas.ts';

/** Samples of [start, end), raw or in buckets. */
const sampleRange = {
  user_id: UserId,
  start_ms: z.int(),
  end_ms: z.int(),
  resolution: Resolution,
};

/** Records, series and samples in parts, for exports and downloads. */
export const exportActions = {
  /** Stored records of one kind after `after`, oldest first; `next` is null on the last page. */
  exportRecords: action({
    summary: 'Read stored records for an export',
    params: z.object({
      user_id: UserId,
      kind: z.enum(['workout', 'sleep', 'day', 'day_values', 'score', 'other']),
      after: z.object({ start_time: z.string(), id: z.uuid() }).nullable(),
      limit: z.int().min(1).max(500),
    }),
    returns: z.object({
      records: z.array(z.record(z.string(), z.unknown())),
      next: z.object({ start_time: z.string(), id: z.string() }).nullable(),
    }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  exportSeries: action({
    summary: 'List the series of a user for an export',
    params: z.object({ user_id: UserId }),
    returns: z.array(
      z.object({
        series_id: z.int(),
        type: z.string(),
        unit: z.string(),
        source: Source,
        ...recordingMethod,
      }),
    ),
    idempotent: true,
  }),
  /**
   * Samples or intervals of one series after `after`, as columns. Times are microseconds since 1970. `ends` is null for
   * samples. A page of intervals has more than `limit` entries if several start at its last instant.
   */
  exportSamples: action({
    summary: 'Read samples or intervals of a series for an export',
    params: z.object({
      user_id: UserId,
      series_id: z.int(),
      after: z.number(),
      limit: z.int().min(1).max(5000),
    }),
    returns: z.object({
      at: z.array(z.number()),
      ends: z.array(z.number()).nullable(),
      values: z.array(z.number()),
      zone_offset_minutes: z.array(z.int()),
    }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /** The series that have samples in [start, end). With buckets, the range is widened to whole buckets. */
  seriesInRange: action({
    summary: 'List the series that have samples in a range, for a download',
    params: z.object({ ...sampleRange, types: z.array(SeriesTypeName).max(mostTypes).nullable() }),
    returns: z.array(
      z.object({
        series_id: z.int(),
        type: SeriesTypeName,
        unit: z.string(),
        source: Source,
        ...recordingMethod,
      }),
    ),
    idempotent: true,
    timeoutMs: 10_000,
  }),
  /**
   * Samples or buckets of one series after `after`, as columns. Times are microseconds since 1970. A page may have fewer
   * than `limit` entries. `next` is the `after` of the next call, and null on the last page.
   */
  readSeries: action({
    summary: 'Read samples of a series in a range, for a download',
    params: z.object({
      ...sampleRange,
      series_id: z.int(),
      after: z.number().nullable(),
      limit: z.int().min(1).max(5000),
    }),
    returns: z.object({
      at: z.array(z.number()),
      values: z.array(z.number()),
      next: z.number().nullable(),
    }),
    idempotent: true,
    timeoutMs: 10_000,
  }),
};
