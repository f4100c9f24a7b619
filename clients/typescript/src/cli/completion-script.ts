import type { Command } from './command.ts';

export const shells = ['bash', 'zsh', 'fish'] as const;
export type Shell = (typeof shells)[number];

/** A script that completes commands, their options and the values of options that have a choice. */
export function scriptOf(shell: Shell, commands: readonly Command[]): string {
  if (shell === 'fish') return fishScript(commands);
  return shell === 'zsh'
    ? `autoload -U +X bashcompinit && bashcompinit\n${bashScript(commands)}`
    : bashScript(commands);
}

function bashScript(commands: readonly Command[]): string {
  const names = commands.map(({ name }) => name).join(' ');
  const cases = commands.map(({ name, words = [], options }) => {
    const flags = [...Object.keys(options).map((option) => `--${option}`), '--help'];
    return `    ${name}) words='${[...words, ...flags].join(' ')}' ;;`;
  });
  const choices = commands.flatMap(({ name, options }) =>
    Object.entries(options).flatMap(([option, { choices = [] }]) =>
      choices.length === 0 ? [] : [`    ${name}:--${option}) words='${choices.join(' ')}' ;;`],
    ),
  );
  return `_pulsebus() {
  local words='${names} --help --version' command="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -gt 1 ] && case "$command" in
${cases.join('\n')}
  esac
  case "$command:\${COMP_WORDS[COMP_CWORD-1]}" in
${choices.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -F _pulsebus pulsebus`;
}

function fishScript(commands: readonly Command[]): string {
  const quoted = (text: string) => `'${text.replace(/[\\']/g, '\\$&')}'`;
  const lines = commands.flatMap(({ name, summary, words = [], options }) => {
    const when = `-n '__fish_seen_subcommand_from ${name}'`;
    return [
      `complete -c pulsebus -f -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...words.map((word) => `complete -c pulsebus -f ${when} -a ${word}`),
      ...Object.entries(options).map(([option, { type, description, choices = [] }]) => {
        const values = choices.length === 0 ? '' : ` -f -a ${quoted(choices.join(' '))}`;
        return `complete -c pulsebus ${when} -l ${option}${type === 'string' ? ' -r' : ''}${values} -d ${quoted(description)}`;
      }),
    ];
  });
  return lines.join('\n');
}
