/** The introduction: the first steps. */
export const introduction = `Wearable health data of your users, collected from device makers and activity platforms.

1. Put an API key into the field at the top of this page; every request uses it, and this browser keeps it until **Forget**. Without a key, log in with \`POST /auth/login\` and create one with \`POST /api-keys\`: this page uses both at once.
2. Choose an operation from the list and press **Execute**: status, answer and the curl command appear below it.
3. This page fills in the id of a user that the key reads, and ids of later answers; dates are filled in as yesterday and today.
4. Connect the user to a provider, or import a connection; send data to the webhook, or let the sandbox do so; read it.

Times are ISO 8601 in UTC, ranges are [start, end). Errors are \`{"detail": "…", "code": "USER_NOT_FOUND"}\`. Every response has X-Request-Id and the three X-RateLimit headers.`;

/** The sections of the document, in the order in which a newcomer needs them. */
export const sections: Readonly<Record<string, string>> = {
  Accounts: 'Log in, and manage the accounts of developers.',
  Projects:
    'Products and stages, and the roles of developers in them. Users, keys and endpoints belong to one project.',
  'API keys': 'Keys for servers. A key reads and changes the users of its project, within its scopes.',
  Users: 'The users whose data is stored.',
  Connections: 'The connections of users to their accounts at providers.',
  Data: 'Time series, events and summaries of one user.',
  FHIR: 'The data of users as FHIR R4, for hospitals, trials and personal records. Failures are OperationOutcomes.',
  Changes:
    'What changed: webhooks to your endpoints, and a feed. `webhooks` of this document has the events.',
  Destinations: 'Copies of all data of a project in stores of its own, which follow every change.',
  Insights:
    'What is computed from the data of users by published methods: baselines, scores of sleep, training, glucose.',
  Freshness: 'Whether data arrives as expected, what is missing, and incidents of providers.',
  Tokens: 'Tokens for mobile and web apps. A token reads the data of one user.',
  Applications: 'Mobile and web apps that may issue tokens for users.',
  Uploads: 'Data that apps on the devices of users upload, and the codes that connect an app.',
  Imports: 'Files with health data: exports of Apple Health, recordings of devices, tables.',
  Webhooks: 'Called by providers, not by applications.',
  Operations: 'Health, deliveries, status of the providers, audit.',
};
