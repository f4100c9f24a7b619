import { polledDescriptor } from './polled.ts';

const newestNight = `
  select i.key from timeseries.item i join timeseries.sleep_session s on s.id = any (i.record_ids)
  where i.user_id = $1 and s.user_id = $1 order by s.start_time desc limit 1`;

/** A maker of rings without notifications: all of a local day in one answer. */
export const ultrahuman = polledDescriptor({
  provider: 'ultrahuman',
  partialScopes: { without: ['cgm_data'], tooLittle: ['ring_data', 'cgm_data'] },
  // The day of the newest night, with all that it has.
  async stored({ api }, { userId }) {
    const [night] = await api.database.query<{ key: string }>(newestNight, [userId]);
    if (night === undefined) throw new Error('the user has no night');
    return { type: 'metrics', id: night.key.slice(0, 10) };
  },
});
