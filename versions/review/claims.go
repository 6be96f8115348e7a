package review

import (
	"slices"
	"strings"
	"unicode"
)

// claim is what a line says about a subject. Two claims about one subject that say different things contradict each other.
// What is found is only what can be found without understanding a text:
//
//   - "Refund window: 14 days" and "refund window = 30 days". A label of one word, as "window", is about its heading.
//   - "Never deploy on Fridays" and "Deploy on Fridays": the same words, one of them with a negation.
type claim struct {
	subject, says string
	line          int // from 0
}

const (
	maxLabel = 6  // words before the colon; more are a sentence
	maxValue = 12 // words after it; more explain something
	minRule  = 2  // words that a negated sentence has besides
)

// claimsOf returns the claims of a text: of a line, that of its label, and that of its words.
func claimsOf(text string) (out []claim) {
	heading, n, front := "", -1, false
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "---" && (n == 0 || front) { // the properties of a note say something about that note
			front = n == 0
			continue
		}
		if front {
			continue
		}
		if title := strings.TrimLeft(line, "#"); title != line {
			heading = strings.Join(words(title), " ")
			continue
		}
		if c, ok := labelled(line, heading); ok {
			c.line = n
			out = append(out, c)
		}
		if c, ok := ruled(line); ok {
			c.line = n
			out = append(out, c)
		}
	}
	return out
}

// labelled is the claim of a line "label: value" or "label = value".
func labelled(line, heading string) (c claim, ok bool) {
	label, value, found := strings.Cut(line, ": ")
	if l, v, is := strings.Cut(line, " = "); is && (!found || len(l) < len(label)) {
		label, value, found = l, v, true
	}
	of, says := words(label), words(value)
	if !found || len(of) == 0 || len(of) > maxLabel || len(says) == 0 || len(says) > maxValue {
		return c, false
	}
	if len(of) == 1 {
		if heading == "" {
			return c, false
		}
		of = append([]string{heading}, of...)
	}
	return claim{subject: "is " + strings.Join(of, " "), says: strings.Join(says, " ")}, true
}

// ruled is the claim of a sentence that allows or forbids something.
func ruled(line string) (c claim, ok bool) {
	about, negated := []string{}, map[string]bool{}
	for _, w := range words(line) {
		switch {
		case negations[w]:
			negated[w] = true // "never, never" says no more than "never"
		case !fillers[w]:
			about = append(about, w)
		}
	}
	if len(about) < minRule || len(about) > maxValue {
		return c, false
	}
	slices.Sort(about)
	says := "yes"
	if len(negated)%2 != 0 { // two of them allow, as "never without asking" does
		says = "no"
	}
	return claim{subject: "do " + strings.Join(about, " "), says: says}, true
}

var (
	negations = setOf("never not no don't dont doesn't isn't aren't can't cannot won't mustn't shouldn't avoid without")
	fillers   = setOf("always must should shall may can do does is are be to the a an please it that")
)

func setOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// words returns the words of a line without marks of Markdown, in lower case. A number keeps its sign and its point.
func words(s string) []string {
	list := strings.FieldsFunc(strings.ToLower(strings.ReplaceAll(s, "’", "'")), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("'.-+%$€/", r)
	})
	out := list[:0]
	for _, w := range list {
		if w = strings.TrimRight(strings.Trim(w, "'"), ".-+/"); strings.ContainsFunc(w, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			out = append(out, w)
		}
	}
	return out
}
