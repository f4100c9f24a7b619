import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Logger } from 'moleculer';
import proxyAddr from 'proxy-addr';
import type { Config } from '../../../config.ts';
import { ServiceError } from '../../../domain/errors.ts';
import type { Inbox } from '../../../mixins/inbox/inbox.ts';
import { type ProviderName, providerNames } from '../../../providers/all.ts';
import { secretRoutes, settingsOf } from '../../../runtime/provider-settings.ts';
import { unavailableFor } from './answer.ts';
import type { CountBytes } from './body.ts';

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

/**
 * The capacity of a gateway for webhooks and uploads: the bytes of bodies that are not stored yet, the number of deliveries
 * that wait to be processed, and the free disk space. Beyond it, requests are refused with 503 and Retry-After.
 */
export interface WebhookCapacity {
  /** @throws SERVICE_UNAVAILABLE (503, with Retry-After) while too many deliveries of a provider wait, or the disk is nearly full. */
  refuseIfFull(provider: string, res: ServerResponse): Promise<void>;
  /**
   * Runs `work`, which counts each byte that it holds; the bytes are released when it ends. The count throws
   * SERVICE_UNAVAILABLE (503, with Retry-After) if there is no memory left. One body alone may exceed it.
   */
  hold<T>(res: ServerResponse, work: (count: CountBytes) => Promise<T>): Promise<T>;
  /** The number of bytes that are held now. */
  heldBytes(): number;
}

/** Dependencies: the queue, and the free disk space (null if the disk is on another machine). */
interface CapacityDeps {
  readonly inbox: Pick<Inbox, 'waiting'>;
  freeBytes(): Promise<number | null>;
  readonly logger: Pick<Logger, 'warn'>;
  readonly now?: () => number;
}

type Limits = Pick<Config, 'WEBHOOK_MEMORY_MIB' | 'QUEUE_LIMIT' | 'DISK_RESERVE_MIB'>;

const mebibyte = 1024 * 1024;
const readAgainMs = 1000;
const warnAgainMs = 60_000;
const retryBodySeconds = 5;
const retryQueueSeconds = 30;
const retryDiskSeconds = 600;

/** Creates the capacity of one gateway. */
export function webhookCapacity(
  { WEBHOOK_MEMORY_MIB, QUEUE_LIMIT, DISK_RESERVE_MIB }: Limits,
  { inbox, freeBytes, logger, now = Date.now }: CapacityDeps,
): WebhookCapacity {
  let heldBytes = 0;
  let warnedAtMs = Number.NEGATIVE_INFINITY;
  // A failed count does not refuse the request: storing the delivery reports the failure of the database.
  const waiting = keptFor(now, (provider) => inbox.waiting(provider, QUEUE_LIMIT).catch(() => 0));
  const free = keptFor(now, () => freeBytes());
  const isDiskFull = async () => {
    const bytes = await free('');
    return bytes !== null && bytes < DISK_RESERVE_MIB * mebibyte;
  };
  return {
    async refuseIfFull(provider, res) {
      if ((await waiting(provider)) >= QUEUE_LIMIT)
        throw unavailableFor(res, retryQueueSeconds, 'Too many deliveries wait for their work.');
      if (!(await isDiskFull())) return;
      if (now() - warnedAtMs >= warnAgainMs) {
        warnedAtMs = now();
        logger.warn('webhook.disk_full', { limit: 'DISK_RESERVE_MIB' });
      }
      throw unavailableFor(res, retryDiskSeconds, 'No more deliveries can be stored for now.');
    },
    async hold(res, work) {
      let ownBytes = 0;
      try {
        return await work((bytes) => {
          if (heldBytes + bytes > WEBHOOK_MEMORY_MIB * mebibyte && heldBytes > ownBytes)
            throw unavailableFor(res, retryBodySeconds, 'Too many large bodies are arriving at once.');
          ownBytes += bytes;
          heldBytes += bytes;
        });
      } finally {
        heldBytes -= ownBytes;
      }
    },
    heldBytes: () => heldBytes,
  };
}

/** Reads a value by key at most once a second. */
function keptFor<T>(now: () => number, read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const values = new Map<string, { readonly atMs: number; readonly value: Promise<T> }>();
  return (key) => {
    const last = values.get(key);
    if (last !== undefined && now() - last.atMs < readAgainMs) return last.value;
    const value = read(key);
    values.set(key, { atMs: now(), value });
    return value;
  };
}
