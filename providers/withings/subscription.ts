import { z } from 'zod';
import type { AccountSubscription } from '../../domain/pulled-provider.ts';
import { dayMs } from '../../domain/time.ts';
import { bodyOf } from './calls.ts';
import { categoriesOf } from './notifications.ts';

const Profiles = z.array(z.object({ appli: z.coerce.number(), callbackurl: z.string().catch('') }));

/** One subscription per user and category. They may end without a word, so they are listed each day. */
export const subscription: AccountSubscription = {
  of: 'account',
  everyMs: dayMs,
  list: () => ({ path: '/notify', form: { action: 'list' } }),
  missing: (_, reply, { address, scope }) => {
    const profiles = Profiles.safeParse(bodyOf(reply)?.profiles ?? []).data;
    if (profiles === undefined) return null;
    const held = new Set(profiles.filter((one) => one.callbackurl === address).map(({ appli }) => appli));
    const subscribe = { action: 'subscribe', callbackurl: address, comment: 'pulsebus' };
    return categoriesOf(scope)
      .filter((appli) => !held.has(appli))
      .map((appli) => ({ path: '/notify', form: { ...subscribe, appli: String(appli) } }));
  },
};
