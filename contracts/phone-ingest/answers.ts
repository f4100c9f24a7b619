import { z } from 'zod';
import { UploadProblem } from '../upload-problem.ts';

const Count = z.int().nonnegative();

/** The answer to an upload. Its first three fields are those of the Open Wearables protocol. */
export const UploadAnswer = z
  .object({
    status_code: z.literal(202),
    response: z.string(),
    user_id: z.string().nullable(),
    received: Count.describe('Items of the body.'),
    stored: Count.describe(
      'Items that are stored, now or by an earlier upload, and deletions that are applied.',
    ),
    problems: z.array(UploadProblem).describe('The first 100 items that were set aside.'),
    set_aside: Count,
    unmapped: z
      .record(z.string(), Count)
      .describe('Items of a type that is neither a series nor an event, by type.'),
  })
  .meta({ id: 'UploadAnswer' });

export type UploadAnswer = z.infer<typeof UploadAnswer>;

/** The answer for a stored body whose items are not processed yet. */
export function pendingUpload(): UploadAnswer {
  return {
    status_code: 202,
    response: 'Stored. It is processed in the background.',
    user_id: null,
    received: 0,
    stored: 0,
    problems: [],
    set_aside: 0,
    unmapped: {},
  };
}

/** An upload of one record, for the documentation. */
export const uploadExample = {
  provider: 'apple',
  sdkVersion: '0.11.1',
  syncTimestamp: '2026-01-01T10:00:00Z',
  data: {
    records: [
      {
        id: '6F1B1D0E-0000-4000-8000-000000000001',
        type: 'HKQuantityTypeIdentifierStepCount',
        startDate: '2026-01-01T09:00:00Z',
        endDate: '2026-01-01T09:05:00Z',
        zoneOffset: null,
        source: { bundleIdentifier: 'com.apple.health', deviceName: 'Apple Watch', deviceType: 'watch' },
        value: 412,
        unit: 'count',
        parentId: null,
        metadata: null,
      },
    ],
    sleep: [],
    workouts: [],
    deleted: [],
  },
};

/** Two events, for the documentation. */
export const logsExample = {
  sdkVersion: '0.11.1',
  provider: 'apple',
  events: [
    {
      eventType: 'historical_data_sync_start',
      timestamp: '2026-01-01T10:00:00Z',
      dataTypeCounts: [{ type: 'HKQuantityTypeIdentifierStepCount', count: 412 }],
      timeRange: { startDate: '2025-01-01T00:00:00Z', endDate: '2026-01-01T10:00:00Z' },
    },
    {
      eventType: 'historical_data_type_sync_end',
      timestamp: '2026-01-01T10:00:05Z',
      dataType: 'HKQuantityTypeIdentifierStepCount',
      success: true,
      recordCount: 412,
      durationMs: 900,
    },
  ],
};
