import { type Command, UsageError } from '../command.ts';
import { type Shell, scriptOf, shells } from '../completion-script.ts';

/** `commands` are those that the script completes. */
export function completion(commands: () => readonly Command[]): Command {
  return {
    name: 'completion',
    summary: `Print a completion script for ${shells.join(', ')}`,
    usage: `<${shells.join('|')}>`,
    words: shells,
    arity: [1, 1],
    options: {},
    examples: [
      'eval "$(pulsebus completion bash)"      # in ~/.bashrc',
      'eval "$(pulsebus completion zsh)"       # in ~/.zshrc, after compinit',
      'pulsebus completion fish > ~/.config/fish/completions/pulsebus.fish',
    ],
    run({ args, output }) {
      const shell: Shell | undefined = shells.find((name) => name === args[0]);
      if (shell === undefined) throw new UsageError(`The shell is one of ${shells.join(', ')}.`);
      output.line(scriptOf(shell, commands()));
    },
  };
}
