import type { Test } from 'tap';
import { z } from 'zod';
import { pendingSentence } from '../../../contracts/devicemaker-ingest/answers.ts';
import { dataTypes } from '../../../providers/devicemaker/data-types.ts';
import { type ChangedItem, changedItems, smallItem } from '../../fixtures/devicemaker/changed-fields.ts';
import { createWearer, push, type TestApi } from '../../support/api.ts';

const Answer = z.object({ errors: z.array(z.string()) });

// A record of its own for each item: an older version would be left out of the store.
const startFields = ['startTimeInSeconds', 'measurementTimeInSeconds', 'activityId'];

function apart({ path, item }: ChangedItem, index: number): Record<string, unknown> {
  const moved = Object.entries(item).map(([name, value]) => {
    const isMoved = startFields.includes(name) && name !== path && typeof value === 'number';
    return [name, isMoved ? value - index * 86_400 : value];
  });
  return Object.fromEntries(moved);
}

// Sent again while the rest of it waits for a service, so that the sentences of all items are there.
async function errorsOf(t: Test, api: TestApi, body: Record<string, unknown>): Promise<string[]> {
  for (;;) {
    const answer = await push(api, body);
    t.equal(answer.status, 200);
    const { errors } = Answer.parse(answer.body);
    if (!errors.includes(pendingSentence)) return errors;
  }
}

/**
 * Pushes items with a changed field, every nth of all changes of all fields, and checks that each is stored or refused for a
 * reason of its own.
 */
export async function checkChangedItems(t: Test, api: TestApi, nth: number): Promise<void> {
  for (const { name } of dataTypes)
    await t.test(
      `${name}: an item with a changed field is stored or refused for a reason of its own`,
      async (t) => {
        const { account } = await createWearer(api);
        const items = changedItems(smallItem(name, account))
          .filter((_, index) => index % nth === 0)
          .map(apart);
        const errors = await errorsOf(t, api, { [name]: items });
        t.ok(errors.length > 0 && errors.length < 1000, 'bad values are named, and all of them');
        t.same(
          errors.filter((sentence) => !sentence.startsWith(`${name}[`) || /could not be/.test(sentence)),
          [],
        );
      },
    );
}
