// SPDX-License-Identifier: GPL-2.0-only
/*
 * A scanner for JSON that has been found valid before: it checks nothing but never runs past the
 * text. Names are compared as decoded, escapes and all.
 */
#include "simulator/json_locate.h"

#include <stdbool.h>
#include <string.h>

#include <jansson.h>

struct scanner {
	const char *text;
	size_t length;
	size_t at;
};

/* The character at the scanner's place, or 0 behind the text. */
static char here(const struct scanner *scanner)
{
	return scanner->at < scanner->length ? scanner->text[scanner->at] : '\0';
}

static void skip_blanks(struct scanner *scanner)
{
	while (here(scanner) && strchr(" \t\r\n", here(scanner)))
		scanner->at++;
}

/* From a string's opening quote to behind its closing one. */
static void skip_string(struct scanner *scanner)
{
	for (scanner->at++; scanner->at < scanner->length; scanner->at++) {
		if (here(scanner) == '"') {
			scanner->at++;
			return;
		}
		if (here(scanner) == '\\')
			scanner->at++;
	}
}

/* From the first character of a value to what ends it: a comma, a bracket or the text's end. */
static void skip_value(struct scanner *scanner)
{
	size_t depth = 0;

	while (scanner->at < scanner->length) {
		char character = here(scanner);

		if (character == '"') {
			skip_string(scanner);
			continue;
		}
		if (depth == 0 && strchr(",]}", character))
			return;
		if (character == '{' || character == '[')
			depth++;
		else if (character == '}' || character == ']')
			depth--;
		scanner->at++;
	}
}

/* Is the string literal, quotes included, the text wanted? */
static bool literal_is(const char *literal, size_t length, const char *wanted)
{
	json_t *decoded;
	bool same;

	if (!memchr(literal, '\\', length))
		return length == strlen(wanted) + 2 && memcmp(literal + 1, wanted, length - 2) == 0;
	decoded = json_loadb(literal, length, JSON_DECODE_ANY, NULL);
	same = json_is_string(decoded) && strcmp(json_string_value(decoded), wanted) == 0;
	json_decref(decoded);
	return same;
}

/*
 * From behind the opening brace to the value of a member; *ret_name is where its name begins.
 * Returns whether there is such a member.
 */
static bool find_member(struct scanner *scanner, const char *member, size_t *ret_name)
{
	for (;;) {
		size_t start;
		bool found;

		skip_blanks(scanner);
		start = scanner->at;
		if (here(scanner) != '"')
			return false;
		skip_string(scanner);
		if (scanner->at > scanner->length)
			return false;
		found = literal_is(scanner->text + start, scanner->at - start, member);
		skip_blanks(scanner);
		scanner->at++; /* the colon */
		skip_blanks(scanner);
		if (found) {
			*ret_name = start;
			return true;
		}
		skip_value(scanner);
		scanner->at++; /* the comma or the brace */
	}
}

/* From behind the opening bracket to an element. Returns whether there is such an element. */
static bool find_element(struct scanner *scanner, size_t index)
{
	for (size_t i = 0;; i++) {
		skip_blanks(scanner);
		if (here(scanner) == ']' || here(scanner) == '\0')
			return false;
		if (i == index)
			return true;
		skip_value(scanner);
		if (here(scanner) != ',')
			return false;
		scanner->at++;
	}
}

/* Goes one step into the value at the scanner's place. */
static bool take_step(struct scanner *scanner, const struct json_step *step, size_t *ret_place)
{
	char opening = here(scanner);

	if (opening != (step->member ? '{' : '['))
		return false;
	scanner->at++;
	if (step->member)
		return find_member(scanner, step->member, ret_place);
	if (!find_element(scanner, step->index))
		return false;
	*ret_place = scanner->at;
	return true;
}

size_t json_locate(const char *text, size_t length, const struct json_step *steps, size_t n_steps)
{
	struct scanner scanner = { .text = text, .length = length };
	size_t place, line = 1;

	skip_blanks(&scanner);
	place = scanner.at;
	for (size_t i = 0; i < n_steps; i++) {
		if (!take_step(&scanner, &steps[i], &place))
			break;
	}
	for (size_t i = 0; i < place && i < length; i++)
		line += text[i] == '\n';
	return line;
}
