import type { PlantedFault } from '../planted.ts';
import { forgottenUser } from './forgotten-user.ts';

const row = forgottenUser('services/timeseries', 'test/services/timeseries/tenants.test.ts');
const queries = 'test/services/timeseries/tenant-queries.test.ts';
const removal = 'removal/queries';
const reprocess = 'reprocess/queries';
const tracks = 'tracks/queries';

/** Statements of timeseries that erase, purge and reprocess, each without its condition on the user. */
export const tenantsOfRemovals: readonly PlantedFault[] = [
  row(
    `${removal}/delete-records.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the source
    'delete from timeseries.${table} where user_id = $1',
    'A purge deletes records of its user only.',
  ),
  row(
    `${removal}/delete-records.ts`,
    'delete from timeseries.workout where user_id = $1',
    'A purge deletes workouts of its user only.',
  ),
  row(
    `${removal}/delete-sleep-items.ts`,
    'timeseries.sleep_session where user_id = $1',
    'Sleep is deleted by its key for its user only.',
  ),
  row(
    `${removal}/delete-sleep-items.ts`,
    'timeseries.item where user_id = $1',
    'Items of sleep are forgotten by their keys for their user only.',
  ),
  row(
    `${removal}/erase-items.ts`,
    'where user_id = $1 limit $2)) and user_id = $1',
    'An erasure deletes item versions of its user only.',
  ),
  row(
    `${removal}/erase-items.ts`,
    `where user_id = $1 and provider = $2 limit $3))
       and user_id = $1`,
    'A purge deletes item versions of its user only.',
  ),
  row(
    `${removal}/insert-purge.ts`,
    'timeseries.series where user_id = $1',
    'A purge takes series of its user only.',
  ),
  row(
    `${removal}/insert-tombstone.ts`,
    'timeseries.series where user_id = $1',
    'An erasure takes series of its user only.',
  ),
  row(
    `${removal}/insert-tombstone.ts`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: text of the source
    'timeseries.${table} where user_id = $1',
    'An erasure deletes records of its user only.',
  ),
  row(`${removal}/lock-purge.ts`, 'where user_id = $1', 'A purge continues the purge of its user.'),
  row(
    `${removal}/lock-tombstone.ts`,
    'where user_id = $1',
    'An erasure continues the erasure of its user.',
    queries,
  ),
  row(
    `${removal}/select-series-id.ts`,
    'where user_id = $1',
    'Samples are deleted from series of their user only.',
    queries,
  ),
  row(
    `${removal}/update-purge.ts`,
    "'where user_id = $1",
    'The progress of a purge is that of its user.',
    queries,
  ),
  row(
    `${removal}/update-tombstone.ts`,
    'set finished_at = now() where user_id = $1',
    'The end of an erasure is that of its user.',
  ),
  row(
    `${reprocess}/drop-records.ts`,
    'w.user_id = $1 and t.user_id = $1',
    'A track is replaced for the user of the workout only.',
    queries,
  ),
  row(
    `${reprocess}/note-version.ts`,
    `where user_id = $1 and provider = $2 and data_type = $3 and key = $4\`,
};

const records`,
    'The version of the normaliser is noted for the user of the item.',
  ),
  row(
    `${reprocess}/note-version.ts`,
    'where user_id = $1 and provider = $2 and data_type = $3 and key = $4 and normaliser',
    'The version of the normaliser is noted on day values and scores of the user only.',
  ),
  row(
    `${reprocess}/select-made.ts`,
    'where user_id = $1 and provider = $3',
    'Day values and scores that are compared are those of the user.',
  ),
  row(
    `${reprocess}/select-made.ts`,
    'where s.user_id = $1',
    'Sums of slots that are compared are those of the user.',
  ),
  row(
    `${reprocess}/select-made.ts`,
    'where user_id = $1 and provider = $2 and not is_interval',
    'Samples that are compared are in series of the user.',
  ),
  row(
    `${reprocess}/select-made.ts`,
    'where user_id = $1 and provider = $2 and data_type = $3',
    'Blocks that are compared are those of the user.',
    queries,
  ),
  row(
    `${tracks}/store-track.ts`,
    'where w.user_id = $1 and w.provider = $2 and w.key = $3',
    'A track is stored with the workout of its user.',
  ),
];
