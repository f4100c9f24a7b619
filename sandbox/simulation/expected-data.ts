import type { SeriesType } from '../../domain/records/series.ts';
import { isoTime } from '../../domain/time/time.ts';
import { emptyValues, type ValuedSeries } from './expected-series.ts';
import type { Provider } from './simulation.ts';
import type { World } from './world.ts';

/**
 * The data that an application should have stored of one user, by provider: null if the user has no account.
 * `waiting` counts the unsent notifications of all users.
 */
export function expectedDataOf(world: World, providers: readonly Provider[], index: number) {
  const { state } = world.store;
  return {
    person: index + 1,
    title: world.user(index).traits.title.join(' '),
    now: isoTime(world.clock.nowMs()),
    waiting: state.letters.length,
    counts: state.counts,
    ...Object.fromEntries(
      providers.map(({ name, account }) => [name, account(index)?.expectedData() ?? null]),
    ),
  };
}

/** The samples that an application should have of a user, by provider, of one type or (null) of all. */
export function samplesOf(
  providers: readonly Provider[],
  index: number,
  only: SeriesType | null,
): readonly (ValuedSeries & { readonly provider: string })[] {
  return providers.flatMap((provider) => {
    const values = emptyValues(only);
    provider.account(index)?.addSamples(values);
    return values.list().map((one) => ({ provider: provider.name, ...one }));
  });
}
