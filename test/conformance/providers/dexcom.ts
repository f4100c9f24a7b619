import { polledDescriptor } from './polled.ts';

const [fiveMinutesMs, delayMs] = [300_000, 3_600_000];

/** A maker of glucose sensors: readings, what its users typed in, and calibrations. It notifies of nothing. */
export const dexcom = polledDescriptor({
  provider: 'dexcom',
  // A reading is listed an hour after its time.
  stored({ sandbox }) {
    const listedMs = sandbox.world.clock.nowMs() - delayMs;
    const ms = Math.floor(listedMs / fiveMinutesMs) * fiveMinutesMs;
    return { type: 'egvs', id: `egv-${ms}`, value: { series: 'blood_glucose', ms } };
  },
  // The first user lives in Europe, the others in turn elsewhere.
  regionOf: (person) => (Math.floor(person / 6) % 2 === 0 ? 'eu' : 'us'),
  partialScopes: { doesNotApply: 'its one scope is for the refresh token' },
  withoutRevocation: { doesNotApply: 'only the user can end our access, in the account' },
});
