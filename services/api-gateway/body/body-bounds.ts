import type { Config } from '../../../config.ts';
import type { HttpRoute } from '../../../domain/contract.ts';
import type { Reading } from './body-reading.ts';

const mebibyte = 1024 * 1024;
/** The largest body of a webhook: one notification contains an activity of several hours at 1 Hz. */
export const webhookLimitBytes = 128 * mebibyte;
const otherLimitBytes = mebibyte;

/** The bounds of the body of a request to a route. */
export function bodyBounds(config: Config, { bodyLimitBytes, delivery }: HttpRoute): Reading {
  return {
    limitBytes: bodyLimitBytes ?? (delivery === undefined ? otherLimitBytes : webhookLimitBytes),
    maxRatio: config.BODY_MAX_RATIO,
    timeoutMs: config.BODY_TIMEOUT_SECONDS * 1000,
    count: () => undefined,
    ending: new AbortController(),
  };
}
