import type { Api } from '../api.ts';
import { ensureUser } from '../ensure-user.ts';
import type { SimulatedUploads } from '../uploads.ts';
import { type AppAccess, sendEvents, upload } from './app.ts';
import { phoneDays } from './days.ts';

const person = { external_user_id: 'sandbox-phone', first_name: 'Pia', last_name: 'Phone' };
const days = 7;
const dayMs = 86_400_000;
const provider = 'apple';

/** One person with a phone and a watch, who uploads the last seven days, and the same days again at each start. */
export const phoneUploads: SimulatedUploads = {
  async run(api: Api, { apiKey, baseUrl, fetch, signal }) {
    const userId = await ensureUser(api, { 'X-API-Key': apiKey }, person);
    const access: AppAccess = {
      ...{ origins: [baseUrl], userId, random: () => 1, fetch, signal },
      headers: () => ({ 'X-Open-Wearables-API-Key': apiKey }),
    };
    const startMs = Math.floor(Date.now() / dayMs - days) * dayMs;
    const { data } = phoneDays({ seed: `phone:${startMs}`, startMs, days });
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
  },
};
