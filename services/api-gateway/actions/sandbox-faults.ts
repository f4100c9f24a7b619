import { z } from 'zod';
import { Nothing } from '../../../domain/contract.ts';
import { ServiceError } from '../../../domain/errors.ts';
import { parseParams } from '../../../domain/params.ts';
import { ProviderName } from '../../../providers/all.ts';
import type { Endpoint } from '../rules/endpoints.ts';
import { admit, authorise, enter } from '../work/admission.ts';
import { sendJson } from '../work/answer.ts';
import type { Exchange, Pipeline } from '../work/exchange.ts';
import { gather } from '../work/parameters.ts';
import { withSession } from './console.ts';

const Fault = z.object({
  id: z.int(),
  kind: z.string(),
  provider: z.string().nullable(),
  hits: z.int(),
});
const Faults = z.array(Fault);
const NewFault = z.object({ kind: z.string().max(50), provider: ProviderName.optional() });
const FaultId = z.object({ fault_id: z.coerce.number().pipe(z.int().positive()) });

const route = {
  access: 'operations',
  tag: 'Console',
  audit: { none: 'Faults concern simulated providers only.' },
} as const;
const definition = { summary: 'Faults of the sandbox', returns: Faults };
const at = (
  method: 'GET' | 'POST' | 'DELETE',
  params: z.ZodType,
  path: Endpoint['route']['path'],
): Endpoint => ({
  action: 'api-gateway.sandboxFaults',
  definition: { ...definition, params },
  route: { ...route, method, path },
});

/** The routes of the sandbox's faults, below the path of the console. They are not part of the API. */
export const faultEndpoints: readonly Endpoint[] = [
  at('GET', Nothing, '/sandbox/faults'),
  at('POST', NewFault, '/sandbox/faults'),
  at('DELETE', FaultId, '/sandbox/faults/:fault_id'),
];

/** Lists, starts or ends faults of the sandbox, and answers the active ones. @throws ROUTE_NOT_FOUND (404) without a sandbox */
export async function serveFaults(pipeline: Pipeline, exchange: Exchange): Promise<void> {
  const { SANDBOX_URL: url } = pipeline.config;
  if (url === undefined) {
    await enter(pipeline, exchange, true);
    throw new ServiceError('ROUTE_NOT_FOUND');
  }
  const own = await withSession(pipeline, exchange);
  authorise(await admit(pipeline, own), own);
  const given = await gather(pipeline, own);
  await change(`${url}/faults`, exchange.endpoint, given);
  sendJson(exchange.res, 200, Faults.parse(await ask(`${url}/faults`)));
}

async function change(faults: string, { route: { method } }: Endpoint, given: unknown): Promise<void> {
  if (method === 'POST') {
    const body = JSON.stringify(parseParams(NewFault, given));
    await ask(faults, { method, body, headers: { 'Content-Type': 'application/json' } });
  }
  if (method === 'DELETE') await ask(`${faults}/${parseParams(FaultId, given).fault_id}`, { method });
}

const timeoutMs = 5000;

// A fault that has ended already is as wanted.
async function ask(url: string, init: RequestInit = {}): Promise<unknown> {
  const answer = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) }).catch(
    (cause: unknown) => {
      throw new ServiceError('SERVICE_UNAVAILABLE', 'The sandbox does not answer.', undefined, cause);
    },
  );
  if (answer.ok || answer.status === 404) return answer.json();
  await answer.body?.cancel();
  throw new ServiceError('VALIDATION_FAILED', 'The sandbox refuses this fault.');
}
