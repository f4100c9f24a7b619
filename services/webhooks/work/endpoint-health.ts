import type { Logger } from 'moleculer';
import { dayMs } from '../../../domain/time/time.ts';
import type { Database } from '../../../mixins/database/database.ts';
import { codeOf } from '../../../runtime/failure.ts';
import { type DeliveryPace, failingDays, isOwnFailure, type Outcome, restMs } from '../rules/outcome.ts';
import {
  type AddressedEndpoint,
  disableEndpoint,
  type HealthReason,
  noteFailure,
  noteSuccess,
} from '../tables/endpoints.ts';
import type { MessageLease } from '../tables/message-leases.ts';

/** Stores since when endpoints fail, and disables those that fail for too long or are gone. */
export interface EndpointHealth {
  /** Never throws: the next outcome has the same effect. */
  note(lease: Receiving, outcome: Outcome): Promise<void>;
}

type Receiving = Pick<MessageLease, 'endpoint_id' | 'url' | 'failing_since'>;

interface HealthDeps {
  readonly database: Database;
  readonly logger: Pick<Logger, 'warn' | 'info'>;
  readonly pace: DeliveryPace;
}

const successEveryMs = 1000;

/** The health of endpoints, as this process observes it. */
export function newEndpointHealth({ database, logger, pace }: HealthDeps): EndpointHealth {
  const notedAtMs = new Map<string, number>();
  const succeed = async (endpoint: AddressedEndpoint) => {
    const { endpoint_id: endpointId } = endpoint;
    const nowMs = performance.now();
    if (nowMs - (notedAtMs.get(endpointId) ?? -Infinity) < successEveryMs) return;
    notedAtMs.set(endpointId, nowMs);
    await noteSuccess(database, endpoint);
  };
  const fail = async (endpoint: Receiving, { attempt, pauseMs }: Outcome) => {
    const { endpoint_id: id, failing_since } = endpoint;
    const aheadMs = pace.aheadMs();
    notedAtMs.delete(id);
    const nowMs = Date.now() + aheadMs;
    const restsMs = failing_since === null ? null : restMs(nowMs - failing_since.getTime());
    await noteFailure(database, endpoint, { aheadMs, pauseMs: longer(pauseMs, restsMs) });
    const reason = reasonOf(attempt?.status ?? null, failing_since, nowMs);
    if (reason !== null && (await disableEndpoint(database, endpoint, { reason, aheadMs })))
      logger.warn('webhook_endpoint.disabled', { endpoint_id: id, reason });
  };
  return {
    async note(lease, outcome) {
      try {
        if (outcome.state === 'delivered') await succeed(lease);
        else if (outcome.isFailure && !isOwnFailure(outcome.attempt)) await fail(lease, outcome);
      } catch (error) {
        logger.warn('webhook_endpoint.not_noted', { endpoint_id: lease.endpoint_id, code: codeOf(error) });
      }
    },
  };
}

function longer(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.max(a, b);
}

function reasonOf(status: number | null, failingSince: Date | null, nowMs: number): HealthReason | null {
  if (status === 410) return 'gone';
  const isOld = failingSince !== null && failingSince.getTime() <= nowMs - failingDays * dayMs;
  return isOld ? 'failing' : null;
}
