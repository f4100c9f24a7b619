import { takesQuery } from '../../../domain/contract.ts';
import { checkContentType, hasBody, parseObject } from '../body/body.ts';
import { bodyBounds } from '../body/body-bounds.ts';
import { readBytes } from '../body/read-bytes.ts';
import { pathParameters } from '../endpoints.ts';
import type { Exchange, Pipeline } from './exchange.ts';
import { isLenient } from './fhir-answers.ts';
import { readFields, readForm, readNothing, readQuery } from './names.ts';

/**
 * The parameters of a request, from the query for GET and DELETE and from the body for POST, PUT and PATCH. Path parameters
 * take precedence. @throws 413, 415, 400, and 422 for names that are not in the contract
 */
export async function gather(pipeline: Pipeline, exchange: Exchange): Promise<Record<string, unknown>> {
  const { endpoint, path, query } = exchange;
  const given = takesQuery(endpoint.route)
    ? readQuery(endpoint, query, isLenient(exchange.req))
    : await readBody(pipeline, exchange);
  const named = pathParameters(endpoint.route.path).map((name) => [name, path[name]]);
  return { ...given, ...Object.fromEntries(named) };
}

async function readBody({ config }: Pipeline, { req, endpoint }: Exchange): Promise<Record<string, unknown>> {
  const bytes = hasBody(req) ? await readBytes(req, bodyBounds(config, endpoint.route)) : Buffer.alloc(0);
  if (bytes.length === 0) return readNothing(endpoint);
  const kind = checkContentType(req, endpoint.route.form === true);
  const fields = parseObject(bytes, kind);
  return kind === 'form' ? readForm(endpoint, fields) : readFields(endpoint, fields);
}
