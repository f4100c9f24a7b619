import { type Collection, pulledCollections } from '../../domain/recipe/collection.ts';
import { activityTypes } from './activity.ts';
import { scoreTypes } from './scores.ts';
import { sleep } from './sleep.ts';

/**
 * The kinds of data, by the names that webhooks have for them. Not read: `tag`, `enhanced_tag`, `meal` and `rest_mode_period`
 * (what a user notes), `sleep_time` (advice), `ring_configuration` and `ring_battery_level` (the device).
 */
export const collections = { sleep, ...scoreTypes, ...activityTypes } as const satisfies Readonly<
  Record<string, Collection>
>;
/** The kinds of data as types that are read. */
export const types = pulledCollections(collections);
