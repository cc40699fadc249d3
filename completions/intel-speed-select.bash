# SPDX-License-Identifier: GPL-2.0-only
# Completion for bash: the program itself says what may follow. Words are looked at without their
# quotes: names of features, commands and options have nothing in them that needs any.

_intel_speed_select()
{
	local program=${1/#\~\//$HOME/} rest=${COMP_LINE:0:COMP_POINT} word line
	local -a words=() lines
	local before

	# bash parts words at "=" and ":"; the program wants them whole.
	rest=${rest#*"${COMP_WORDS[0]}"}
	for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
		if [[ $rest == [[:space:]]* ]]; then
			words+=("")
			rest=${rest#"${rest%%[![:space:]]*}"}
		fi
		[[ ${#word} -gt ${#rest} ]] && word=$rest
		words[${#words[@]} - 1]+=${word//[\"\'\\]/}
		rest=${rest#"$word"}
	done

	# What is in front of the part that bash completes.
	before=${words[-1]%"${words[-1]##*:}"}
	[[ $COMP_WORDBREAKS == *:* ]] || before=
	COMPREPLY=()
	compopt -o nosort 2>/dev/null
	mapfile -t lines < <(command "$program" --complete -- "${words[@]}" 2>/dev/null)
	for line in "${lines[@]}"; do
		word=${line%%$'\t'*}
		if [[ $before ]]; then
			word=${word#"$before"}
		elif [[ ${words[-1]} == --*=* && $COMP_WORDBREAKS == *=* ]]; then
			word=${word#*=}
		fi
		[[ $word == *: ]] && compopt -o nospace 2>/dev/null
		case $line in
		$'\tfile') ((${#COMPREPLY[@]})) || compopt -o default 2>/dev/null ;;
		$'\tdirectory') ((${#COMPREPLY[@]})) || compopt -o dirnames 2>/dev/null ;;
		*) printf -v 'COMPREPLY[${#COMPREPLY[@]}]' %q "$word" ;;
		esac
	done
}

complete -F _intel_speed_select intel-speed-select isst
