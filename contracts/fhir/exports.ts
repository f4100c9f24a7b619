import { z } from 'zod';
import { action } from '../../domain/contract.ts';
import { CursorParameter } from '../../domain/page.ts';
import { TimeParameter } from '../../domain/time/time.ts';
import { repeated, UserId } from '../../domain/wire.ts';
import { ProjectId } from '../fields.ts';
import { Format, OutputFormat, userOfResource } from './params.ts';
import { ExportManifest, ExportType, exportTypes, FhirOperationOutcome, FhirResource } from './schemas.ts';

const shared = { tag: 'FHIR', fhir: true, access: 'data.export', reads: 'export' } as const;
const auditOfFiles = { none: 'Each file that is downloaded has an entry.' } as const;

const what = {
  _format: Format,
  _outputFormat: OutputFormat,
  _type: repeated(ExportType, exportTypes.length)
    .optional()
    .describe('The types of resources. Default: Patient, Device and Observation.'),
  _since: TimeParameter.optional().describe(
    'Only Observations that may have changed since this time. Patients and Devices are always included.',
  ),
};

const ofFiles = {
  tag: 'FHIR',
  fhir: true,
  method: 'GET',
  status: 202,
  audit: auditOfFiles,
  headersOf: (answer: unknown) => ({ 'Content-Location': statusUrlOf(answer) }),
} as const;

// The address is the text of the only issue.
function statusUrlOf(answer: unknown): string {
  const { issue } = z.object({ issue: z.tuple([z.object({ diagnostics: z.string() })]) }).parse(answer);
  return issue[0].diagnostics;
}

const ofExport = { export_id: z.string().max(64).describe('The `id` of an export.') };
const withUser = <T extends { readonly export_id: string }>(given: T) => ({
  ...given,
  user_id: userOfResource(given.export_id),
});
// The id of an export of one user names the user, as that of a resource does.
const userOf = ({ export_id }: Readonly<Record<string, unknown>>) => userOfResource(export_id);

/** The exports of many resources, by FHIR Bulk Data. */
export const exportActions = {
  exportAll: action({
    summary: 'Start an export of all users of the project',
    description:
      'Content-Location has the address of the status. Files are made when they are downloaded: an export stores no data.',
    params: z.object(what),
    returns: FhirOperationOutcome,
    // A user token has no such permission: the export is of all users, as the feed of changes is.
    http: { ...ofFiles, access: 'changes.read', path: '/fhir/$export' },
    idempotent: false,
  }),
  exportPatient: action({
    summary: 'Start an export of one user',
    params: z.object({ ...what, user_id: UserId }),
    returns: FhirOperationOutcome,
    http: { ...shared, ...ofFiles, path: '/fhir/Patient/:user_id/$export' },
    idempotent: false,
  }),
  exportStatus: action({
    summary: 'Read the files of an export',
    params: z.object({ ...ofExport, _format: Format }).transform(withUser),
    returns: ExportManifest,
    http: {
      ...shared,
      userOf,
      method: 'GET',
      path: '/fhir/export/:export_id',
      audit: auditOfFiles,
      headersOf: (answer) => ({ Expires: ExportManifest.parse(answer).extension.expires }),
      failures: ['EXPORT_NOT_FOUND'],
    },
  }),
  cancelExport: action({
    summary: 'Cancel an export',
    params: z.object(ofExport).transform(withUser),
    returns: FhirOperationOutcome,
    http: {
      ...shared,
      userOf,
      method: 'DELETE',
      path: '/fhir/export/:export_id',
      status: 202,
      audit: { none: 'An export stores no data.' },
    },
  }),
  exportFile: action({
    summary: 'Download a file of an export',
    description:
      'A resource on each line. A file that fails is cut off, so that the HTTP client reports an error.',
    params: z
      .object({
        ...ofExport,
        file: z
          .string()
          .regex(/^(Patient|Device|Observation)\.\d{1,4}-of-\d{1,4}\.ndjson$/, 'must be a file of the export')
          .meta({ example: 'Patient.1-of-1.ndjson' })
          .describe('The name of the file, as in the manifest.'),
      })
      .transform(withUser),
    returns: FhirResource,
    http: {
      ...shared,
      userOf,
      method: 'GET',
      path: '/fhir/export/:export_id/:file',
      stream: ['ndjson'],
      audit: 'user.exported',
    },
  }),
  /** The next lines of a file, and the users whom they concern. `next` is null after the last ones. */
  exportPart: action({
    summary: 'Read the next resources of a file of an export',
    params: z.object({ ...ofExport, file: z.string(), cursor: CursorParameter }).transform(withUser),
    returns: z.object({
      resources: z.array(FhirResource),
      user_ids: z.array(z.string()),
      next: z.string().nullable(),
    }),
    idempotent: true,
    timeoutMs: 30_000,
  }),
  forgetProject: action({
    summary: 'Delete the exports of a project that is deleted',
    params: z.object({ project_id: ProjectId }),
    returns: z.object({ deleted: z.int() }),
    idempotent: true,
  }),
};
