#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "support/check.h"
#include "tools/main/manual.h"

namespace stencilgen::driver {

namespace {

std::vector<std::string> Split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t end = text.find(separator);
    parts.emplace_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return parts;
}

/// The names of the options of a command.
std::vector<std::string> Names(Command command) {
  std::vector<std::string> names;
  for (const OptionSpec& spec : OptionTable()) {
    if (!Belongs(spec, command)) continue;
    names.emplace_back(spec.name);
    if (!spec.short_name.empty()) names.emplace_back(spec.short_name);
  }
  return names;
}

/// `--out-file|-o`
std::string Pattern(const OptionSpec& spec) {
  return spec.short_name.empty() ? std::string(spec.name)
                                 : fmt::format("{}|{}", spec.name, spec.short_name);
}

std::string Bash() {
  std::string values;
  std::vector<std::string> files;
  std::vector<std::string> others;
  for (const OptionSpec& spec : OptionTable()) {
    if (spec.value.empty()) continue;
    const std::vector<std::string> choices = ChoicesOf(spec);
    if (!choices.empty()) {
      values += fmt::format(
          "    {})\n      mapfile -t COMPREPLY < <(compgen -W \"{}\" -- \"$current\")\n      "
          "return ;;\n",
          Pattern(spec), fmt::join(choices, " "));
    } else {
      (TakesFile(spec) ? files : others).push_back(Pattern(spec));
    }
  }
  return fmt::format(R"(# Completion of stencilgen for bash: put it into
# ~/.local/share/bash-completion/completions/stencilgen
_stencilgen() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}"
  local previous="${{COMP_WORDS[COMP_CWORD-1]}}"
  COMPREPLY=()
  # bash takes --name=value apart.
  if [ "$current" = "=" ]; then
    current=""
  elif [ "$previous" = "=" ] && [ "$COMP_CWORD" -ge 2 ]; then
    previous="${{COMP_WORDS[COMP_CWORD-2]}}"
  fi
  case "$previous" in
{}    {})
      compopt -o filenames
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return ;;
    {})
      return ;;
  esac
  if [ "${{current:0:1}}" = "-" ]; then
    case "${{COMP_WORDS[1]}}" in
    build)
      mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current") ;;
    run)
      mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current") ;;
    explain)
      mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current") ;;
    tune)
      mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current") ;;
    machine)
      mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current") ;;
    *)
      mapfile -t COMPREPLY < <(compgen -W "{}" -- "$current") ;;
    esac
    return
  fi
  compopt -o filenames
  mapfile -t COMPREPLY < <(
    compgen -d -- "$current"
    compgen -f -X '!*.@(idsl|cpp|cc|cxx|cu)' -- "$current"
    if [ "$COMP_CWORD" -eq 1 ]; then compgen -W "build run explain tune machine" -- "$current"; fi)
}}
shopt -s extglob
complete -F _stencilgen stencilgen
)",
                     values, fmt::join(files, "|"), fmt::join(others, "|"),
                     fmt::join(Names(Command::Build), " "), fmt::join(Names(Command::Run), " "),
                     fmt::join(Names(Command::Explain), " "), fmt::join(Names(Command::Tune), " "),
                     fmt::join(Names(Command::Machine), " "),
                     fmt::join(Names(Command::Compile), " "));
}

/// A description inside of `[...]` of zsh's _arguments, inside of single quotes.
std::string ZshText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') out.push_back('\\');
    if (c == '\'') {
      out.append("'\\''");
    } else {
      out.push_back(c);
    }
  }
  return out;
}

std::string ZshOption(const OptionSpec& spec) {
  std::string action;
  if (!spec.value.empty()) {
    const std::vector<std::string> choices = ChoicesOf(spec);
    action = fmt::format(":{}:", ZshText(spec.value));
    if (!choices.empty()) {
      action += fmt::format("({})", fmt::join(choices, " "));
    } else if (TakesFile(spec)) {
      action += "_files";
    }
  }
  const std::string once = spec.repeatable ? "*" : "";
  std::string out;
  for (const std::string_view name : {spec.short_name, spec.name}) {
    if (name.empty()) continue;
    out += fmt::format("    '{}{}[{}]{}'\n", once, name, ZshText(spec.help), action);
  }
  return out;
}

std::string Zsh() {
  const auto options = [](Command command) {
    std::string lines;
    for (const OptionSpec& spec : OptionTable()) {
      if (Belongs(spec, command)) lines += ZshOption(spec);
    }
    return lines;
  };
  return fmt::format(R"zsh(#compdef stencilgen
# Completion of stencilgen for zsh: put it into a folder of $fpath as _stencilgen
local -a of_build of_run of_explain of_tune of_machine of_compile
of_build=(
{})
of_run=(
{})
of_explain=(
{})
of_tune=(
{})
of_machine=(
{})
of_compile=(
{})
if (( CURRENT > 2 )) && [[ ${{words[2]}} == (build|run|explain|tune|machine) ]]; then
  local command=${{words[2]}}
  shift words
  (( CURRENT-- ))
  case $command in
  build) _arguments $of_build '*:program:_files -g "*.idsl"' ;;
  run) _arguments $of_run '*:program:_files -g "*.idsl"' ;;
  explain) _arguments $of_explain '*:program:_files -g "*.idsl"' ;;
  tune) _arguments $of_tune '*:program:_files -g "*.idsl"' ;;
  machine) _arguments $of_machine ;;
  esac
  return
fi
if (( CURRENT == 2 )); then
  compadd build run explain tune machine
fi
_arguments $of_compile '*:program:_files -g "*.(idsl|cpp|cc|cxx|cu)"'
)zsh",
                     options(Command::Build), options(Command::Run), options(Command::Explain),
                     options(Command::Tune), options(Command::Machine), options(Command::Compile));
}

std::string FishText(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'' || c == '\\') out.push_back('\\');
    out.push_back(c);
  }
  return out;
}

std::string Fish() {
  std::string out =
      "# Completion of stencilgen for fish: put it into\n"
      "# ~/.config/fish/completions/stencilgen.fish\n"
      "complete -c stencilgen -f -a '(__fish_complete_suffix .idsl)'\n"
      "complete -c stencilgen -n '__fish_is_first_token' -a build -d 'compile to a library'\n"
      "complete -c stencilgen -n '__fish_is_first_token' -a run -d 'execute, check and time'\n"
      "complete -c stencilgen -n '__fish_is_first_token' -a explain -d 'report the plan'\n"
      "complete -c stencilgen -n '__fish_is_first_token' -a tune -d 'find the fastest options'\n"
      "complete -c stencilgen -n '__fish_is_first_token' -a machine -d 'measure this CPU'\n";
  for (const OptionSpec& spec : OptionTable()) {
    std::string line = "complete -c stencilgen";
    std::string where;
    std::string nowhere;
    for (const auto& [command, name] :
         {std::pair(Command::Build, "build"), std::pair(Command::Run, "run"),
          std::pair(Command::Explain, "explain"), std::pair(Command::Tune, "tune"),
          std::pair(Command::Machine, "machine")}) {
      (Belongs(spec, command) ? where : nowhere) += fmt::format(" {}", name);
    }
    if (!spec.compile) {
      line += fmt::format(" -n '__fish_seen_subcommand_from{}'", where);
    } else if (!nowhere.empty()) {
      line += fmt::format(" -n 'not __fish_seen_subcommand_from{}'", nowhere);
    }
    line += fmt::format(" -l {}", spec.name.substr(2));
    if (!spec.short_name.empty()) line += fmt::format(" -s {}", spec.short_name.substr(1));
    if (!spec.value.empty()) {
      const std::vector<std::string> choices = ChoicesOf(spec);
      line += TakesFile(spec) ? " -r -F" : " -x";
      if (!choices.empty()) line += fmt::format(" -a '{}'", fmt::join(choices, " "));
    }
    out += fmt::format("{} -d '{}'\n", line, FishText(spec.help));
  }
  return out;
}

}  // namespace

std::vector<std::string> ChoicesOf(const OptionSpec& spec) {
  if (!spec.choices.empty()) return Split(spec.choices, ' ');
  if (spec.value.find('|') != std::string_view::npos) return Split(spec.value, '|');
  return {};
}

bool TakesFile(const OptionSpec& spec) {
  return spec.value.rfind("FILE", 0) == 0 || spec.value == "FOLDER" ||
         spec.value.rfind("[NAME=]FILE", 0) == 0;
}

std::string CompletionScript(std::string_view shell) {
  if (shell == "bash") return Bash();
  if (shell == "zsh") return Zsh();
  STENCILGEN_CHECK(shell == "fish");
  return Fish();
}

}  // namespace stencilgen::driver
