import * as http from 'node:http';
import * as https from 'node:https';
import {
  AddressRefused,
  CutOff,
  InterimFlood,
  type Limit,
  literalAddressOf,
  publicLookup,
  type RequestLimits,
  type Resolve,
  send,
  TlsFailed,
  withinLimits,
} from './guarded-request.ts';
import { isPublicAddress } from './public-address.ts';

/**
 * Posts to URLs that callers of the API configured. Only https and public addresses are allowed, except for origins that
 * the operator listed. Connections are kept for the next message to the same origin: what was checked stays connected.
 */
export interface Poster {
  /** Never throws: errors are outcomes. */
  post(url: URL, message: Outgoing, limits: RequestLimits): Promise<Posted>;
  /** Closes the connections that are kept. */
  close(): void;
}

/** The rules of a poster. */
export interface PosterRules {
  /** Exact origins that are allowed as they are, also http and addresses that are not public. */
  readonly origins: readonly string[];
  /** Resolves names of other origins. Default: the system resolver. */
  readonly resolve?: Resolve | undefined;
}

/** Headers and body of a POST request. */
interface Outgoing {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Why a POST did not succeed. `status`: the answer is neither 2xx nor 3xx. `cut_off`: the connection ended before the
 * head of the answer.
 */
type PostFailure =
  | Limit
  | 'origin_refused'
  | 'address_refused'
  | 'name_unknown'
  | 'tls_failed'
  | 'cut_off'
  | 'answer_invalid'
  | 'redirected'
  | 'status';

/** The outcome of a POST. `failure` is null after 2xx. `answer` is the beginning of the body, at most 1 kB as UTF-8. */
interface Posted {
  readonly failure: PostFailure | null;
  readonly status: number | null;
  readonly retryAfter: string | null;
  readonly answer: string | null;
}

/** The part of an answer that is returned. */
const mostAnswerBytes = 1024;
/** A longer answer ends its connection. */
const mostReadBytes = 16_384;
/** Time that an unused connection is kept. */
const keptMs = 10_000;

/** Creates a poster. */
export function newPoster({ origins, resolve }: PosterRules): Poster {
  const kept = { keepAlive: true, timeout: keptMs };
  const agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent(kept) };
  const lookup = publicLookup(resolve);
  return {
    close() {
      for (const agent of Object.values(agents)) agent.destroy();
    },
    async post(url, message, limits) {
      const isListed = isWeb(url) && origins.includes(url.origin);
      const refusal = isListed ? null : refusalOf(url);
      if (refusal !== null) return failed(refusal);
      const agent = url.protocol === 'https:' ? agents['https:'] : agents['http:'];
      const outgoing = { ...message, method: 'POST', agent, ...(isListed ? {} : { lookup }) } as const;
      return withinLimits(
        limits,
        async (running) => take(await send(url, outgoing, running)),
        (limit, error) => failed(limit ?? failureOf(error)),
      );
    },
  };
}

function isWeb({ protocol }: URL): boolean {
  return protocol === 'https:' || protocol === 'http:';
}

// A literal address is never resolved, so it is checked here.
function refusalOf(url: URL): PostFailure | null {
  if (url.protocol !== 'https:') return 'origin_refused';
  const literal = literalAddressOf(url);
  return literal === null || isPublicAddress(literal) ? null : 'address_refused';
}

function failed(failure: PostFailure): Posted {
  return { failure, status: null, retryAfter: null, answer: null };
}

function failureOf(error: unknown): PostFailure {
  if (error instanceof AddressRefused) return 'address_refused';
  if (error instanceof TlsFailed) return 'tls_failed';
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (code === 'ENOTFOUND') return 'name_unknown';
  if (code.startsWith('HPE_') || error instanceof InterimFlood) return 'answer_invalid';
  return error instanceof CutOff ? 'cut_off' : 'unreachable';
}

async function take(response: http.IncomingMessage): Promise<Posted> {
  const { statusCode: status = 0, headers } = response;
  const answer = await readBeginning(response);
  const failure =
    status >= 200 && status < 300 ? null : status >= 300 && status < 400 ? 'redirected' : 'status';
  return { failure, status, retryAfter: headers['retry-after'] ?? null, answer };
}

// The status decides, so a body that breaks off or does not end is not an error.
async function readBeginning(response: http.IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let read = 0;
  try {
    for await (const chunk of response) {
      if (read < mostAnswerBytes) chunks.push(Buffer.from(chunk).subarray(0, mostAnswerBytes - read));
      read += chunk.length;
      if (read > mostReadBytes) break;
    }
  } catch {
    response.destroy();
  }
  return beginningOf(Buffer.from(printable(beginningOf(Buffer.concat(chunks)))));
}

// A character that the limit cuts is omitted. The mark that replaces an invalid byte has three bytes.
function beginningOf(bytes: Buffer): string {
  return new TextDecoder().decode(bytes.subarray(0, mostAnswerBytes), { stream: true });
}

// PostgreSQL stores no NUL character, terminals interpret control characters, and others reverse the text after them.
function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Bidi_Control}/gu, '\uFFFD');
}
