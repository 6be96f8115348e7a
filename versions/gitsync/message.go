package gitsync

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/versions"
	"github.com/memend/memend/versions/exchange"
	"github.com/memend/memend/versions/git"
	"github.com/memend/memend/versions/ids"
)

// trailer begins our trailers in a commit's message.
const trailer = "Memend-"

// noEmail ends the address of an author who has none.
const noEmail = "@memend"

// author is who made a commit, and when, as git writes it.
func author(a versions.Actor, email string, when time.Time) string {
	name := cmp.Or(strings.TrimSpace(word(a.Name)), string(a.Kind))
	return fmt.Sprintf("%s <%s> %d +0000", name, cmp.Or(word(email), string(a.Kind)+noEmail), max(when.Unix(), 0))
}

// word returns a name or an address without what git can't store in it.
func word(s string) string {
	return strings.Map(func(c rune) rune {
		if exchange.NotInEmail(c) {
			return -1
		}
		return c
	}, s)
}

// message returns the message of a change's commit. subject says what happened, unless the change has a message of its own.
func message(id string, r *versions.Record, subject string) string {
	var b strings.Builder
	text := strings.TrimSpace(cmp.Or(r.Message, subject))
	fmt.Fprintf(&b, "%s\n\n%sId: %s\n%sActor: %s\n", text, trailer, id, trailer, quoted(string(r.By.Actor.Kind)+":"+r.By.Actor.Name))
	if r.Message == "" {
		fmt.Fprintf(&b, "%sSubject: %s\n", trailer, quoted(text)) // as long as it is the message, the change has none of its own
	}
	if r.By.Session != "" {
		fmt.Fprintf(&b, "%sSession: %s\n", trailer, quoted(string(r.By.Session)))
	}
	if r.By.ToolUse != "" {
		fmt.Fprintf(&b, "%sTool-Use: %s\n", trailer, quoted(r.By.ToolUse))
	}
	if r.By.Door != versions.NoDoor {
		fmt.Fprintf(&b, "%sDoor: %s\n", trailer, r.By.Door)
	}
	fmt.Fprintf(&b, "%sTime: %s\n", trailer, r.Time.UTC().Format(time.RFC3339Nano))
	return b.String()
}

// quoted returns a text for one line.
func quoted(s string) string {
	if strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c == 0x7f }) || strings.TrimSpace(s) != s || strings.HasPrefix(s, `"`) {
		return fmt.Sprintf("%q", s)
	}
	return s
}

func unquoted(s string) string {
	var out string
	if strings.HasPrefix(s, `"`) {
		if _, err := fmt.Sscanf(s, "%q", &out); err == nil {
			return out
		}
	}
	return s
}

// told is what a commit says of the change that it is.
type told struct {
	ids     []string // several: a squash
	in      versions.Incoming
	subject string // the first line of its message
	made    string // the message that memend gave it, which only says what the change did
}

// read returns what a commit says. Trailers may be anywhere: other programs add theirs after ours.
func read(c *git.Commit) (told, error) {
	when, err := c.Time()
	if err != nil {
		return told{}, err
	}
	t := told{in: versions.Incoming{ID: c.ID, Commit: c.ID, Time: when, Email: cut(address(c.Email), versions.MaxEmailBytes),
		By: versions.By{Door: versions.DoorGit, Actor: versions.Actor{Kind: versions.Person, Name: cut(git.Text(cmp.Or(c.Name, c.Email)), maxName)}, Session: versions.SessionID(c.ID)}}}
	var text []string
	for line := range strings.Lines(git.Text(c.Message)) {
		line = strings.TrimRight(line, "\n")
		key, value, ok := strings.Cut(line, ": ")
		if !ok || !strings.HasPrefix(key, trailer) {
			text = append(text, line)
			continue
		}
		t.trailer(strings.TrimPrefix(key, trailer), unquoted(value))
	}
	t.in.Message = cut(strings.TrimSpace(strings.Join(text, "\n")), versions.MaxMessageBytes)
	if len(t.ids) == 1 {
		t.in.ID = t.ids[0]
	}
	t.subject, _, _ = strings.Cut(t.in.Message, "\n")
	if t.in.Message == t.made {
		t.in.Message = ""
	}
	return t, nil
}

func (t *told) trailer(key, value string) {
	switch key {
	case "Id":
		t.ids = append(t.ids, value)
	case "Subject":
		t.made = value
	case "Actor":
		kind, name, _ := strings.Cut(value, ":")
		for _, k := range versions.ActorKinds {
			if string(k) == kind {
				t.in.By.Actor = versions.Actor{Kind: k, Name: cut(name, maxName)}
			}
		}
	case "Session":
		t.in.By.Session = versions.SessionID(cut(value, maxName))
	case "Tool-Use":
		t.in.By.ToolUse = cut(value, maxName)
	case "Time":
		if when, err := time.Parse(time.RFC3339Nano, value); err == nil && when.Year() > 0 && when.Year() < 9999 {
			t.in.Time = when
		}
	}
}

// address returns an author's address; "" if it is one that memend made up.
func address(s string) string {
	s = word(git.Text(s))
	if strings.HasSuffix(s, noEmail) {
		return ""
	}
	return s
}

// maxName bounds the names and ids that others give.
const maxName = 1024

func cut(s string, limit int) string {
	if s = strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\ufffd"); len(s) <= limit {
		return s
	}
	s = s[:limit]
	for !utf8.ValidString(s) {
		s = s[:len(s)-1]
	}
	return s
}

// newID returns an id for a change that no other change anywhere has.
func newID() string { return ids.Format("chg_", ids.New()) }

// keys are what a commit has in common with what a rebase made of it, the surest first: the change's id, the hash that it
// had when it was taken in, or its author, time and message.
func (t *told) keys() []string {
	keys := append(slices.Clone(t.ids), t.in.Commit)
	return append(keys, fmt.Sprintf("%s\x00%s\x00%d\x00%s", t.in.By.Actor.Name, t.in.Email, t.in.Time.Unix(), cmp.Or(t.in.Message, t.subject)))
}
