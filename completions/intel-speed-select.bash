# SPDX-License-Identifier: GPL-2.0-only
# Completion for bash: the program itself says what may follow.

_intel_speed_select()
{
	local program=$1 previous=${COMP_WORDS[COMP_CWORD - 1]} last word joins=
	local -a words=()

	# bash parts words at "="; the program wants --name=value whole.
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		last=$((${#words[@]} - 1))
		if [[ $joins || ($word == "=" && $last -ge 0 && ${words[last]} == --*) ]]; then
			words[last]+=$word
			[[ $word == "=" ]] && joins=yes || joins=
		else
			words+=("$word")
		fi
	done
	last=$((${#words[@]} - 1))

	mapfile -t COMPREPLY < <("$program" --complete -- "${words[@]}" 2>/dev/null)
	if [[ ${words[last]} == --*=* ]]; then
		COMPREPLY=("${COMPREPLY[@]#*=}")
		previous=${words[last]%%=*}
	fi
	if [[ ${#COMPREPLY[@]} -eq 0 ]]; then
		case $previous in
		-o | --out | --simulate) compopt -o default ;;
		--simulate-state) compopt -o dirnames ;;
		esac
	fi
}

complete -F _intel_speed_select intel-speed-select isst
