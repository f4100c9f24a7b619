import type { Caller } from '../../../contracts/auth/schemas.ts';
import type { AuditAction } from '../../../domain/audit.ts';
import { type NewAuditEntry, recordAudit } from '../../../mixins/database/audit.ts';
import { originOf } from '../../../runtime/audit-origin.ts';
import { failureOf } from '../../../runtime/failure.ts';
import { type Endpoint, pathParameters } from '../rules/endpoints.ts';
import { isHead } from './answer.ts';
import type { Exchange, Pipeline } from './exchange.ts';

/** A request whose credential was admitted, with its parameters. */
export interface Access {
  readonly caller: Caller | null;
  readonly params: Readonly<Record<string, unknown>>;
}

/**
 * The lines of an export. The audit entry is written before the first line is sent. An export that fails before its first
 * line (an unknown user) leaves no entry, nor does HEAD, which exports nothing. If the entry cannot be written, nothing is
 * exported.
 */
export async function* recordExport(
  pipeline: Pipeline,
  exchange: Exchange,
  access: Access,
  lines: AsyncGenerator<unknown>,
): AsyncGenerator<unknown> {
  const first = await lines.next();
  if (!isHead(exchange.res))
    await record(pipeline, exchange, access, auditedAs(exchange.endpoint) ?? 'user.exported');
  countRead(pipeline, exchange, access);
  if (first.done === true) return;
  yield first.value;
  yield* lines;
}

/**
 * Counts a read of health values, and writes the audit entry of a read of personal data if AUDIT_READS is set, before the
 * answer is sent.
 */
export async function recordRead(pipeline: Pipeline, exchange: Exchange, access: Access): Promise<void> {
  if (pipeline.config.AUDIT_READS && auditedAs(exchange.endpoint) === 'user.read')
    await record(pipeline, exchange, access, 'user.read');
  countRead(pipeline, exchange, access);
}

function countRead({ accesses }: Pipeline, { endpoint }: Exchange, access: Access): void {
  const { reads } = endpoint.route;
  const userId = userNamedBy(endpoint, access);
  // HEAD counts too: the length of an answer says whether there is data.
  if (reads !== undefined && access.caller !== null && userId !== null)
    accesses.note(access.caller, userId, reads);
}

/** Counts a read of a user, unless the request names the user, which counts anyway. */
export function noteRead(
  { accesses }: Pipeline,
  { endpoint }: Exchange,
  access: Access,
  userId: string,
): void {
  const { reads } = endpoint.route;
  if (reads !== undefined && access.caller !== null && userNamedBy(endpoint, access) !== userId)
    accesses.note(access.caller, userId, reads);
}

function userNamedBy({ route }: Endpoint, { params }: Access): string | null {
  const named = route.userOf === undefined ? params.user_id : route.userOf(params);
  return typeof named === 'string' ? named : null;
}

/** The action of a route's audit entry; a GET of one user's data is a read. Null if it needs no entry. */
export function auditedAs({ route }: Endpoint): AuditAction | null {
  if (typeof route.audit === 'string') return route.audit;
  if (route.audit !== undefined) return null;
  const isOfUser = route.userOf !== undefined || pathParameters(route.path).includes('user_id');
  return route.method === 'GET' && isOfUser ? 'user.read' : null;
}

async function record(
  pipeline: Pipeline,
  exchange: Exchange,
  access: Access,
  action: AuditAction,
): Promise<void> {
  const { req, endpoint } = exchange;
  const requestId = req.headers['x-request-id'];
  const origin = originOf({ caller: access.caller }, typeof requestId === 'string' ? requestId : null);
  const userId = userNamedBy(endpoint, access);
  const entry: NewAuditEntry = { action, userId, details: { route: endpoint.route.path } };
  try {
    await recordAudit(pipeline.database, origin, entry);
  } catch (error) {
    throw failureOf(error, pipeline.logger, 'gateway.audit');
  }
}
