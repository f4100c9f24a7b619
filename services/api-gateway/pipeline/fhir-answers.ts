import type { IncomingMessage, ServerResponse } from 'node:http';
import { apiPrefix } from '../../../domain/contract.ts';

const answers = new WeakSet<ServerResponse>();
const paths = new RegExp(`${apiPrefix}/fhir(/|$)`);

/** Marks an answer below the address of the FHIR API: it is a resource, also if no route has the path. */
export function markFhir(res: ServerResponse, path: string): void {
  if (paths.test(path)) answers.add(res);
}

/** Whether an answer is of the FHIR API. */
export function isFhir(res: ServerResponse): boolean {
  return answers.has(res);
}

/** Whether a client wants unknown parameters to be ignored: `Prefer: handling=lenient`. */
export function isLenient({ headers }: IncomingMessage): boolean {
  return /(^|[,;\s])handling=lenient($|[,;\s])/.test(String(headers.prefer ?? ''));
}
