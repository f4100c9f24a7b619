import { setTimeout as sleep } from 'node:timers/promises';
import type { Api } from '../connect/api.ts';
import { ensureUser } from '../connect/ensure-user.ts';
import type { SimulatedUploads } from '../connect/uploads.ts';
import { type AppAccess, sendEvents, upload } from './app.ts';
import { type PhoneDays, type PhoneItem, phoneDays } from './days.ts';

const person = { external_user_id: 'sandbox-phone', first_name: 'Pia', last_name: 'Phone' };
const days = 7;
const dayMs = 86_400_000;
const quarterMs = 900_000;
const provider = 'apple';

/** One person with a phone and a watch, who uploads the last seven days at each start, and then what is new. */
export const phoneUploads: SimulatedUploads = {
  async run(api: Api, { apiKey, baseUrl, fetch, signal }) {
    const userId = await ensureUser(api, { 'X-API-Key': apiKey }, person);
    const access: AppAccess = {
      origins: [baseUrl],
      userId,
      random: () => 1,
      fetch,
      signal,
      headers: () => ({ 'X-Open-Wearables-API-Key': apiKey }),
    };
    let sentMs = Date.now();
    await uploadPast(access, endedBetween(sentMs - days * dayMs, sentMs));
    for (;;) {
      await sleep(quarterMs - (Date.now() % quarterMs), undefined, { signal });
      const nowMs = Date.now();
      await upload(access, provider, endedBetween(sentMs, nowMs));
      sentMs = nowMs;
    }
  },
};

async function uploadPast(access: AppAccess, data: PhoneDays): Promise<void> {
  const timestamp = new Date().toISOString();
  const counts = [
    { type: 'records', count: data.records.length },
    { type: 'sleep', count: data.sleep.length },
    { type: 'workouts', count: data.workouts.length },
  ];
  const start = { eventType: 'historical_data_sync_start', timestamp, dataTypeCounts: counts };
  await sendEvents(access, provider, [{ ...start, timeRange: { endDate: timestamp } }]);
  await upload(access, provider, data);
  const end = { eventType: 'historical_data_type_sync_end', timestamp, success: true, durationMs: 1000 };
  await sendEvents(
    access,
    provider,
    counts.map(({ type, count }) => ({ ...end, dataType: type, recordCount: count })),
  );
}

/** What the devices finished after `fromMs` and until `toMs`. */
export function endedBetween(fromMs: number, toMs: number): PhoneDays {
  const startMs = Math.floor(fromMs / dayMs) * dayMs;
  const { data } = phoneDays({ seed: 'phone', startMs, days: Math.ceil((toMs - startMs) / dayMs) + 1 });
  const isWithin = ({ endDate }: PhoneItem) => Date.parse(endDate) > fromMs && Date.parse(endDate) <= toMs;
  return {
    records: data.records.filter(isWithin),
    sleep: data.sleep.filter(isWithin),
    workouts: data.workouts.filter(isWithin),
  };
}
