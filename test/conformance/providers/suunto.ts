import { listedDescriptor } from './listed.ts';

/** A maker of sports watches: workouts, nights, samples of all day and the balance of recovery. */
export const suunto = listedDescriptor({
  ...{
    provider: 'suunto',
    rotates: true,
    notifiesDeletions: false,
  },
  notified: { type: 'workout', id: 'an unknown workout' },
  partialScopes: { doesNotApply: 'it has no scopes: whoever consents shares everything' },
  withoutRevocation: { doesNotApply: 'only the user can end our access, at the provider' },
});
