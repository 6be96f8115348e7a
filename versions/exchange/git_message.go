package exchange

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/memend/memend/versions"
)

// trailer is the prefix of our trailers in a commit's message.
const trailer = "Memend-"

// gitMessage returns the message of a change's commit, with trailers for everything that git has no field for. A change without a message gets one that
// describes it.
func gitMessage(r *versions.Record) []byte {
	l := lineOfRecord(r)
	var b bytes.Buffer
	b.WriteString(cmp.Or(r.Message, l.title(verbOf(r))))
	b.WriteString("\n\n")
	say := func(key, text string) {
		if text != "" {
			fmt.Fprintf(&b, "%s%s: %s\n", trailer, key, text)
		}
	}
	say("Change", jsonText(*l.Change))
	say("Kind", plain(l.Kind))
	say("Path", plain(l.Path))
	say("To", plain(l.To))
	say("Actor", plain(string(r.By.Actor.Kind)+":"+r.By.Actor.Name))
	say("Session", plain(l.Session))
	say("Tool-Use", plain(l.ToolUse))
	say("Turn", unlessZero(l.Turn))
	if l.Door != versions.NoDoor {
		say("Door", l.Door.String())
	}
	say("Taken-In", l.Inputs.String())
	say("Inferred", unlessZero(l.Inferred))
	say("Found", unlessZero(l.Found))
	say("Time", timeText(l.CreatedAt))
	say("Clock", timeText(l.ClockAt))
	say("Undoes", unlessZero(l.Undoes))
	for i := range r.Versions {
		say("Version", jsonText(lineOfVersion(&r.Versions[i])))
	}
	return b.Bytes()
}

// verbOf returns what a change did: what was asked for, or what another program did.
func verbOf(r *versions.Record) string {
	if r.Kind != versions.KindAdopt {
		return string(r.Kind)
	}
	did := "change"
	for i, v := range r.Versions {
		op := map[versions.Operation]string{versions.Created: "create", versions.Modified: "edit", versions.Deleted: "delete"}[v.Operation]
		if i > 0 && op != did {
			return "change"
		}
		did = op
	}
	return did
}

// title returns the message of a change that has none of its own.
func (l *changeLine) title(verb string) string {
	s := strings.ReplaceAll(verb, "_", " ")
	if l.Path != "" {
		s += " " + l.Path
	}
	if l.To != "" {
		s += " to " + l.To
	}
	return s
}

func timeText(t *time.Time) string {
	if t == nil {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func unlessZero[T comparable](v T) string {
	var zero T
	if v == zero {
		return ""
	}
	return jsonText(v)
}

func jsonText(v any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return "" // never fails for our types; import refuses years past 9999
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// plain returns a text as the value of a trailer: unchanged, or as JSON if it contains a line end or looks like JSON.
func plain(s string) string {
	if strings.ContainsFunc(s, unicode.IsControl) || strings.HasPrefix(s, `"`) || strings.TrimSpace(s) != s {
		return jsonText(s)
	}
	return s
}

// readMessage parses the trailers of one of our commits; r is nil if it has none. text is the message without them; empty if it is the title that gitMessage
// gave the change.
func readMessage(message string) (r *versions.Record, text string, err error) {
	at := strings.LastIndex(message, "\n\n")
	if at < 0 || !strings.HasPrefix(message[at+2:], trailer+"Change: ") {
		return nil, message, nil
	}
	l, err := readTrailers(message[at+2:])
	if err != nil {
		return nil, message, err
	}
	if r, err = l.record(); err != nil {
		return nil, message, err
	}
	if text = message[:at]; text == l.title(verbOf(r)) || text == l.title(l.Kind) { // the second is an older memend's
		text = ""
	}
	return r, text, nil
}

func readTrailers(text string) (*changeLine, error) {
	var l changeLine
	for line := range strings.Lines(text) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok || !strings.HasPrefix(key, trailer) {
			return nil, unsound("trailer %.60q", line)
		}
		if err := l.trail(strings.TrimPrefix(key, trailer), value); err != nil {
			return nil, unsound("trailer %s: %v", key, err)
		}
	}
	if l.Change == nil {
		return nil, unsound("trailer %sChange is missing", trailer)
	}
	return &l, nil
}

func (l *changeLine) trail(key, value string) error {
	text := func(to *string) error {
		if !strings.HasPrefix(value, `"`) {
			*to = value
			return nil
		}
		return json.Unmarshal([]byte(value), to)
	}
	data := func(to any) error { return json.Unmarshal([]byte(value), to) }
	switch key {
	case "Change":
		return data(&l.Change)
	case "Kind":
		return text(&l.Kind)
	case "Path":
		return text(&l.Path)
	case "To":
		return text(&l.To)
	case "Actor":
		var who string
		if err := text(&who); err != nil {
			return err
		}
		kind, name, _ := strings.Cut(who, ":")
		l.By = &actorLine{kind, name}
	case "Session":
		return text(&l.Session)
	case "Tool-Use":
		return text(&l.ToolUse)
	case "Turn":
		return data(&l.Turn)
	case "Door":
		return l.Door.UnmarshalText([]byte(value))
	case "Taken-In":
		return l.Inputs.UnmarshalText([]byte(value))
	case "Inferred":
		return data(&l.Inferred)
	case "Found":
		return data(&l.Found)
	case "Time":
		l.CreatedAt = new(time.Time)
		return l.CreatedAt.UnmarshalText([]byte(value))
	case "Clock":
		l.ClockAt = new(time.Time)
		return l.ClockAt.UnmarshalText([]byte(value))
	case "Undoes":
		return data(&l.Undoes)
	case "Version":
		var v versionLine
		if err := data(&v); err != nil {
			return err
		}
		l.Versions = append(l.Versions, v)
	}
	return nil // from a newer memend
}
