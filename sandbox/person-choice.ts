import type { Choice } from './page.ts';
import { people } from './people.ts';
import type { World } from './world.ts';

const newPerson = 'new';

/** Whom somebody may be on a consent page: the people there are, and a new one. */
export function peopleChoices(world: World, provider: 'devicemaker' | 'activitynet'): Choice[] {
  const all = peopleIn(world).map((index) => ({ index, ...world.person(index).traits }));
  const own = all.toSorted(
    (a, b) => Number(b.providers.includes(provider)) - Number(a.providers.includes(provider)),
  );
  const known = own.map(({ index, title, zone }) => ({
    value: String(index + 1),
    label: `${title.join(' ')} (${zone})`,
  }));
  return [...known, { value: newPerson, label: 'Somebody new' }];
}

/** The index of the person that a choice of the form means; somebody new moves in. Null where it means nobody. */
export function personOfForm(world: Pick<World, 'store'>, choice: string): number | null {
  if (choice !== newPerson) return personOfChoice(world, choice);
  const { book } = world.store;
  book.more_people += 1;
  return people.length + book.more_people - 1;
}

/** The index of the person of a number; null where there is nobody. */
export function personOfChoice({ store }: Pick<World, 'store'>, choice: string): number | null {
  const { book } = store;
  const index = /^\d{1,4}$/.test(choice) ? Number(choice) - 1 : -1;
  return index >= 0 && index < people.length + book.more_people ? index : null;
}

/** The indexes of everybody there is. */
export function peopleIn({ store }: Pick<World, 'store'>): number[] {
  return Array.from({ length: people.length + store.book.more_people }, (_, index) => index);
}
