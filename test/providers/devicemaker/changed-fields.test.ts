import t from 'tap';
import { StoreItem } from '../../../domain/records/records.ts';
import { dataTypes } from '../../../providers/devicemaker/data-types.ts';
import type { Normalised } from '../../../providers/devicemaker/normalise/item.ts';
import { changedItems, smallItem } from '../../fixtures/devicemaker/changed-fields.ts';
import { typesNowMs } from '../../fixtures/devicemaker/types.ts';

/** The required fields of each fixture; all others are optional. */
const needed: Readonly<Record<string, readonly string[]>> = {
  activities: ['durationInSeconds', 'startTimeInSeconds'],
  activityDetails: [],
  dailies: ['startTimeInSeconds'],
  epochs: ['startTimeInSeconds'],
  sleeps: ['startTimeInSeconds'],
  bodyComps: ['measurementTimeInSeconds'],
  hrv: ['hrvValues', 'startTimeInSeconds'],
  stressDetails: ['startTimeInSeconds'],
  respiration: ['startTimeInSeconds', 'timeOffsetEpochToBreaths'],
  pulseOx: ['startTimeInSeconds', 'timeOffsetSpo2Values'],
  bloodPressures: ['measurementTimeInSeconds'],
  userMetrics: ['calendarDate'],
  skinTemp: ['avgDeviationCelsius', 'startTimeInSeconds'],
  healthSnapshot: ['startTimeInSeconds', 'summaries'],
  moveiq: ['startTimeInSeconds'],
  mct: [],
};

type Verdict = 'stored' | 'refused' | 'broken';

// As the store gets it: over the bus a value that is undefined is gone.
function verdictOf(normalise: () => Normalised): Verdict {
  try {
    const normalised = normalise();
    if (!normalised.problems.every(isPlain)) return 'broken';
    if (!normalised.ok) return normalised.problems.length > 0 ? 'refused' : 'broken';
    return StoreItem.safeParse(JSON.parse(JSON.stringify(normalised.item))).success ? 'stored' : 'broken';
  } catch {
    return 'broken';
  }
}

// The wording of a validator is no reason for a sender.
function isPlain({ reason }: { readonly reason: string }): boolean {
  return reason !== '' && !/invalid|expected/i.test(reason);
}

for (const { name, normalise } of dataTypes)
  t.test(`${name}: whichever field is changed, the item is stored or refused with a reason`, async (t) => {
    const all = changedItems(smallItem(name, 'somebody'));
    t.ok(all.length > 50);
    const judged = all.map((one) => ({ ...one, verdict: verdictOf(() => normalise(one.item, typesNowMs)) }));
    const places = (verdict: Verdict, change?: string) =>
      judged
        .filter((one) => one.verdict === verdict && one.change === (change ?? one.change))
        .map(({ path, change: was }) => (change === undefined ? `${path} ${was}` : path))
        .sort();
    t.same(places('broken'), []);
    t.same(places('refused', 'is absent'), needed[name], 'only what is needed may not be left out');
    t.same(places('refused', 'is null'), needed[name], 'null is as good as absent');
    const others = judged.filter(
      ({ path, verdict }) => verdict === 'refused' && !needed[name]?.includes(path),
    );
    t.same(
      others.map(({ path, change }) => `${path} ${change}`),
      [],
      'an optional field costs itself, not the item',
    );
  });
