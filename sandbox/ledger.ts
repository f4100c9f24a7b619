import type { SeriesType } from '../domain/series.ts';
import { isoTime } from '../domain/time.ts';
import type { Provider } from './simulation.ts';
import { noValues, type ValuedSeries } from './truth/series.ts';
import type { World } from './world.ts';

/**
 * What an application that lost nothing and doubled nothing has stored of one person: under each provider's name its
 * truth, or null where the person has no account. `waiting` counts the unsent notifications of all people.
 */
export function ledgerOf(world: World, providers: readonly Provider[], index: number) {
  const { state } = world.store;
  return {
    person: index + 1,
    title: world.person(index).traits.title.join(' '),
    now: isoTime(world.clock.nowMs()),
    waiting: state.letters.length,
    counts: state.counts,
    ...Object.fromEntries(providers.map(({ name, account }) => [name, account(index)?.truth() ?? null])),
  };
}

/** The samples that an application should have of a person, by provider; of one type, where it is given. */
export function samplesOf(
  providers: readonly Provider[],
  index: number,
  only: SeriesType | null,
): readonly (ValuedSeries & { readonly provider: string })[] {
  return providers.flatMap((provider) => {
    const values = noValues(only);
    provider.account(index)?.addSamples(values);
    return values.list().map((one) => ({ provider: provider.name, ...one }));
  });
}
