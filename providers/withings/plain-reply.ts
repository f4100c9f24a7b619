import { z } from 'zod';
import { jsonOrNull } from '../../domain/json/json.ts';
import type { Reply } from '../../domain/provider/provider.ts';

/** Every answer has HTTP status 200. `status` is 0 for success, and `body` then has the result. */
const Envelope = z.object({
  status: z.int(),
  body: z.unknown().optional(),
  error: z.string().catch('').default(''),
});

type Envelope = z.infer<typeof Envelope>;

const credentials = new Set([100, 101, 102, 200, 401]);
const tooManyRequests = 601;
/** Time-outs and internal errors, which a later request may not have. All others are permanent. */
const temporary = new Set([215, 516, 517, 518, 519, 520, 521, 522, 524, 525, 526, 602, 700]);
const firstInternal = 5000;

/** The status and the body that an answer of Withings means in HTTP. */
export function plainReply(reply: Reply): Reply {
  if (reply.status !== 200) return reply;
  const envelope = Envelope.safeParse(jsonOrNull(reply.text)).data;
  // A page of a proxy or a cut answer: neither success nor a refusal.
  if (envelope === undefined) return { status: 502, text: reply.text };
  if (envelope.status === 0) return { status: 200, text: JSON.stringify(envelope.body ?? {}) };
  return { status: httpStatusOf(envelope.status), text: JSON.stringify(refusalOf(envelope)) };
}

function httpStatusOf(status: number): number {
  if (status === tooManyRequests) return 429;
  if (credentials.has(status)) return 401;
  return temporary.has(status) || status >= firstInternal ? 503 : 400;
}

// The names of RFC 6749. Only a refusal of the code or of the token concerns the user: all others are errors of the
// application's own request or credentials, and no reason to end a connection.
function refusalOf({ status, error }: Envelope) {
  const description = { error_description: error.slice(0, 200), code: status };
  if (/client|secret|signature|nonce/i.test(error)) return { error: 'invalid_client', ...description };
  const isOfGrant = credentials.has(status) || /invalid (code|refresh_?token)/i.test(error);
  return { error: isOfGrant ? 'invalid_grant' : 'invalid_request', ...description };
}
