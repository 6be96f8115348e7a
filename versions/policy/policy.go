// Package policy decides what may be done to the memories of a store.
//
// A [Policy] is a list of rules. The first rule that matches an [Act] decides whether the act is
// allowed, held until a person accepts it, or denied; an act that no rule matches is allowed. People
// write a policy as text, one rule on each line:
//
//	# nobody but a person changes the rules of the team
//	deny  actor:agent path:/team/**
//	hold  actor:agent after:web,shell,mcp,file
//	deny  actor:agent finding:secret
//	allow
//
// A rule is an action (allow, hold or deny) and conditions, all of which must hold. A condition is a
// name, a colon and values that are separated by commas, one of which must fit:
//
//	path     a path of a memory ("/notes/a.md"), of a folder and everything in it ("/notes"), or a
//	         pattern: * and ? stand for characters of one name, ** for any number of names
//	verb     create, edit, rename, delete, restore, undo, redo, import, redact, settings, archive, move, remove
//	actor    agent (everybody but a person at memend's own screens and commands), person, or a name, as
//	         [Named] has it
//	door     tui, cli, tool, agent, mcp, storesapi, hook, unknown
//	after    what the session took in before: web, shell, mcp, file, or any
//	finding  what the guard found in the text: secret, hidden, link, instruction, size, damage, or any
//
// A value with blanks or commas is written in double quotes. Everything after a # that begins a word is a comment. The package knows no store and reads nothing; a Policy
// doesn't change and may be used by several goroutines.
package policy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// Action is what a rule decides.
type Action uint8

// The actions, from the weakest to the strongest.
const (
	Allow Action = iota
	Hold
	Deny
)

var actions = []string{Allow: "allow", Hold: "hold", Deny: "deny"}

func (a Action) String() string { return actions[a] }

// Act is what somebody wants to do to one memory, or to the store.
type Act struct {
	Verb     string
	Paths    []string // of the memory, before and after; "/" for the store
	Person   bool     // a person does it, at memend's own screens and commands
	Actor    string   // name of the actor
	Title    string   // the name that its client shows to people
	Door     string
	After    []string // kinds of what the session took in before
	Findings []string // kinds of what the guard found in the text that the act adds
}

// Policy is a list of rules.
type Policy struct {
	text  string
	rules []Rule
}

// Rule is one line of a policy.
type Rule struct {
	Action Action
	Line   int    // from 1
	Text   string // without the comment

	conditions []condition
}

type condition struct {
	name   string
	values []string
}

// String returns the text that the policy was parsed from.
func (p Policy) String() string { return p.text }

// Decide returns what the policy decides about an act, and the rule that does; its line is 0 if no
// rule matches.
func (p Policy) Decide(a Act) (Action, Rule) {
	for _, r := range p.rules {
		if r.matches(a) {
			return r.Action, r
		}
	}
	return Allow, Rule{}
}

// DecideBelow returns the first decision to hold or deny an act on some memory below a folder, for a caller who doesn't
// know which memories the act is about. Conditions on paths count as met.
func (p Policy) DecideBelow(a Act) (Action, Rule) {
	for _, r := range p.rules {
		byPath := slices.ContainsFunc(r.conditions, func(c condition) bool { return c.name == "path" })
		r.conditions = slices.DeleteFunc(slices.Clone(r.conditions), func(c condition) bool { return c.name == "path" })
		if r.matches(a) && (r.Action != Allow || !byPath) {
			return r.Action, r
		}
	}
	return Allow, Rule{}
}

// Asks reports whether a condition of the name is in a rule, so that a caller need not find out what
// no rule asks for.
func (p Policy) Asks(name string) bool {
	return slices.ContainsFunc(p.rules, func(r Rule) bool {
		return slices.ContainsFunc(r.conditions, func(c condition) bool { return c.name == name })
	})
}

// Decides reports whether the policy holds or denies anything.
func (p Policy) Decides() bool {
	return slices.ContainsFunc(p.rules, func(r Rule) bool { return r.Action != Allow })
}

func (r Rule) matches(a Act) bool {
	for _, c := range r.conditions {
		if !slices.ContainsFunc(c.values, func(v string) bool { return names[c.name].fits(v, a) }) {
			return false
		}
	}
	return true
}

// conditionName is one kind of condition.
type conditionName struct {
	values []string // the valid ones; nil means any
	check  func(value string) error
	fits   func(value string, a Act) bool
}

const anyValue = "any"

var names = map[string]conditionName{
	"path": {check: checkPath, fits: func(v string, a Act) bool {
		return slices.ContainsFunc(a.Paths, func(p string) bool { return under(v, p) })
	}},
	"verb": {values: Verbs, fits: func(v string, a Act) bool { return v == a.Verb }},
	"actor": {fits: func(v string, a Act) bool {
		return strings.EqualFold(v, "agent") && !a.Person || strings.EqualFold(v, "person") && a.Person || Named(v, a.Actor, a.Title)
	}},
	"door":    {values: Doors, fits: func(v string, a Act) bool { return v == a.Door }},
	"after":   {values: append([]string{anyValue}, Inputs...), fits: func(v string, a Act) bool { return among(a.After, v) }},
	"finding": {values: append([]string{anyValue}, Findings...), fits: func(v string, a Act) bool { return among(a.Findings, v) }},
}

func among(kinds []string, value string) bool {
	return value == anyValue && len(kinds) > 0 || slices.Contains(kinds, value)
}

// The valid values of conditions.
var (
	Verbs    = []string{"create", "edit", "rename", "delete", "restore", "undo", "redo", "import", "redact", "settings", "archive", "move", "remove"}
	Doors    = []string{"tui", "cli", "tool", "agent", "mcp", "storesapi", "hook", "unknown"}
	Inputs   = []string{"web", "shell", "mcp", "file"}
	Findings = []string{"secret", "hidden", "link", "instruction", "size", "damage"}
)

// SyntaxError says where a policy is not valid.
type SyntaxError struct {
	Line, Column int // from 1; columns are characters
	Reason       string
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("policy, line %d, column %d: %s", e.Line, e.Column, e.Reason)
}

// Parse parses a policy. The error is a *SyntaxError.
func Parse(text string) (Policy, error) {
	p := Policy{text: text}
	n := 0
	for line := range strings.Lines(text) {
		n++
		r, err := parseRule(strings.TrimRight(line, "\r\n"))
		if err != nil {
			err.Line = n
			return Policy{}, err
		}
		if r != nil {
			r.Line = n
			p.rules = append(p.rules, *r)
		}
	}
	return p, nil
}

// word is a word of a line with its column.
type word struct {
	text   string
	column int
}

func words(line string) (out []word) {
	const blank = " \t"
	for at := 0; at < len(line); {
		n := len(line[at:]) - len(strings.TrimLeft(line[at:], blank))
		if at += n; at == len(line) || line[at] == '#' {
			break
		}
		end := before(line[at:], blank)
		out = append(out, word{line[at : at+end], utf8.RuneCountInString(line[:at]) + 1})
		at += end
	}
	return out
}

// before returns the position of the first of the stops in a text, or its end. Those in a value in quotes
// don't count.
func before(s, stops string) int {
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(stops, s[i]) >= 0 {
			return i
		}
		if s[i] == '"' && (i == 0 || s[i-1] == ':' || s[i-1] == ',') {
			i += 1 + strings.IndexByte(s[i+1:], '"') // stays if no quote follows
		}
	}
	return len(s)
}

func parseRule(line string) (*Rule, *SyntaxError) {
	ws := words(line)
	if len(ws) == 0 {
		return nil, nil
	}
	action := slices.Index(actions, ws[0].text)
	if action < 0 {
		return nil, &SyntaxError{Column: ws[0].column, Reason: fmt.Sprintf("%q is no action: a rule begins with allow, hold or deny", ws[0].text)}
	}
	r := &Rule{Action: Action(action), Text: ws[0].text}
	for _, w := range ws[1:] {
		c, err := parseCondition(w)
		if err != nil {
			return nil, err
		}
		r.conditions = append(r.conditions, c)
		r.Text += " " + w.text
	}
	return r, nil
}

func parseCondition(w word) (condition, *SyntaxError) {
	name, list, ok := strings.Cut(w.text, ":")
	known, is := names[name]
	if !ok || !is {
		return condition{}, &SyntaxError{Column: w.column, Reason: fmt.Sprintf("%q is no condition: write path:, verb:, actor:, door:, after: or finding: and a value", w.text)}
	}
	c := condition{name: name}
	column := w.column + utf8.RuneCountInString(name) + 1
	for more := true; more; {
		typed := list[:before(list, ",")]
		_, list, more = strings.Cut(list[len(typed):], ",")
		v := typed
		if len(v) > 1 && v[0] == '"' && v[len(v)-1] == '"' {
			v = v[1 : len(v)-1]
		}
		switch {
		case v == "":
			return condition{}, &SyntaxError{Column: column, Reason: "a value of " + name + ": is missing"}
		case known.values != nil && !slices.Contains(known.values, v):
			return condition{}, &SyntaxError{Column: column, Reason: fmt.Sprintf("%q is no value of %s: use %s", v, name, strings.Join(known.values, ", "))}
		case known.check != nil:
			if err := known.check(v); err != nil {
				return condition{}, &SyntaxError{Column: column, Reason: err.Error()}
			}
		}
		c.values = append(c.values, v)
		column += utf8.RuneCountInString(typed) + 1
	}
	return c, nil
}
