import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import proxyAddr from 'proxy-addr';
import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { type ProviderName, providerNames } from '../../../providers/all.ts';
import { secretRoutes, settingsOf } from '../../../runtime/provider-settings.ts';

/**
 * Decides which requests may post webhooks. A secret address is a plain one with a secret as its last segment. The segment is removed
 * from the URL before anything else reads it, so that no log, trace or metric can contain it.
 */
export interface WebhookAccess {
  /** Removes a valid secret from the URL. With a wrong one, the URL has no route. */
  readSecret(req: IncomingMessage): void;
  /** @throws WEBHOOK_SENDER_REFUSED (403), WEBHOOK_ADDRESS_REFUSED (403) */
  check(req: IncomingMessage, provider: string, address: string): void;
}

const addresses = secretRoutes.map((route) => ({ route, start: `${route.path}/` }));

/** Creates the access check for the settings of a gateway. */
export function webhookAccess(config: Config): WebhookAccess {
  const withSecret = new WeakSet<IncomingMessage>();
  const senders = new Map<string, (address: string) => boolean>(
    providerNames.map((provider) => [provider, senderCheck(config, provider)]),
  );
  return {
    readSecret(req) {
      const route = addresses.find(({ start }) => req.url?.startsWith(start))?.route;
      if (route === undefined) return;
      const [path = '', ...query] = String(req.url).split('?');
      const given = path.slice(route.path.length + 1).replace(/\/$/, '');
      if (!isSecret(given, settingsOf(config, route.provider).webhookSecrets)) return;
      req.url = [route.path, ...query].join('?');
      withSecret.add(req);
    },
    check(req, provider, address) {
      if (senders.get(provider)?.(address) === false) throw new ServiceError('WEBHOOK_SENDER_REFUSED');
      if (!config.WEBHOOK_PLAIN && !withSecret.has(req)) throw new ServiceError('WEBHOOK_ADDRESS_REFUSED');
    },
  };
}

function senderCheck(config: Config, provider: ProviderName): (address: string) => boolean {
  const { webhookSenders } = settingsOf(config, provider);
  if (webhookSenders.length === 0) return () => true;
  const isListed = proxyAddr.compile([...webhookSenders]);
  return (address) => isListed(address, 0);
}

/** Compares with every secret of a list in constant time. */
function isSecret(given: string, secrets: readonly string[]): boolean {
  return secrets.map((secret) => equal(given, secret)).includes(true);
}

/** Compares two texts in constant time. */
export function equal(a: string, b: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(a), digest(b));
}
