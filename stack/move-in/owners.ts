import { setTimeout as sleep } from 'node:timers/promises';
import { fieldOf } from '../../domain/error-code.ts';
import { isError } from '../../domain/errors.ts';
import type { Call } from '../../runtime/environment.ts';
import { codeOf } from '../../runtime/failure.ts';
import { StartError } from '../machine/start-error.ts';

const patienceMs = 60_000;
const firstPauseMs = 200;
const longestPauseMs = 5000;

/**
 * Calls an action again while its service is away, for a minute: everything that is moved is idempotent. A service that stays away
 * ends the run with a sentence; other failures are the caller's.
 */
export function patientCall(call: Call, signal: AbortSignal, waitMs = patienceMs): Call {
  return async (name, params, options) => {
    const deadline = performance.now() + waitMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      try {
        return await call(name, params, options);
      } catch (error) {
        if (!isTemporary(error)) throw error;
        if (performance.now() > deadline || signal.aborted) throw stayedAway(name, error);
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
    }
  };
}

/** Whether a failure concerns what was sent, so that the next call may succeed. */
export function isRefusal(error: unknown): boolean {
  return isError(error, 'VALIDATION_FAILED') || isError(error, 'INTERNAL');
}

/** Whether the user was erased here. */
export const isErased = (error: unknown): boolean =>
  isError(error, 'USER_ERASED') || isError(error, 'USER_NOT_FOUND');

// Moleculer's own failures have its codes: a service that no node has, a time-out, a lost node.
const temporaryStatus: ReadonlySet<unknown> = new Set([429, 503, 504, 507]);
const temporaryTypes: ReadonlySet<unknown> = new Set([
  'SERVICE_NOT_FOUND',
  'SERVICE_NOT_AVAILABLE',
  'REQUEST_TIMEOUT',
  'REQUEST_REJECTED',
  'NODE_DISCONNECTED',
]);

function isTemporary(error: unknown): boolean {
  return temporaryStatus.has(fieldOf(error, 'code')) || temporaryTypes.has(fieldOf(error, 'type'));
}

function stayedAway(action: string, error: unknown): StartError {
  const [service = ''] = action.split('.');
  const reason = codeOf(error);
  return new StartError(
    `The service ${service} of Pulsebus does not take more (${reason}): see that it runs and that its disk has space. What was moved stays: run the same command again to go on.`,
    { cause: error },
  );
}
