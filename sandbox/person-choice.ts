import { ok, type Reply, refused } from './http.ts';
import type { Choice } from './page.ts';
import { people } from './people.ts';
import type { Traits } from './traits.ts';
import type { World } from './world.ts';

const newPerson = 'new';

/** The choices of a consent page: the people, those who have an account first, and a new person. */
export function peopleChoices(world: World, hasAccount: (traits: Traits) => boolean): Choice[] {
  const all = peopleIn(world).map((index) => ({ index, traits: world.person(index).traits }));
  const own = all.toSorted((a, b) => Number(hasAccount(b.traits)) - Number(hasAccount(a.traits)));
  const known = own.map(({ index, traits: { title, zone } }) => ({
    value: String(index + 1),
    label: `${title.join(' ')} (${zone})`,
  }));
  return [...known, { value: newPerson, label: 'Somebody new' }];
}

/** The index of the person that a choice of the form names; adds a new person. Null where it names none. */
export function personOfForm(world: Pick<World, 'store'>, choice: string): number | null {
  if (choice !== newPerson) return personOfChoice(world, choice);
  const { state } = world.store;
  state.more_people += 1;
  return people.length + state.more_people - 1;
}

/** The index of the person of a number; null where there is none. */
export function personOfChoice({ store }: Pick<World, 'store'>, choice: string): number | null {
  const { state } = store;
  const index = /^\d{1,4}$/.test(choice) ? Number(choice) - 1 : -1;
  return index >= 0 && index < people.length + state.more_people ? index : null;
}

/** The indexes of all people. */
export function peopleIn({ store }: Pick<World, 'store'>): number[] {
  return Array.from({ length: people.length + store.state.more_people }, (_, index) => index);
}

/** Answers about the person whose number is given, or 404. */
export function ofPerson(world: World, choice: string | null, serve: (index: number) => unknown): Reply {
  const index = personOfChoice(world, choice ?? '');
  return index === null
    ? refused('There is no such person: use a number of GET /people.', 404)
    : ok(serve(index));
}
