import cluster from 'node:cluster';
import type { Config } from '../../config.ts';
import { type Channel, workerWindows } from './shared-windows.ts';
import { type AddressWindows, Windows } from './windows.ts';

type Limits = Pick<Config, 'RATE_LIMIT_WEBHOOK' | 'RATE_LIMIT_FAILURES' | 'RATE_LIMIT_ADDRESS'>;

/** The rate-limit windows of a gateway. A worker of a primary process uses those of the primary. */
export function addressWindows(config: Limits): AddressWindows {
  const channel = channelToPrimary();
  return channel === null ? ownWindows(config) : workerWindows(channel, limitsOf(config));
}

/** Windows in the memory of this process. */
export function ownWindows(config: Limits): AddressWindows {
  const { webhook, failures, rest } = limitsOf(config);
  return { webhook: new Windows(webhook), failures: new Windows(failures), rest: new Windows(rest) };
}

function limitsOf({ RATE_LIMIT_WEBHOOK, RATE_LIMIT_FAILURES, RATE_LIMIT_ADDRESS }: Limits) {
  return { webhook: RATE_LIMIT_WEBHOOK, failures: RATE_LIMIT_FAILURES, rest: RATE_LIMIT_ADDRESS };
}

function channelToPrimary(): Channel | null {
  const { worker } = cluster;
  if (worker === undefined) return null;
  return {
    send: (message) => worker.send(message),
    onMessage: (listener) => void process.on('message', listener),
    onDisconnect: (listener) => void worker.once('disconnect', listener),
  };
}
