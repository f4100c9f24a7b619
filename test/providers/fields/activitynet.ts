import { bareItem } from '../../../domain/records/records.ts';
import { fields } from '../../../providers/activitynet/fields.ts';
import { normaliseActivity } from '../../../providers/activitynet/normalise/activity.ts';
import { streamSamples, streamTrack, trackKeys } from '../../../providers/activitynet/normalise/streams.ts';
import { ride, run, runStart, streams } from '../../fixtures/activitynet/activities.ts';
import { common, itemRows, readableOf, trackRows } from './readable.ts';
import type { FieldCase } from './removal.ts';

const nowMs = Date.parse('2026-06-01T00:00:00Z');
const startMs = Date.parse(runStart);

const part = {
  ...{ distance: 1000, elapsed_time: 310, moving_time: 300, average_speed: 3.3, average_heartrate: 150 },
  pace_zone: 2,
};
const lap = {
  ...{ ...part, id: 9, name: 'Lap 1', activity: { id: 1 }, athlete: { id: 2 }, resource_state: 2 },
  ...{ start_date: runStart, start_date_local: '2026-04-18T06:30:00Z', lap_index: 1, split: 1 },
  ...{
    start_index: 0,
    end_index: 300,
    max_speed: 4,
    max_heartrate: 160,
    average_cadence: 84,
    max_cadence: 90,
  },
  ...{ average_watts: 250, total_elevation_gain: 12, device_watts: true },
};
const split = { ...part, split: 1, elevation_difference: -3, average_grade_adjusted_speed: 3.4 };
const effort = {
  ...{ id: 7, name: '1 km', activity: { id: 1 }, athlete: { id: 2 }, resource_state: 2, achievements: [] },
  ...{ start_date: runStart, start_date_local: '2026-04-18T06:30:00Z', start_index: 0, end_index: 300 },
  ...{ distance: 1000, elapsed_time: 280, moving_time: 280, pr_rank: 1 },
};
const full = {
  ...run('7'),
  ...{ max_watts: 610, weighted_average_watts: 204, elev_high: 120, elev_low: 30, average_temp: 21 },
  ...{ gear_id: 'g1', description: 'easy', perceived_exertion: 6, upload_id_str: '1234567890' },
  gear: {
    ...{ id: 'g1', primary: true, name: 'Shoe', resource_state: 2, distance: 400_000, nickname: 'Shoe' },
    ...{ retired: false, converted_distance: 400 },
  },
  ...{ laps: [lap], splits_metric: [split], splits_standard: [split], best_efforts: [effort] },
  ...{
    comment_count: 1,
    athlete_count: 3,
    photo_count: 0,
    total_photo_count: 2,
    pr_count: 1,
    suffer_score: 87,
  },
  ...{ workout_type: 1, hide_from_home: false, private_note: 'sore', start_latlng: [37.7, -122.4] },
  ...{ start_latitude: 37.7, start_longitude: -122.4 },
  ...{ end_latlng: [37.8, -122.4], location_city: 'a', location_state: 'b', location_country: 'c' },
  ...{ map: { id: 'm', polyline: 'abc' }, segment_efforts: [{ name: 'Hill' }], has_kudoed: false },
  ...{ heartrate_opt_out: false, display_hide_heartrate_option: true, segment_leaderboard_opt_out: false },
  ...{ leaderboard_opt_out: false, prefer_perceived_exertion: false, from_accepted_tag: false },
  ...{ partner_brand_tag: null, stats_visibility: [{ type: 'heart_rate' }], available_zones: ['heartrate'] },
  ...{ similar_activities: { effort_count: 2 }, photos: { count: 0 }, embed_token: 't' },
};
const { sport_type: _, upload_id_str: __, utc_offset: ___, ...older } = full;

const values = Object.fromEntries(
  trackKeys.map((key) => {
    const at = (second: number) => (key === 'latlng' ? [48 + second / 1e4, 11] : second + 10);
    return [key, key === 'moving' ? (second: number) => second > 1 : at];
  }),
);
const clock = { start_ms: startMs, device: 'a', zone_offset_minutes: 0 };

/** Activities and their streams. */
export const activitynetCases: Readonly<Record<string, FieldCase>> = {
  activity: {
    table: fields.activity,
    items: [full, older, ride('7')],
    read(item) {
      const made = normaliseActivity(item, nowMs);
      if (made === null) return readableOf([]);
      const { workout, extras } = made;
      const stored = { ...bareItem, data_type: 'activity', key: '', hash: '', supersede: 'latest' as const };
      return readableOf(itemRows({ ...stored, duration_seconds: workout.duration_seconds, workout, extras }));
    },
  },
  streams: {
    table: fields.streams,
    items: [streams(4, values)],
    read: (item) =>
      readableOf([
        ...trackRows(streamTrack(item, startMs)),
        ...streamSamples(item, clock, nowMs).flatMap(({ type, ...block }) => [
          [`series.${type}`, block] as const,
          ...common(block),
        ]),
      ]),
  },
};
