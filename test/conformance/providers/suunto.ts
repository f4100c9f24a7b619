import { listedDescriptor } from './listed.ts';

/** A maker of sports watches: workouts, nights, samples of all day and the balance of recovery. */
export const suunto = listedDescriptor({
  ...{
    provider: 'suunto',
    header: 'X-HMAC-SHA256-Signature',
    encoding: 'hex',
    rotates: true,
    notifiesDeletions: false,
  },
  notified: { type: 'workout', id: 'an unknown workout' },
  series: ['heart_rate', 'oxygen_saturation', 'heart_rate_variability_rmssd', 'recovery_score'],
  partialScopes: { doesNotApply: 'it has no scopes: whoever consents shares everything' },
  withoutRevocation: { doesNotApply: 'only the user can end our access, at the provider' },
});
