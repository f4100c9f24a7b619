import type { HttpRequest, Reply } from '../server/http.ts';
import { envelope, failure } from './envelope.ts';
import type { WithingsAccount, WithingsWorld } from './state.ts';

const longestUrl = 255;
const probeMs = 2000;

/** The subscriptions of an account, one per category and address. */
export function subscriptions(
  world: WithingsWorld,
  account: WithingsAccount,
  request: HttpRequest,
): Reply | Promise<Reply> {
  const { form } = request;
  const appli = Number(form.get('appli'));
  const callbackurl = form.get('callbackurl') ?? '';
  const isSame = (one: WithingsAccount['subscriptions'][number]) =>
    one.appli === appli && one.callbackurl === callbackurl;
  switch (form.get('action')) {
    case 'list': {
      const isWanted = (one: { appli: number }) => !form.has('appli') || one.appli === appli;
      return envelope({ profiles: account.subscriptions.filter(isWanted) });
    }
    case 'subscribe':
      return subscribe(world, account, { appli, callbackurl, comment: form.get('comment') ?? '' });
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
  wanted: WithingsAccount['subscriptions'][number],
): Promise<Reply> {
  const { appli, callbackurl } = wanted;
  const isUrl = URL.canParse(callbackurl) && callbackurl.length <= longestUrl;
  if (!isUrl || !(await answersProbe(callbackurl)))
    return failure(293, 'The callback URL is either absent or incorrect');
  const others = account.subscriptions.filter(
    (one) => one.appli !== appli || one.callbackurl !== callbackurl,
  );
  account.subscriptions = [...others, wanted];
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
