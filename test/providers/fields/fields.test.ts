import t from 'tap';
import { extra, type FieldTable, kept, notKept } from '../../../domain/provider/field-table.ts';
import { type ProviderName, providerNames, providers } from '../../../providers/all.ts';
import { activitynetCases } from './activitynet.ts';
import { fieldCases } from './cases.ts';
import { faultsOf } from './removal.ts';

for (const name of providerNames) {
  const [own, tables] = [fieldCases[name] ?? {}, providers[name].fields];
  t.test(`every table of ${name} is checked`, async (t) => {
    t.same(Object.keys(own).sort(), Object.keys(tables).sort());
    for (const [type, table] of Object.entries(tables)) t.equal(own[type]?.table, table);
  });
  for (const [type, given] of Object.entries(own))
    t.test(`each field of ${name} ${type} ends where its table says`, async (t) => {
      t.same(faultsOf(given), []);
    });
}

t.test('the connect page names blood oxygen and routes exactly where a provider delivers them', async (t) => {
  // Records of Apple Health in a file are read by the tables of the phone.
  const tablesOf = (name: ProviderName): readonly FieldTable[] =>
    (name === 'file' ? (['file', 'phone'] as const) : [name]).flatMap((one) =>
      Object.values(providers[one].fields),
    );
  const offenders = providerNames.flatMap((name) => {
    const ends = new Set(
      tablesOf(name).flatMap((table) =>
        Object.values(table).flatMap((field) => ('ends' in field ? field.ends : [])),
      ),
    );
    const delivered = [
      ...(ends.has('series.oxygen_saturation') ? ['oxygen_saturation'] : []),
      ...(ends.has('streams.latitude') ? ['routes'] : []),
    ];
    const named = providers[name].shares
      .filter((one) => one === 'oxygen_saturation' || one === 'routes')
      .toSorted();
    return String(named) === String(delivered) ? [] : [`${name} delivers ${delivered}, and names ${named}`];
  });
  t.same(offenders, []);
});

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
