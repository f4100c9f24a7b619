/** The day of the last change of the statement. */
const date = '2026-11-26';

const param = (name: string, type: string, documentation: string) => ({ name, type, documentation });
const interactions = [{ code: 'read' }, { code: 'search-type' }];
const count = param('_count', 'number', 'The number of resources of a page, at most.');

const resources = [
  {
    type: 'Patient',
    interaction: interactions,
    searchParam: [
      param('_id', 'token', 'The id of the user.'),
      param('identifier', 'token', 'The external_user_id of the user.'),
      count,
    ],
    operation: [
      { name: 'export', definition: 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/patient-export' },
    ],
  },
  {
    type: 'Device',
    interaction: interactions,
    searchParam: [param('patient', 'reference', 'The user. It is required.')],
  },
  {
    type: 'Observation',
    interaction: interactions,
    searchParam: [
      param('patient', 'reference', 'The user. It, or subject, is required.'),
      param('subject', 'reference', 'The user.'),
      param('category', 'token', 'The category.'),
      param('code', 'token', 'The code, of LOINC, IEEE 11073 or our own.'),
      param('date', 'date', 'With the prefixes eq, ge, gt, le and lt.'),
      param('_lastUpdated', 'date', 'With the prefixes ge and gt.'),
      count,
    ],
  },
];

/** The CapabilityStatement of the FHIR API at an address. */
export function capabilityStatement(base: string) {
  return {
    resourceType: 'CapabilityStatement' as const,
    status: 'active',
    date,
    kind: 'instance',
    software: { name: 'Pulsebus' },
    implementation: { description: 'Wearable health data of users, read only.', url: base },
    fhirVersion: '4.0.1',
    format: ['application/fhir+json', 'json'],
    rest: [
      {
        mode: 'server',
        security: {
          cors: true,
          description: 'An API key in X-API-Key, or a token or an API key as a bearer in Authorization.',
        },
        resource: resources,
        operation: [
          { name: 'export', definition: 'http://hl7.org/fhir/uv/bulkdata/OperationDefinition/export' },
        ],
      },
    ],
  };
}
