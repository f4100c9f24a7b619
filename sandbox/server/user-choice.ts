import { userTraits } from '../simulation/simulated-users.ts';
import type { Traits } from '../simulation/traits.ts';
import type { World } from '../simulation/world.ts';
import { ok, type Reply, refused } from './http.ts';
import type { Choice } from './page.ts';

const newUser = 'new';

/** The choices of a consent page: a new user, who has data of nobody yet, then users with an account, and others. */
export function userChoices(world: World, hasAccount: (traits: Traits) => boolean): Choice[] {
  const all = userIndexes(world).map((index) => ({ index, traits: world.user(index).traits }));
  const own = all.toSorted((a, b) => Number(hasAccount(b.traits)) - Number(hasAccount(a.traits)));
  const known = own.map(({ index, traits: { title, zone } }) => ({
    value: String(index + 1),
    label: `${title.join(' ')} (${zone})`,
  }));
  return [{ value: newUser, label: 'Somebody new' }, ...known];
}

/** The index of the user that a form selects, who may be a new one; null if it selects none. */
export function userOfForm(world: Pick<World, 'store'>, choice: string): number | null {
  if (choice !== newUser) return userOfChoice(world, choice);
  const { state } = world.store;
  state.more_people += 1;
  return userTraits.length + state.more_people - 1;
}

/** The index of the user with a number; null if there is none. */
export function userOfChoice({ store }: Pick<World, 'store'>, choice: string): number | null {
  const { state } = store;
  const index = /^\d{1,4}$/.test(choice) ? Number(choice) - 1 : -1;
  return index >= 0 && index < userTraits.length + state.more_people ? index : null;
}

/** The indexes of all users. */
export function userIndexes({ store }: Pick<World, 'store'>): number[] {
  return Array.from({ length: userTraits.length + store.state.more_people }, (_, index) => index);
}

/** Answers a request about the user with a number, or with 404. */
export function answerForUser(world: World, choice: string | null, serve: (index: number) => unknown): Reply {
  const index = userOfChoice(world, choice ?? '');
  return index === null
    ? refused('There is no such person: use a number of GET /people.', 404)
    : ok(serve(index));
}
