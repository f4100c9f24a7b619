import cluster from 'node:cluster';
import type { Config } from '../../../config.ts';
import { type Channel, workerWindows } from './shared-windows.ts';
import { type AddressWindows, type WindowKind, Windows } from './windows.ts';

type Limits = Pick<
  Config,
  | 'RATE_LIMIT_WEBHOOK'
  | 'RATE_LIMIT_FAILURES'
  | 'RATE_LIMIT_ADDRESS'
  | 'RATE_LIMIT_UPLOADS'
  | 'RATE_LIMIT_UPLOAD_ITEMS'
>;

/** The rate-limit windows of a gateway. A worker of a primary process uses those of the primary. */
export function addressWindows(config: Limits): AddressWindows {
  const channel = channelToPrimary();
  return channel === null ? ownWindows(config) : workerWindows(channel, limitsOf(config));
}

/** Windows in the memory of this process. */
export function ownWindows(config: Limits): AddressWindows {
  const limits = limitsOf(config);
  const own = (kind: WindowKind) => new Windows(limits[kind]);
  return {
    ...{ webhook: own('webhook'), failures: own('failures'), rest: own('rest') },
    ...{ uploads: own('uploads'), userUploads: own('userUploads'), uploadItems: own('uploadItems') },
  };
}

/** A user may have two installations at work. */
const installationsAtOnce = 2;

function limitsOf(config: Limits): Readonly<Record<WindowKind, number>> {
  return {
    webhook: config.RATE_LIMIT_WEBHOOK,
    failures: config.RATE_LIMIT_FAILURES,
    rest: config.RATE_LIMIT_ADDRESS,
    uploads: config.RATE_LIMIT_UPLOADS,
    userUploads: installationsAtOnce * config.RATE_LIMIT_UPLOADS,
    uploadItems: config.RATE_LIMIT_UPLOAD_ITEMS,
  };
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
