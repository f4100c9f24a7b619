// Runs test files in the order given, some at a time, and writes their TAP to stdout, as tap's own command does.
// That command sorts the files by name, so that a long one may begin last and run alone.
// usage: node test/support/run-files.ts JOBS FILE…
import t from 'tap';

const [jobs, ...files] = process.argv.slice(2);
const timeoutSeconds = 300;
// tap's command hands its settings on in this way; without it a file that says nothing has 30 s.
const env = { ...process.env, TAP_FAIL_SKIP: '1', TAP_TIMEOUT: String(timeoutSeconds) };

t.jobs = Number(jobs);
t.setTimeout(0);
// tap writes the files' TAP in the order given. Who waits behind a long file sees on stderr that others end.
t.on('subtestEnd', ({ name, time }) =>
  console.error(`# ended after ${Math.round(Number(time) / 1000)} s: ${name}`),
);
for (const file of files)
  void t.spawn(process.execPath, [file], {
    at: null,
    stack: '',
    name: file,
    buffered: t.jobs > 1,
    timeout: timeoutSeconds * 1000,
    stdio: 'inherit',
    env,
  });
