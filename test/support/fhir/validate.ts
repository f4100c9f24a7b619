import { Fhir, type ValidatorMessage } from 'fhir';

const fhir = new Fhir();

/** What a public validator says of a resource: errors, and elements or codes that FHIR R4 does not have. */
export function problemsOf(resource: object): string[] {
  const { messages } = fhir.validate(resource, { errorOnUnexpected: true });
  return messages.filter(isProblem).map(({ location, message }) => `${location}: ${message}`);
}

// The validator knows the code lists of HL7. The lists of LOINC, SNOMED CT and media types are not in it; codes of other systems
// are bound as examples, and it warns of each.
function isProblem({ severity, message = '' }: ValidatorMessage): boolean {
  // The enum of the severities is no export that modules see.
  const level = String(severity);
  const isForeign = /\((http:\/\/loinc\.org|urn:|http:\/\/hl7\.org\/fhir\/us\/)/.test(message);
  const isUnlisted = /ValueSet\/(observation-codes|observation-methods|mimetypes)" could not be found/.test(
    message,
  );
  return level !== 'information' && !isUnlisted && !(level === 'warning' && isForeign);
}
