/**
 * Every failure that a caller can see. The code is sent over the bus as the error's `type`. The bus does not preserve
 * subclasses, so code compares `type` and does not use `instanceof`.
 */
export const errorTable = {
  ROUTE_NOT_FOUND: { status: 404, detail: 'No such route.' },
  METHOD_NOT_ALLOWED: { status: 405, detail: 'This route does not support the method.' },
  UNAUTHENTICATED: { status: 401, detail: 'A valid credential is required.' },
  SECOND_FACTOR_REQUIRED: {
    status: 401,
    detail: 'The password is right. Send the code of your authenticator, or a recovery code, too.',
  },
  PASSKEY_REQUIRED: {
    status: 401,
    detail: 'The password is right. This account has a passkey: sign in to the console with it.',
  },
  RATE_LIMITED: { status: 429, detail: 'Too many requests.' },
  WAITING_LIMITED: {
    status: 429,
    detail: 'Too many requests are waiting for changes. Try again in a moment, or without wait_seconds.',
  },
  ORIGIN_REFUSED: {
    status: 403,
    detail: 'Pages of this origin may not call the MCP server. The setting MCP_ORIGINS names those that may.',
  },
  CONSOLE_REFUSED: {
    status: 403,
    detail: 'The console accepts requests of its own pages only. Reload the page.',
  },
  FORBIDDEN: { status: 403, detail: 'This credential does not permit the operation.' },
  PASSWORDS_OFF: {
    status: 403,
    detail:
      'This installation takes no passwords and no passkeys. Sign in with the identity provider in the console.',
  },
  PASSKEY_REFUSED: { status: 403, detail: 'The passkey was refused.' },
  SIGN_IN_REFUSED: { status: 403, detail: 'The sign-in was refused.' },
  SECOND_FACTOR_MISSING: {
    status: 403,
    detail:
      'This project requires a second factor. Set one up on the account page of the console, or log in with it.',
  },
  BODY_TOO_LARGE: { status: 413, detail: 'The body is too large.' },
  BODY_TIMEOUT: { status: 408, detail: 'The body took too long to arrive.' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, detail: 'The body must be application/json.' },
  MALFORMED_BODY: { status: 400, detail: 'The body is not valid JSON.' },
  HEADERS_TOO_LARGE: { status: 431, detail: 'The headers are too large.' },
  MALFORMED_REQUEST: { status: 400, detail: 'The request cannot be read.' },
  CREDENTIALS_MISSING: { status: 400, detail: 'No credential was given.' },
  VALIDATION_FAILED: { status: 422, detail: 'The request is invalid.' },
  RANGE_INVALID: { status: 422, detail: 'The start must be before the end.' },
  CURSOR_INVALID: { status: 422, detail: 'The cursor is invalid or belongs to another query.' },
  PROJECT_NOT_FOUND: { status: 404, detail: 'Project not found, or you are not a member of it.' },
  PROJECT_REQUIRED: {
    status: 422,
    detail: 'You are a member of several projects or of none: name one in the header X-Project.',
  },
  PROVIDER_CREDENTIALS_NOT_FOUND: {
    status: 404,
    detail: 'The project has no credentials of its own at this provider.',
  },
  PROVIDER_CREDENTIALS_REFUSED: {
    status: 422,
    detail: 'A project cannot have credentials of its own at this provider.',
  },
  USER_NOT_FOUND: { status: 404, detail: 'User not found.' },
  CONNECTION_NOT_FOUND: { status: 404, detail: 'Connection not found.' },
  RECORD_NOT_FOUND: { status: 404, detail: 'Record not found.' },
  BACKFILL_NOT_FOUND: { status: 404, detail: 'No backfill of this connection was started.' },
  IMPORT_NOT_FOUND: { status: 404, detail: 'Import not found.' },
  EXPORT_NOT_FOUND: {
    status: 404,
    detail: 'Export not found. It was cancelled, or has expired.',
  },
  API_KEY_NOT_FOUND: { status: 404, detail: 'API key not found.' },
  APPLICATION_NOT_FOUND: { status: 404, detail: 'Application not found.' },
  DEVELOPER_NOT_FOUND: { status: 404, detail: 'Developer not found.' },
  DELIVERY_NOT_FOUND: { status: 404, detail: 'Delivery not found.' },
  JOB_NOT_FOUND: { status: 404, detail: 'Job not found. A job that is done is deleted.' },
  REPROCESS_NOT_FOUND: { status: 404, detail: 'Run not found.' },
  WEBHOOK_ENDPOINT_NOT_FOUND: { status: 404, detail: 'Webhook endpoint not found.' },
  WEBHOOK_MESSAGE_NOT_FOUND: { status: 404, detail: 'Message not found.' },
  DESTINATION_NOT_FOUND: { status: 404, detail: 'Destination not found.' },
  MEMBER_NOT_FOUND: { status: 404, detail: 'Member not found.' },
  INVITATION_NOT_FOUND: {
    status: 404,
    detail: 'This invitation was used before, was revoked, or has expired. Ask for a new one.',
  },
  RESET_LINK_NOT_FOUND: {
    status: 404,
    detail: 'This link was used before, or has expired. Request a new one.',
  },
  SECOND_FACTOR_NOT_FOUND: { status: 404, detail: 'No authenticator is set up.' },
  SECOND_FACTOR_EXISTS: {
    status: 409,
    detail: 'An authenticator is set up already. Turn it off first.',
  },
  PASSKEY_NOT_FOUND: { status: 404, detail: 'Passkey not found.' },
  PASSKEY_EXISTS: {
    status: 409,
    detail: 'This passkey was added before, or the account has 20 passkeys.',
  },
  PROJECT_ID_TAKEN: { status: 409, detail: 'A project with this id exists or existed.' },
  PROJECT_NOT_EMPTY: { status: 409, detail: 'The project still has users: delete them first.' },
  PROJECT_PERMANENT: { status: 409, detail: 'The project `default` cannot be deleted.' },
  ADDRESS_NOT_CONFIRMED: {
    status: 409,
    detail:
      'Nobody has confirmed that the e-mail address of this account belongs to its holder, so that it joins no further project. An owner confirms it, or a link by e-mail that sets a new password.',
  },
  OWNER_NEEDS_NO_ROLE: {
    status: 409,
    detail: 'This account owns the installation, so it has every permission.',
  },
  EXTERNAL_USER_ID_TAKEN: { status: 409, detail: 'A user with this external_user_id exists.' },
  CONNECTION_EXISTS: { status: 409, detail: 'This connection is already active.' },
  ACCOUNT_TAKEN: { status: 409, detail: 'This account is connected to another user.' },
  CONNECTION_INACTIVE: { status: 409, detail: 'This connection is not active.' },
  CONNECTION_WITHOUT_TOKEN: {
    status: 409,
    detail: 'This connection has no access token, so past data cannot be requested from the provider.',
  },
  PROVIDER_NOT_CONFIGURED: { status: 409, detail: 'This provider is not configured.' },
  CONNECTED_BY_APP: {
    status: 409,
    detail:
      'This provider has no consent page: the app on the device of the user, or the import of a file, connects it and brings all past data.',
  },
  IMPORT_ORIGINAL_DELETED: { status: 410, detail: 'The original of this import is not kept any more.' },
  IMPORTS_OPEN: { status: 409, detail: 'This user has 5 open imports already.' },
  BACKFILL_RUNNING: { status: 409, detail: 'A backfill of this connection is already running.' },
  REPROCESS_UNSUPPORTED: {
    status: 409,
    detail:
      'Deliveries of this provider contain no data that could be processed again. A backfill reads its data again.',
  },
  EMAIL_TAKEN: { status: 409, detail: 'A developer with this e-mail address exists.' },
  LAST_DEVELOPER: { status: 409, detail: 'The last developer cannot be deleted.' },
  WEBHOOK_ENDPOINTS_FULL: { status: 409, detail: 'There are 50 webhook endpoints already.' },
  WEBHOOK_ENDPOINT_DISABLED: { status: 409, detail: 'This webhook endpoint is disabled.' },
  WEBHOOK_MESSAGE_IN_WORK: { status: 409, detail: 'This message is being sent.' },
  WEBHOOK_MESSAGE_DROPPED: { status: 409, detail: 'The change that this message reports is no longer kept.' },
  DESTINATIONS_FULL: { status: 409, detail: 'There are 10 destinations already.' },
  IDEMPOTENCY_KEY_REUSED: {
    status: 409,
    detail: 'This Idempotency-Key was used for another request.',
  },
  IDEMPOTENCY_KEY_IN_WORK: {
    status: 409,
    detail: 'A request with this Idempotency-Key is still being processed. Try again in a moment.',
  },
  IDEMPOTENCY_KEY_UNKNOWN: {
    status: 409,
    detail:
      'The first request with this Idempotency-Key was interrupted. Check whether it took effect, and use another key.',
  },
  DELIVERY_IN_WORK: { status: 409, detail: 'This delivery is being processed.' },
  JOB_IN_WORK: { status: 409, detail: 'This job is being processed.' },
  DELIVERY_ERASED: { status: 409, detail: 'The content of this delivery was erased with its user.' },
  DELIVERY_BEING_ERASED: {
    status: 409,
    detail: 'Data of deleted users is being erased from deliveries of this time. Try again in a minute.',
  },
  CURSOR_EXPIRED: {
    status: 410,
    detail:
      'Changes after this cursor are no longer kept. Read the data of the users again, and then the feed from a new cursor.',
  },
  USER_ERASED: { status: 410, detail: 'This user was erased.' },
  VERIFY_TOKEN_INVALID: { status: 403, detail: 'Invalid verify token' },
  WEBHOOK_CLIENT_MISSING: { status: 401, detail: 'Missing client id header' },
  WEBHOOK_CLIENT_UNKNOWN: { status: 401, detail: 'Unknown client id' },
  WEBHOOK_NOT_AUTHENTIC: {
    status: 401,
    detail: 'The notification has no valid proof that the provider sent it',
  },
  WEBHOOK_ADDRESS_REFUSED: {
    status: 403,
    detail:
      'Webhooks are accepted at their secret address only. GET /status shows the address to a developer.',
  },
  WEBHOOK_SENDER_REFUSED: {
    status: 403,
    detail: 'Webhooks of this provider are not accepted from this network address.',
  },
  WEBHOOK_FAILED: { status: 500, detail: 'Failed to process webhook' },
  NOT_IMPLEMENTED: { status: 501, detail: 'This feature is under development, or turned off by a setting.' },
  INTERNAL: { status: 500, detail: 'An internal error occurred. Include the X-Request-Id in error reports.' },
  SIGN_IN_PROVIDER_AWAY: {
    status: 503,
    detail: 'The identity provider does not answer. Try again in a moment.',
  },
  SERVICE_UNAVAILABLE: { status: 503, detail: 'Service temporarily unavailable. Try again in a moment.' },
  SERVICE_TIMEOUT: { status: 504, detail: 'A service did not respond in time. Try again in a moment.' },
} as const;

/** The code of a failure, the value of `type`. */
export type ErrorCode = keyof typeof errorTable;

/** One field of a 422 answer. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A failure of the table. `type` is its code, `code` the HTTP status; Moleculer sends both over the bus. */
export class ServiceError extends Error {
  readonly type: ErrorCode;
  readonly code: number;
  readonly data:
    | { readonly errors?: readonly FieldError[]; readonly headers?: Record<string, string> }
    | undefined;
  readonly retryable = false;

  constructor(type: ErrorCode, detail?: string, data?: ServiceError['data'], cause?: unknown) {
    super(detail ?? errorTable[type].detail, cause === undefined ? {} : { cause });
    this.name = 'ServiceError';
    this.type = type;
    this.code = errorTable[type].status;
    this.data = data;
  }
}

/** Whether a thrown value is the named failure, also after a call over the bus. */
export function isError(error: unknown, type: ErrorCode): boolean {
  return typeof error === 'object' && error !== null && 'type' in error && error.type === type;
}

/** Whether a value is a code of the table. */
export function isErrorCode(type: unknown): type is ErrorCode {
  return typeof type === 'string' && Object.hasOwn(errorTable, type);
}

/** 422 with one entry per field. */
export function validationFailed(errors: readonly FieldError[]): ServiceError {
  const [first] = errors;
  const detail = first === undefined ? undefined : fieldSentence(first);
  return new ServiceError('VALIDATION_FAILED', detail, { errors });
}

/** A field and its message as a sentence. */
export function fieldSentence({ field, message }: FieldError): string {
  const isRest = /^(must|is|has) /.test(message); // the message continues a sentence that begins with the field
  const text = field === '' ? message : `${field}${isRest ? '' : ':'} ${message}`;
  return text.endsWith('.') ? text : `${text}.`;
}

/** 404: there is no user with this id, or the user was deleted. */
export const userNotFound = (id: string) => new ServiceError('USER_NOT_FOUND', `User ${id} does not exist.`);

/** 404: this user has no such record. */
export const recordNotFound = (id: string) =>
  new ServiceError('RECORD_NOT_FOUND', `Record ${id} does not exist.`);

/** 410: the user was erased; no data is stored for the user. */
export const userErased = (id: string) => new ServiceError('USER_ERASED', `User ${id} was erased.`);

/** 422: the cursor is invalid or belongs to another query. */
export const cursorInvalid = () =>
  new ServiceError('CURSOR_INVALID', undefined, {
    errors: [{ field: 'cursor', message: errorTable.CURSOR_INVALID.detail }],
  });
