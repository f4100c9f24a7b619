import { systems } from './coding.ts';

/** A failure of a request. */
export interface OutcomeFailure {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly errors?: readonly { readonly field: string; readonly message: string }[];
}

/** The status of a failure: FHIR calls wrong parameters a bad request. */
export function fhirStatus(status: number): number {
  return status === 422 ? 400 : status;
}

const issueCodes: Readonly<Record<number, string>> = {
  400: 'invalid',
  401: 'login',
  403: 'forbidden',
  404: 'not-found',
  405: 'not-supported',
  409: 'conflict',
  410: 'deleted',
  422: 'invalid',
  429: 'throttled',
  501: 'not-supported',
  503: 'transient',
  504: 'timeout',
};

/** The OperationOutcome of a failure: an issue for each field, otherwise one. `details` has the error code of ours. */
export function outcomeOf({ status, code, detail, errors = [] }: OutcomeFailure) {
  const texts = errors.map(({ field, message }) => (field === '' ? message : `${field}: ${message}`));
  return {
    resourceType: 'OperationOutcome' as const,
    issue: (texts.length === 0 ? [detail] : texts).map((diagnostics) => ({
      severity: 'error',
      code: issueCodes[status] ?? 'exception',
      details: { coding: [{ system: systems.error, code }], text: detail },
      diagnostics,
    })),
  };
}
