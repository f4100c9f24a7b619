import { polledValuesDescriptor } from './polled-values.ts';

const [fiveMinutesMs, delayMs] = [300_000, 3_600_000];

/** A maker of glucose sensors: readings, what its users typed in, and calibrations. It notifies of nothing. */
export const dexcom = polledValuesDescriptor({
  provider: 'dexcom',
  // A reading is listed an hour after its time.
  listed(nowMs) {
    const ms = Math.floor((nowMs - delayMs) / fiveMinutesMs) * fiveMinutesMs;
    return { type: 'egvs', id: `egv-${ms}`, series: 'blood_glucose', ms };
  },
  partialScopes: { doesNotApply: 'its one scope is for the refresh token' },
  endedInProduct: { doesNotApply: 'only the user can end our access, in the account' },
});
