import t from 'tap';
import { recorded as activitynet } from '../../fixtures/recorded/activitynet/activities.ts';
import { recorded as devicemaker } from '../../fixtures/recorded/devicemaker/pushes.ts';
import { recorded as googlehealth } from '../../fixtures/recorded/googlehealth/points.ts';
import { recorded as oura } from '../../fixtures/recorded/oura/documents.ts';
import { recorded as polar } from '../../fixtures/recorded/polar/records.ts';
import type { Recorded } from '../../fixtures/recorded/recorded.ts';
import { recorded as suunto } from '../../fixtures/recorded/suunto/samples.ts';
import { recorded as whoop } from '../../fixtures/recorded/whoop/records.ts';
import { recorded as withings } from '../../fixtures/recorded/withings/answers.ts';
import { fieldCases } from './cases.ts';
import { faultsInPart } from './removal.ts';

const bodies: Readonly<Record<string, Recorded>> = {
  activitynet,
  devicemaker,
  googlehealth,
  oura,
  polar,
  suunto,
  whoop,
  withings,
};

const ranked = 'dataSource.recordingMethod does not change source';

/**
 * Fields of which the body has a better one: it is read first, so that the other changes nothing. A change of this list is a
 * decision.
 */
const outdone: Readonly<Record<string, readonly string[]>> = {
  // `utc_offset` is read first.
  'activitynet activity': ['timezone does not change zone_offset'],
  // The id of the activity is the key.
  'devicemaker activities': ['summaryId does not change key'],
  // The stages have the times of each.
  'googlehealth sleep': [
    'sleep.summary.minutesAsleep does not change sleep.asleep_seconds',
    'sleep.summary.minutesAwake does not change sleep.awake_seconds',
    'sleep.summary.stagesSummary[].type does not change sleep.deep_seconds',
    'sleep.summary.stagesSummary[].minutes does not change sleep.deep_seconds',
  ],
  // Only a value that was typed in has another source.
  'googlehealth heart-rate': [ranked],
  'googlehealth steps': [ranked],
  'googlehealth exercise': ['dataSource.recordingMethod does not change workout.manual'],
  // The time in bed is that between both.
  'oura sleep': ['bedtime_end does not change end_time'],
  // Both names of the sport are the same.
  'polar activities': [
    'detailed_sport_info does not change workout.type',
    'sport does not change workout.raw_type, workout.type',
  ],
  'suunto workout': [
    'hrdata.avg does not change workout.avg_heart_rate_bpm',
    'hrdata.hrmax does not change workout.max_heart_rate_bpm',
  ],
  // Either field says that the day came from another maker, and the source is then not the model.
  'withings days': [
    'brand does not change source',
    'is_tracker does not change source',
    'model does not change source',
  ],
  // A number in the place of a name.
  'withings workouts': ['model does not change source'],
  'withings sleep': [
    'data.total_sleep_time does not change sleep.asleep_seconds',
    'data.durationtosleep does not change sleep.latency_seconds',
  ],
};

const permissive = /^(MIT|Apache-2\.0|BSD-[23]-Clause|ISC)\b/;

for (const [name, types] of Object.entries(bodies))
  for (const [type, origins] of Object.entries(types))
    t.test(`each field of recorded bodies of ${name} ${type} ends somewhere or is named`, async (t) => {
      const found = fieldCases[name]?.[type];
      if (found === undefined) throw new Error(`${name} has no type ${type}`);
      for (const { repository, path, commit, licence } of origins) {
        t.match(repository, /^[\w-]+\/[\w.-]+$/);
        t.match(commit, /^[0-9a-f]{40}$/, path);
        t.match(licence, permissive, `${repository} permits it`);
      }
      const items = origins.flatMap((origin) => origin.items);
      t.same(faultsInPart({ ...found, items }), outdone[`${name} ${type}`] ?? []);
    });
