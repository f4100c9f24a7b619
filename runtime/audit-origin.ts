import type { Caller } from '../contracts/auth.ts';
import type { Meta } from './environment.ts';

/** Who caused a change, and by which request; a handler finds its own as `ctx.origin`. */
export interface AuditOrigin {
  /**
   * `admin:{developer_id}`, `api_key:{key_id}`, `app:{app_id}`, `user:{user_id}`, `webhook:{provider}`,
   * `consent:{provider}` or `system:{service}`; null where nobody is logged in.
   */
  readonly actor: string | null;
  readonly requestId: string | null;
}

/** The origin of what a service does by itself: erasures, retention, work that is resumed. */
export function systemOrigin(service: string): AuditOrigin {
  return { actor: `system:${service}`, requestId: null };
}

/** The origin of a call: the holder of its credential, else the actor that its metadata names. */
export function originOf({ caller, actor }: Meta, requestId: string | null | undefined): AuditOrigin {
  return { actor: caller ? actorOf(caller) : (actor ?? null), requestId: requestId ?? null };
}

/** How the audit trail names the holder of a credential. */
export function actorOf(caller: Caller): string {
  if (caller.kind === 'developer') return `admin:${caller.developer_id}`;
  return caller.kind === 'sdk' ? `user:${caller.user_id}` : `api_key:${caller.id}`;
}
