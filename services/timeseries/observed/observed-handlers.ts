import type { Queryable } from '../../../mixins/database/database.ts';
import type { Settings } from '../settings.ts';
import { type ObservedQuery, observedSources, readObserved, readObservedItem } from './observed.ts';

interface Called<P> {
  readonly params: P;
  readonly reads: Queryable;
  readonly settings: Settings;
}

/** Reads of what Observations are made of. */
export const observedHandlers = {
  observed: ({ params, reads, settings }: Called<ObservedQuery>) =>
    readObserved({ database: reads, settings }, params),
  observedItem: ({ params, reads, settings }: Called<{ user_id: string; key: string }>) =>
    readObservedItem({ database: reads, settings }, params),
  observedSources: ({ params, reads, settings }: Called<{ user_id: string }>) =>
    observedSources({ database: reads, settings }, params.user_id),
};
