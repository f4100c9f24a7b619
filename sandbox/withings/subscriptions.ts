import type { HttpRequest, Reply } from '../server/http.ts';
import { envelope, failure } from './envelope.ts';
import type { Subscription, WithingsAccount, WithingsWorld } from './state.ts';

const longestUrl = 255;
const probeMs = 2000;

/** The subscriptions of an account by a client, one per category and address. */
export function subscriptions(
  world: WithingsWorld,
  account: WithingsAccount,
  { request: { form }, clientId }: { readonly request: HttpRequest; readonly clientId: string },
): Reply | Promise<Reply> {
  const appli = Number(form.get('appli'));
  const callbackurl = form.get('callbackurl') ?? '';
  const isOwn = ({ client_id = world.own.withings.client_id }: Subscription) => client_id === clientId;
  const isSame = (one: Subscription) => isOwn(one) && one.appli === appli && one.callbackurl === callbackurl;
  switch (form.get('action')) {
    case 'list': {
      const isWanted = (one: Subscription) => isOwn(one) && (!form.has('appli') || one.appli === appli);
      const profiles = account.subscriptions.filter(isWanted).map(({ client_id: _, ...shown }) => shown);
      return envelope({ profiles });
    }
    case 'subscribe':
      return subscribe(world, account, {
        isSame,
        wanted: { appli, callbackurl, comment: form.get('comment') ?? '', client_id: clientId },
      });
    case 'revoke': {
      if (!account.subscriptions.some(isSame)) return failure(294, 'No such subscription could be deleted');
      account.subscriptions = account.subscriptions.filter((one) => !isSame(one));
      world.store.save();
      return envelope({});
    }
    default:
      return failure(503, 'Invalid Params: action');
  }
}

async function subscribe(
  { store }: WithingsWorld,
  account: WithingsAccount,
  { isSame, wanted }: { readonly isSame: (one: Subscription) => boolean; readonly wanted: Subscription },
): Promise<Reply> {
  const { callbackurl } = wanted;
  const isUrl = URL.canParse(callbackurl) && callbackurl.length <= longestUrl;
  if (!isUrl || !(await answersProbe(callbackurl)))
    return failure(293, 'The callback URL is either absent or incorrect');
  // Others were made or revoked while the address was asked.
  account.subscriptions = [...account.subscriptions.filter((one) => !isSame(one)), wanted];
  store.save();
  return envelope({});
}

/** The address must answer 200 to HEAD. */
async function answersProbe(url: string): Promise<boolean> {
  try {
    const options = { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(probeMs) } as const;
    return (await fetch(url, options)).status === 200;
  } catch {
    return false;
  }
}
