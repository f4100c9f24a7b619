/** An option of a form. */
export interface Choice {
  readonly value: string;
  readonly label: string;
}

/** The contents of a consent page. `hidden` fields are sent with the form. */
export interface ConsentPage {
  readonly title: string;
  readonly users: readonly Choice[];
  readonly scopes: readonly Choice[];
  readonly hidden: URLSearchParams;
}

/** The page on which a user grants or denies an application access to their data. */
export function consentPage({ title, users, scopes, hidden }: ConsentPage): string {
  const kept = [...hidden].map(
    ([name, value]) => `<input type="hidden" name="${safe(name)}" value="${safe(value)}">`,
  );
  const radios = users.map(
    ({ value, label }, index) =>
      `<label><input type="radio" name="person" value="${safe(value)}"${index === 0 ? ' checked' : ''}> ${safe(label)}</label>`,
  );
  const ticks = scopes.map(
    ({ value, label }) =>
      `<label><input type="checkbox" name="permission" value="${safe(value)}" checked> ${safe(label)}</label>`,
  );
  return layout(
    title,
    `<p>An application wants to read your data. Nobody here is real: pick who you are.</p>
<form method="post">${kept.join('')}
<fieldset><legend>Who are you?</legend>${radios.join('\n')}</fieldset>
<fieldset><legend>What may it read?</legend>${ticks.join('\n')}</fieldset>
<button name="decision" value="allow">Allow</button> <button name="decision" value="deny">Deny</button></form>`,
  );
}

/** An error page. */
export function problemPage(title: string, problem: string): string {
  return layout(title, `<p>${safe(problem)}</p>`);
}

/** A page with a table. */
export function tablePage(
  title: string,
  intro: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
) {
  const row = (cells: readonly string[], tag: string) =>
    `<tr>${cells.map((cell) => `<${tag}>${safe(cell)}</${tag}>`).join('')}</tr>`;
  return layout(
    title,
    `<p>${safe(intro)}</p><table>${row(head, 'th')}${rows.map((cells) => row(cells, 'td')).join('\n')}</table>`,
  );
}

function layout(title: string, body: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${safe(title)}</title><style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 3rem auto; padding: 0 1rem; }
label { display: block; margin: .3rem 0; } fieldset { margin: 1rem 0; } button { font: inherit; padding: .4rem 1.2rem; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .2rem .8rem .2rem 0; }
</style></head><body><h1>${safe(title)}</h1>${body}</body></html>`;
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function safe(text: string): string {
  return text.replace(/[&<>"']/g, (one) => entities[one] ?? one);
}
