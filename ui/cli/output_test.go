package cli

import (
	"bufio"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/memend/memend/versions"
)

// JSON contains no control characters, and on a terminal no invisible ones; the object is the same.
func TestJSONIsSafeToDraw(t *testing.T) {
	t.Parallel()
	const hostile = "a\u009b31mb\u0085c\u202ed\u2066e\u200bf\u00adg\x7fh\U000e0041i\u2028j\ufeffk é 漢 👍🏽"
	for _, terminal := range []bool{true, false} {
		var b strings.Builder
		p := newProgram(console{out: bufio.NewWriter(&b), terminal: terminal})
		p.emit(map[string]string{hostile: hostile})
		if err := p.out.Flush(); err != nil {
			t.Fatal(err)
		}
		var back map[string]string
		if err := json.Unmarshal([]byte(b.String()), &back); err != nil || back[hostile] != hostile {
			t.Errorf("%q, %v", back, err)
		}
		if invisible := strings.ContainsAny(b.String(), "\u202e\u2066\u200b\u00ad\U000e0041\ufeff"); invisible == terminal {
			t.Errorf("terminal %v: %q", terminal, b.String())
		}
		if strings.ContainsAny(b.String(), "\u009b\u0085\x7f\u2028") {
			t.Errorf("terminal %v: %q", terminal, b.String())
		}
		if !strings.Contains(b.String(), "é 漢 👍🏽") {
			t.Errorf("%q", b.String())
		}
	}
}

// An object that JSON can't encode is an error at the end, and nothing of it is printed.
func TestEmit_ReportsObjectsThatJSONCanNotEncode(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	p := newProgram(console{out: bufio.NewWriter(&b), terminal: true})
	p.emit(func() {})
	p.emit("a text")
	if err := p.out.Flush(); err != nil || b.String() != "\"a text\"\n" {
		t.Errorf("printed %q, %v", b.String(), err)
	}
	if p.unencoded == nil || !strings.HasPrefix(p.unencoded.Error(), "encode output: ") {
		t.Errorf("the error is %v", p.unencoded)
	}
}

// A question may name a folder or a store of others.
func TestAsk_AsksNothingThatATerminalObeys(t *testing.T) {
	t.Parallel()
	var out, errs strings.Builder
	p := console{in: strings.NewReader("\n"), out: bufio.NewWriter(&out), err: &errs}
	p.ask("Merge a\x1b[31mb into which store? ")
	if asked := errs.String(); strings.ContainsRune(asked, '\x1b') || !strings.HasSuffix(asked, "b into which store? ") {
		t.Errorf("%q", asked)
	}
}

// Line mode says what another program did in the words of the log, which has no word "adopt".
func TestLineMode_SaysWhatOthersDid(t *testing.T) {
	t.Parallel()
	events := make(chan versions.Event, 1)
	events <- versions.Event{Changes: []versions.Change{{Number: 5, Kind: versions.KindAdopt, Versions: 1, Actor: versions.Actor{Kind: versions.Outside}, Effect: versions.Effect{Edited: 1, Path: pathAt(t, "/a.md")}}}}
	var out strings.Builder
	p := console{out: bufio.NewWriter(&out)}
	printOthersChanges(&p, events)
	if err := p.out.Flush(); err != nil || out.String() != "News: change 5 by outside: edited /memories/a.md\n" {
		t.Errorf("%q, %v", out.String(), err)
	}
}

// UnmarshalJSON reads what commands printed.
func (s *stamp) UnmarshalJSON(b []byte) error {
	t, err := time.Parse(`"`+stampLayout+`"`, string(b))
	*s = stamp(t)
	return err
}
