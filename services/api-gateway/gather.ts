import { checkContentType, hasBody, parseObject } from './body.ts';
import { bodyBounds } from './body-bounds.ts';
import { pathParameters } from './endpoints.ts';
import type { Edge, Exchange } from './exchange.ts';
import { readFields, readForm, readNothing, readQuery } from './names.ts';
import { readBytes } from './read-bytes.ts';

/**
 * The parameters of a request: those of GET and DELETE from the query, those of POST and PATCH from the body. The
 * path goes before both. @throws 413, 415, 400, and 422 for names that the contract does not have.
 */
export async function gather(edge: Edge, exchange: Exchange): Promise<Record<string, unknown>> {
  const { endpoint, path, query } = exchange;
  const { method } = endpoint.route;
  const given =
    method === 'GET' || method === 'DELETE' ? readQuery(endpoint, query) : await readBody(edge, exchange);
  const named = pathParameters(endpoint.route.path).map((name) => [name, path[name]]);
  return { ...given, ...Object.fromEntries(named) };
}

async function readBody({ config }: Edge, { req, endpoint }: Exchange): Promise<Record<string, unknown>> {
  const bytes = hasBody(req) ? await readBytes(req, bodyBounds(config, endpoint.route)) : Buffer.alloc(0);
  if (bytes.length === 0) return readNothing(endpoint);
  const kind = checkContentType(req, endpoint.route.form === true);
  const fields = parseObject(bytes, kind);
  return kind === 'form' ? readForm(endpoint, fields) : readFields(endpoint, fields);
}
