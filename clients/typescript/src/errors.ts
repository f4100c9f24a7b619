import type { FieldError } from './generated/types.gen.ts';

/** What an error is made of. */
export interface ErrorDetails {
  readonly status: number;
  readonly code: string;
  readonly requestId: string | null;
  readonly errors: readonly FieldError[];
  readonly retryAfterSeconds: number | null;
}

/** An error response of the API. `message` is its sentence. */
export class PulsebusError extends Error {
  override readonly name: string = 'PulsebusError';
  /** The HTTP status. */
  readonly status: number;
  /** Names the failure: `USER_NOT_FOUND`. */
  readonly code: string;
  /** The X-Request-Id of the response, for error reports. */
  readonly requestId: string | null;
  /** The invalid fields of a 422 response. */
  readonly errors: readonly FieldError[];
  /** The Retry-After of the response. */
  readonly retryAfterSeconds: number | null;

  constructor(message: string, details: ErrorDetails) {
    super(message);
    this.status = details.status;
    this.code = details.code;
    this.requestId = details.requestId;
    this.errors = details.errors;
    this.retryAfterSeconds = details.retryAfterSeconds;
  }
}

/** 401: the credential is missing or invalid. */
export class UnauthenticatedError extends PulsebusError {
  override readonly name = 'UnauthenticatedError';
}
/** 403: the credential does not permit the operation. */
export class ForbiddenError extends PulsebusError {
  override readonly name = 'ForbiddenError';
}
/** 404: there is no such record. */
export class NotFoundError extends PulsebusError {
  override readonly name = 'NotFoundError';
}
/** 409: the request contradicts the present state. */
export class ConflictError extends PulsebusError {
  override readonly name = 'ConflictError';
}
/** 410: the record or the cursor is gone. */
export class GoneError extends PulsebusError {
  override readonly name = 'GoneError';
}
/** 422: `errors` names the invalid fields. */
export class ValidationError extends PulsebusError {
  override readonly name = 'ValidationError';
}
/** 429: the rate limit is reached, and all repetitions too. */
export class RateLimitError extends PulsebusError {
  override readonly name = 'RateLimitError';
}
/** 5xx: the service failed or is temporarily unavailable. */
export class ServerError extends PulsebusError {
  override readonly name = 'ServerError';
}

/** No response arrived: the connection failed, or the time limit passed. `cause` has the reason. */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
  readonly code: 'CONNECTION_FAILED' | 'TIMEOUT' | 'INCOMPLETE';

  constructor(code: ConnectionError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

type ErrorClass = new (message: string, details: ErrorDetails) => PulsebusError;

const classes: Readonly<Record<number, ErrorClass>> = {
  401: UnauthenticatedError,
  403: ForbiddenError,
  404: NotFoundError,
  409: ConflictError,
  410: GoneError,
  422: ValidationError,
  429: RateLimitError,
};

/** The error of a response that is not successful. Reads its body. */
export async function errorOf(response: Response): Promise<PulsebusError> {
  const { status, headers } = response;
  const body = parsed(await response.text());
  const { detail = `The response has the status ${status}.`, code, errors = [] } = body;
  const Class = classes[status] ?? (status >= 500 ? ServerError : PulsebusError);
  return new Class(detail, {
    status,
    code: code ?? headers.get('X-Error-Code') ?? `HTTP_${status}`,
    requestId: headers.get('X-Request-Id'),
    errors,
    retryAfterSeconds: retryAfterOf(headers),
  });
}

/** The seconds of a Retry-After header, which has a number or a date; null if there is none. */
export function retryAfterOf(headers: Headers): number | null {
  const text = headers.get('Retry-After');
  if (text === null || text.trim() === '') return null;
  const seconds = Number(text);
  const wanted = Number.isNaN(seconds) ? (Date.parse(text) - Date.now()) / 1000 : seconds;
  return Number.isFinite(wanted) ? Math.max(0, wanted) : null;
}

// The body of a proxy's error may be anything.
function parsed(text: string): { detail?: string; code?: string; errors?: readonly FieldError[] } {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body !== 'object' || body === null) return {};
    return {
      ...('detail' in body && typeof body.detail === 'string' ? { detail: body.detail } : {}),
      ...('code' in body && typeof body.code === 'string' ? { code: body.code } : {}),
      ...('errors' in body && Array.isArray(body.errors) ? { errors: body.errors } : {}),
    };
  } catch {
    return {};
  }
}
