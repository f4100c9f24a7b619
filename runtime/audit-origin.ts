import type { Caller } from '../contracts/auth/schemas.ts';
import type { Meta } from './environment.ts';

/** The actor and the request that caused a change. A handler's own is `ctx.origin`. */
export interface AuditOrigin {
  /**
   * `admin:{developer_id}`, `api_key:{key_id}`, `app:{app_id}`, `user:{user_id}`, `webhook:{provider}`,
   * `consent:{provider}` or `system:{service}`. Null without a login.
   */
  readonly actor: string | null;
  readonly requestId: string | null;
  /** The project of the caller. Null: that of the user whom the change concerns, otherwise `default`. */
  readonly projectId?: string | null;
}

/** The origin of background work of a service: erasures, retention, resumed work. */
export function systemOrigin(service: string): AuditOrigin {
  return { actor: `system:${service}`, requestId: null };
}

/** The origin of what a move brings in from another installation, whatever process calls the action. */
export function moveInOrigin({ requestId }: AuditOrigin, projectId: string): AuditOrigin {
  return { ...systemOrigin('move-in'), requestId, projectId };
}

/** The origin of a call: the holder of its credential, otherwise the actor in its metadata. */
export function originOf({ caller, actor }: Meta, requestId: string | null | undefined): AuditOrigin {
  return {
    actor: caller ? actorOf(caller) : (actor ?? null),
    requestId: requestId ?? null,
    projectId: caller?.project_id ?? null,
  };
}

/** The actor of a credential in audit entries. */
export function actorOf(caller: Caller): string {
  if (caller.kind === 'developer') return `admin:${caller.developer_id}`;
  return caller.kind === 'sdk' ? `user:${caller.user_id}` : `api_key:${caller.id}`;
}
