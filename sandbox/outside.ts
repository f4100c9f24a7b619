import { isItem } from '../domain/recipe/read-fields.ts';
import { isProviderName, isPulled, outside, type PulledName, providers } from '../providers/all.ts';
import type { OutsideDescription } from '../providers/outside/description.ts';
import type { Twin } from './listed/described.ts';
import { listedTwin } from './listed/twin.ts';

type Played = ReturnType<typeof listedTwin<PulledName>>;
const functions = ['hasAccount', 'account'] as const;

type Part = Omit<Twin, 'name' | 'provider' | 'collections'>;

/** The simulations of the providers that PROVIDERS adds, and a sentence for each that cannot be simulated: it is left out. */
export const outsideTwins: { readonly simulations: readonly Played[]; readonly problems: readonly string[] } =
  playedOf(outside.descriptions);

function playedOf(descriptions: readonly OutsideDescription[]) {
  const simulations: Played[] = [];
  const problems: string[] = [];
  for (const { name, collections, twin } of descriptions)
    try {
      if (!isProviderName(name) || !isPulled(name))
        throw new Error(`${name} cannot be simulated: it is not read`);
      if (!isPart(twin)) throw new Error(`${name} cannot be simulated: twin needs hasAccount and account`);
      simulations.push(listedTwin<PulledName>({ ...twin, name, provider: providers[name], collections }));
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error));
    }
  return { simulations, problems };
}

/** Whether the part of a description for its simulation has its functions. */
export function isPart(value: object): value is Part {
  return isItem(value) && functions.every((name) => typeof value[name] === 'function');
}
