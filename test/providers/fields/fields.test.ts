import t from 'tap';
import { extra, kept, notKept } from '../../../domain/provider/field-table.ts';
import { providerNames, providers } from '../../../providers/all.ts';
import { collections as oura } from '../../../providers/oura/collections.ts';
import { collections as polar } from '../../../providers/polar/records.ts';
import { collections as suunto } from '../../../providers/suunto/records.ts';
import { collections as whoop } from '../../../providers/whoop/records.ts';
import { bodies as ouraBodies } from '../../fixtures/oura/bodies.ts';
import { bodies as polarBodies } from '../../fixtures/polar/bodies.ts';
import { bodies as suuntoBodies } from '../../fixtures/suunto/bodies.ts';
import { bodies as whoopBodies } from '../../fixtures/whoop/bodies.ts';
import { activitynetCases } from './activitynet.ts';
import { devicemakerCases } from './devicemaker.ts';
import { fileCases } from './file.ts';
import { googlehealthCases } from './googlehealth.ts';
import { listedCases } from './listed.ts';
import { phoneCases } from './phone.ts';
import { type FieldCase, faultsOf } from './removal.ts';
import { withingsCases } from './withings.ts';

const cases: Readonly<Record<string, Readonly<Record<string, FieldCase>>>> = {
  devicemaker: devicemakerCases,
  activitynet: activitynetCases,
  phone: phoneCases,
  googlehealth: googlehealthCases,
  withings: withingsCases,
  whoop: listedCases(whoop, whoopBodies),
  oura: listedCases(oura, ouraBodies),
  suunto: listedCases(suunto, suuntoBodies),
  polar: listedCases(polar, polarBodies),
  file: fileCases,
};

for (const name of providerNames) {
  const [own, tables] = [cases[name] ?? {}, providers[name].fields];
  t.test(`every table of ${name} is checked`, async (t) => {
    t.same(Object.keys(own).sort(), Object.keys(tables).sort());
    for (const [type, table] of Object.entries(tables)) t.equal(own[type]?.table, table);
  });
  for (const [type, given] of Object.entries(own))
    t.test(`each field of ${name} ${type} ends where its table says`, async (t) => {
      t.same(faultsOf(given), []);
    });
}

t.test('a table that is wrong is found', async (t) => {
  const activity = activitynetCases.activity;
  if (activity === undefined) throw new Error('no case of activities');
  const { distance: _, ...others } = activity.table;
  const wrong = {
    ...others,
    ...{ calories: notKept('wrong'), visibility: kept(null, 'workout.name'), unseen: extra() },
  };
  t.same(faultsOf({ ...activity, table: wrong }), [
    'distance is not in the table',
    'unseen is in no item',
    'calories is not kept, and changes workout.calories_kcal',
    'visibility does not change workout.name',
  ]);
});
