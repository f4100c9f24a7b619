import { z } from 'zod';

/** A resource of FHIR R4. The specification at hl7.org/fhir/R4 has its elements. */
const resource = (type: string) =>
  z.looseObject({ resourceType: z.literal(type) }).meta({
    id: `Fhir${type}`,
    description: `A ${type} of FHIR R4. hl7.org/fhir/R4 describes its elements.`,
  });

/** A user. */
export const FhirPatient = resource('Patient');
/** A source of data. */
export const FhirDevice = resource('Device');
/** Data of a user. */
export const FhirObservation = resource('Observation');
/** A page of a search. */
export const FhirBundle = resource('Bundle');
/** What the server supports. */
export const FhirCapabilityStatement = resource('CapabilityStatement');
/** A failure, or a note. */
export const FhirOperationOutcome = resource('OperationOutcome');

/** The types of resources that an export contains. */
export const exportTypes = ['Patient', 'Device', 'Observation'] as const;
/** One of them. */
export const ExportType = z
  .enum(exportTypes)
  .meta({ id: 'FhirExportType', description: 'A type of resources.' });

/** A line of a file of an export. */
export const FhirResource = z
  .looseObject({ resourceType: ExportType })
  .meta({ id: 'FhirResource', description: 'A Patient, Device or Observation of FHIR R4.' });

/** The files of an export. */
export const ExportManifest = z
  .object({
    transactionTime: z.string(),
    request: z.string(),
    requiresAccessToken: z.literal(true),
    output: z.array(z.object({ type: ExportType, url: z.string() })),
    error: z.array(z.object({ type: z.string(), url: z.string() })),
    extension: z.object({ expires: z.string() }),
  })
  .meta({
    id: 'FhirExportManifest',
    description: 'The files of an export, as FHIR Bulk Data describes them.',
  });

export type ExportType = z.infer<typeof ExportType>;
export type ExportManifest = z.infer<typeof ExportManifest>;
