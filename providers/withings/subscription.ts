import { z } from 'zod';
import type { Reply, SubscriptionEnding } from '../../domain/provider/provider.ts';
import type { AccountSubscription } from '../../domain/provider/pulled-provider.ts';
import { dayMs } from '../../domain/time/time.ts';
import { bodyOf } from './calls.ts';
import { categoriesOf } from './notifications.ts';

const path = '/notify';
const list = { path, form: { action: 'list' } };
const Profiles = z.array(z.object({ appli: z.coerce.number(), callbackurl: z.string().catch('') }));

function profilesOf(reply: Reply) {
  return Profiles.safeParse(bodyOf(reply)?.profiles ?? []).data ?? null;
}

/** One subscription per user and category. They may end without a word, so they are listed each day. */
export const subscription: AccountSubscription = {
  of: 'account',
  everyMs: dayMs,
  list: () => list,
  missing: (_, reply, { address, scope }) => {
    const profiles = profilesOf(reply);
    if (profiles === null) return null;
    const held = new Set(profiles.filter((one) => one.callbackurl === address).map(({ appli }) => appli));
    const subscribe = { action: 'subscribe', callbackurl: address, comment: 'pulsebus' };
    return categoriesOf(scope)
      .filter((appli) => !held.has(appli))
      .map((appli) => ({ path, form: { ...subscribe, appli: String(appli) } }));
  },
};

/** There is no request that ends the access. All subscriptions of the account end, those of former addresses too. */
export const subscriptionEnding: SubscriptionEnding = {
  ends: 'subscriptions',
  list,
  requests: (listed) => {
    const ended = (appli: number, callbackurl: string) => ({
      action: 'revoke',
      callbackurl,
      appli: String(appli),
    });
    const profiles = bodyOf(listed) === null ? null : profilesOf(listed);
    return profiles?.map(({ appli, callbackurl }) => ({ path, form: ended(appli, callbackurl) })) ?? null;
  },
};
