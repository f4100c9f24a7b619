import { isProviderName, isPulled, outside, pullOf } from '../../../providers/all.ts';
import type { OutsideDescription } from '../../../providers/outside/description.ts';
import { isPart } from '../../../sandbox/outside.ts';
import type { Product } from '../product.ts';
import type { Account, Descriptor } from '../scenarios.ts';
import { listedDescriptor } from './listed.ts';
import { polledDescriptor } from './polled.ts';

/** The descriptors of the providers of PROVIDERS: what differs between them follows from their descriptions. */
export const outsideDescriptors: Readonly<Record<string, Descriptor>> = Object.fromEntries(
  outside.descriptions.map((one) => [one.name, descriptorOf(one)]),
);

function descriptorOf({ name, collections, twin, provider: { oauth } }: OutsideDescription): Descriptor {
  if (!isProviderName(name) || !isPulled(name)) throw new Error(`${name} is not read`);
  const scopes = [...new Set(Object.values(collections).flatMap((one) => one.scopes.slice(0, 1)))];
  const isScopeOfAll = Object.values(collections).some((one) => one.scopes.length === 0);
  const asked = (oauth.scope ?? '').split(/[\s,]+/);
  const chosen = scopes.filter((scope) => asked.includes(scope));
  const common = {
    provider: name,
    partialScopes:
      chosen.length > 1 && !isScopeOfAll
        ? { without: chosen.slice(0, 1), tooLittle: chosen }
        : { doesNotApply: 'its scopes do not distinguish the kinds of data' },
    ...(oauth.revocation === null
      ? { withoutRevocation: { doesNotApply: 'only the user can end our access, at the provider' } }
      : {}),
  };
  const { notifications } = pullOf(name);
  if (notifications === null) return polledDescriptor({ ...common, stored: oneRecord });
  const [named] = notifications.read(Buffer.from(JSON.stringify(notifications.example))) ?? [];
  if (named?.kind !== 'changed' || named.id === undefined)
    throw new Error(`${name}: pull.notifications.example names no change of a record`);
  const { account, id } = named;
  const [type = ''] = named.types;
  const deletion = { kind: 'change', account, type, id, operation: 'delete', ms: 0, start_ms: 0 } as const;
  return listedDescriptor({
    ...common,
    notified: { type, id },
    rotates: !('tokensLast' in twin),
    notifiesDeletions: isPart(twin) && twin.event?.(deletion) != null,
  });
}

const recorded = `
  select i.data_type as type, i.key as id from timeseries.item i where i.user_id = $1 and exists (
    select from timeseries.sleep_session s where s.user_id = $1 and s.id = any (i.record_ids)
    union all select from timeseries.workout w where w.user_id = $1 and w.id = any (i.record_ids))
  order by i.key desc limit 1`;

/** A night or a workout, which the user deletes at a provider without notifications. */
async function oneRecord({ api }: Product, { userId }: Account) {
  const [row] = await api.database.query<{ type: string; id: string }>(recorded, [userId]);
  if (row === undefined) throw new Error('the user has no night and no workout');
  return row;
}
