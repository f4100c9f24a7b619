// Finds statements of a migration that break running processes of the previous version.
const rules: readonly (readonly [RegExp, string])[] = [
  [/\bdrop\s+(table|view|materialized view|schema|type|sequence)\b/, 'drops what old code reads'],
  [
    /\bdrop\s+(column\b|(?!constraint|default|not null|expression|identity|index|trigger|function)(if exists\s+)?\w+\s*[,;])/,
    'drops a column',
  ],
  [/\brename\b/, 'renames'],
  [/\balter\s+(column\s+)?\w+\s+(set data\s+)?type\b/, 'changes a type'],
  [/\bset\s+not\s+null\b/, 'refuses the nulls of old code'],
  [
    /\badd\s+(column\s+)?(if not exists\s+)?(?!constraint|primary|unique|check|foreign|exclude)\w+\s[^,;]*\bnot\s+null\b(?![^,;]*\b(default|generated)\b)(?<!\b(default|generated)\b[^,;]*)/,
    'adds a column that old code does not fill',
  ],
];

/** The reasons why a migration breaks the previous version; empty if there are none. */
export function unsafe(sql: string): string[] {
  const bare = sql
    .replaceAll(/--[^\n]*/g, '')
    .replaceAll(/\$\$[\s\S]*?\$\$/g, "''")
    .toLowerCase();
  return bare
    .split(';')
    .filter((statement) => /^\s*(alter|drop)\b/.test(statement))
    .flatMap((statement) => rules.filter(([rule]) => rule.test(`${statement};`)).map(([, why]) => why));
}
