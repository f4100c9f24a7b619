import { settingIgnored } from '../database/first-account.ts';

/** Input of the page that `npm start` prints. */
export interface StartPage {
  readonly url: string;
  /** Opens the console and signs in once; null if the service auth does not run. */
  readonly signInUrl: string | null;
  readonly choice: string;
  readonly dataDir: string;
  readonly login: {
    readonly email: string;
    readonly password: string | null;
    /** Whether `npm run admin-password` shows the password. */
    readonly isShownByCommand: boolean;
    /** ADMIN_PASSWORD is set but has no effect. */
    readonly isSettingIgnored: boolean;
  };
  readonly notes: readonly string[];
  /** Whether `npm run listen` prints messages. */
  readonly isListenable: boolean;
  /** Whether the data of synthetic users is still arriving. */
  readonly hasSandbox: boolean;
  /** A synthetic user. Null without a sandbox, and where the services did not answer in time. */
  readonly example: {
    readonly keyFile: string;
    readonly userId: string;
    readonly day: string;
    readonly from: string;
    /** Leads to the connect page, where one more user can be connected by hand. */
    readonly connectUrl: string;
    readonly sandboxUrl: string;
  } | null;
}

/** The page: where it is, how to log in, the first calls, and where the data lies. */
export function startPage(page: StartPage): string {
  const { url, signInUrl, choice, dataDir, login, notes, isListenable, hasSandbox, example } = page;
  return [
    '',
    '  Pulsebus is running. Ctrl-C stops it.',
    '',
    `  Console        ${signInUrl ?? `${url}/console`}`,
    ...(signInUrl === null ? [] : [signInLine]),
    `  API            ${url}/api/v1`,
    `  Documentation  ${url}/docs`,
    ...loginLines(login),
    '',
    '  First calls',
    ...(example === null ? loginCalls(url, login.email) : exampleCalls(url, example)),
    '',
    ...(example === null ? [] : sandboxLines(example)),
    ...(hasSandbox ? [arrivingLine] : []),
    ...(isListenable ? [listenLine] : []),
    `  Data           ${dataDir}`,
    `  Runs on        ${choice}`,
    '  Register       npm run -s webhook-addresses  (the addresses to register at the providers)',
    ...notes.map((note) => `  Note           ${note}`),
    '',
  ].join('\n');
}

const signInLine =
  '                 This link signs in once, within 10 minutes. After that, log in there as below.';

function loginLines({ email, password, isShownByCommand, isSettingIgnored }: StartPage['login']): string[] {
  const shown = isShownByCommand
    ? 'Until it is used, `npm run admin-password` shows the generated password.'
    : 'A lost password: `npm run reset-password`.';
  const lines = [
    `${email}  ${password ?? ''}`.trimEnd(),
    shown,
    ...(isSettingIgnored ? [settingIgnored] : []),
  ];
  return lines.map((line, index) => `  ${(index === 0 ? 'Log in' : '').padEnd(14)} ${line}`);
}

const arrivingLine =
  '  Arriving       the accounts of the synthetic users and their last 30 days: the lines below this page show how far they are';
const listenLine =
  '  Changes        npm run listen  (prints webhooks as they arrive; npm run listen -- --to http://localhost:… forwards them)';

function sandboxLines({ connectUrl, sandboxUrl }: NonNullable<StartPage['example']>): string[] {
  return [
    `  Sandbox        ${sandboxUrl}  (all providers, simulated, with synthetic users)`,
    `  Connect        ${connectUrl}  (the connect page of one more user; each visit has a new link)`,
  ];
}

function loginCalls(url: string, email: string): string[] {
  return [
    `    TOKEN=$(curl -s ${url}/api/v1/auth/login -d username=${email} -d password=… | grep -o '"access_token":"[^"]*' | cut -d'"' -f4)`,
    `    curl -s -X POST -H "Authorization: Bearer $TOKEN" ${url}/api/v1/api-keys`,
    `    curl -s ${url}/api/v1/users -H "X-API-Key: sk-…" -H 'Content-Type: application/json' -d '{"first_name": "Ada"}'`,
  ];
}

function exampleCalls(
  url: string,
  { keyFile, userId, day, from }: NonNullable<StartPage['example']>,
): string[] {
  const user = `${url}/api/v1/users/${userId}`;
  return [
    `    KEY=$(cat '${keyFile}')`,
    `    curl -s -H "X-API-Key: $KEY" '${url}/api/v1/users'`,
    `    curl -s -H "X-API-Key: $KEY" '${user}/events/workouts?start_date=${from}&end_date=${day}'`,
    `    curl -s -H "X-API-Key: $KEY" '${user}/timeseries?types=heart_rate&resolution=1hour&start_time=${day}&end_time=${day}'`,
    `    npm run -s pulsebus -- login ${url} < '${keyFile}'`,
    `    npm run -s pulsebus -- series ${userId} heart_rate --last 1d`,
  ];
}
