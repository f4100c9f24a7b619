/** The introduction: the first steps. */
export const introduction = `Wearable health data of your users, collected from device makers and activity platforms.

1. Log in with \`POST /auth/login\`. This page uses the token for the next requests; **Authorize** shows it.
2. Create an API key with \`POST /api-keys\`. This page uses the key as well. This browser keeps both until you log out under **Authorize**.
3. Create or list users. This page fills the id into the requests below; dates are filled in as yesterday and today.
4. Connect the user to a provider, or import a connection; send data to the webhook, or let the sandbox do so; read it.

Times are ISO 8601 in UTC, ranges are [start, end). Errors are \`{"detail": "…"}\`, and the header X-Error-Code names the failure. Every response has X-Request-Id and the three X-RateLimit headers.`;

/** The sections of the document, in the order in which a newcomer needs them. */
export const sections: Readonly<Record<string, string>> = {
  Accounts: 'Log in, and manage the accounts of developers.',
  'API keys': 'Keys for servers. A key reads and changes all users.',
  Users: 'The users whose data is stored.',
  Connections: 'The connections of users to their accounts at providers.',
  Data: 'Time series, events and summaries of one user.',
  Changes:
    'What changed: webhooks to your endpoints, and a feed. `webhooks` of this document has the events.',
  Tokens: 'Tokens for mobile and web apps. A token reads the data of one user.',
  Applications: 'Mobile and web apps that may issue tokens for users.',
  Webhooks: 'Called by providers, not by applications.',
  Operations: 'Health, deliveries, status of the providers, audit.',
};
