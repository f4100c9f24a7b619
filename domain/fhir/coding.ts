/** The code systems of Observations. */
export const systems = {
  loinc: 'http://loinc.org',
  mdc: 'urn:iso:std:iso:11073:10101',
  ucum: 'http://unitsofmeasure.org',
  category: 'http://terminology.hl7.org/CodeSystem/observation-category',
  physicalActivity: 'http://hl7.org/fhir/us/physical-activity/CodeSystem/pa-temporary-codes',
  own: 'urn:pulsebus:observation',
  workoutType: 'urn:pulsebus:workout-type',
  recordingMethod: 'urn:pulsebus:recording-method',
  error: 'urn:pulsebus:error',
} as const;

/** The system of an `external_user_id` as the identifier of a Patient. */
export const externalUserIdSystem = 'urn:pulsebus:external-user-id';

/** The categories of Observations: codes of HL7. */
export const categories = {
  'vital-signs': 'Vital Signs',
  activity: 'Activity',
  laboratory: 'Laboratory',
  exam: 'Exam',
  procedure: 'Procedure',
  'social-history': 'Social History',
  survey: 'Survey',
} as const;

export type Category = keyof typeof categories;

/** Where the number and the name of a code were taken; docs/fhir.md names the documents. */
export type CodeSource = 'hl7' | 'physical-activity' | 'healthkit-on-fhir' | 'public' | 'nomenclature';

/** A code of a published system, with the unit in which its values are sent. */
export interface Code {
  /** Null: no published code was confirmed, so that only our own coding is sent. */
  readonly coding: {
    readonly system: string;
    readonly code: string;
    readonly display: string;
    readonly source: CodeSource;
  } | null;
  readonly category: Category;
  /** The UCUM code. Null: the value is no quantity. */
  readonly unit: string | null;
  /** A value of ours times the factor is a value in the unit. Default: 1. */
  readonly factor?: number;
}

/** A LOINC code. */
export function loinc(
  code: string,
  display: string,
  category: Category,
  unit: string | null,
  source: CodeSource,
  factor?: number,
): Code {
  const coding = { system: systems.loinc, code, display, source };
  return { coding, category, unit, ...(factor === undefined ? {} : { factor }) };
}

/** A code of IEEE 11073-10101, by its number in the partition. */
export function mdc(code: number, display: string, category: Category, unit: string): Code {
  const coding = { system: systems.mdc, code: String(code), display, source: 'nomenclature' } as const;
  return { coding, category, unit };
}

/** Our own code alone. */
export function own(category: Category, unit: string | null, factor?: number): Code {
  return { coding: null, category, unit, ...(factor === undefined ? {} : { factor }) };
}
