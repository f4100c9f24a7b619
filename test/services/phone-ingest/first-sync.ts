import type { TestApi } from '../../support/api.ts';

type Given = readonly ['start', Readonly<Record<string, number>>] | readonly ['end', string, number];

/** Events of a first upload as the SDKs send them. */
export function eventsOf(given: readonly Given[]) {
  const timestamp = '2026-03-02T10:00:00Z';
  const state = { eventType: 'device_state', timestamp, batteryLevel: 0.7 };
  const events = given.map((one) =>
    one[0] === 'start'
      ? {
          ...{ eventType: 'historical_data_sync_start', timestamp, timeRange: { endDate: timestamp } },
          dataTypeCounts: Object.entries(one[1]).map(([type, count]) => ({ type, count })),
        }
      : {
          ...{ eventType: 'historical_data_type_sync_end', timestamp, dataType: one[1] },
          ...{ success: true, recordCount: one[2], durationMs: 900 },
        },
  );
  return { sdkVersion: '0.11.1', provider: 'apple', events: [...events, state] };
}

/** The progress of the first upload of a user. */
export function connectionStatus(api: TestApi, userId: string): Promise<unknown> {
  return api.expect(200, `/users/${userId}/connections/phone/backfill`);
}
