import t from 'tap';
import { recordedFixtures } from '../../fixtures/recorded/all.ts';
import { fieldCases } from './cases.ts';
import { faultsInPart } from './removal.ts';

const permissive = /^(MIT|Apache-2\.0|BSD-[23]-Clause|ISC)\b/;

for (const { name, recorded, outdone } of recordedFixtures)
  for (const [type, origins] of Object.entries(recorded))
    t.test(`each field of recorded bodies of ${name} ${type} ends somewhere or is named`, async (t) => {
      const found = fieldCases[name]?.[type];
      if (found === undefined) throw new Error(`${name} has no type ${type}`);
      for (const { repository, path, commit, licence } of origins) {
        t.match(repository, /^[\w-]+\/[\w.-]+$/);
        t.match(commit, /^[0-9a-f]{40}$/, path);
        t.match(licence, permissive, `${repository} permits it`);
      }
      const items = origins.flatMap((origin) => origin.items);
      t.same(faultsInPart({ ...found, items }), outdone[type] ?? []);
    });
