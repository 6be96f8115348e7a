package clients

import (
	"encoding/json"
	"flag"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestAValueIsAddedInTheStyleOfTheFile(t *testing.T) {
	for _, try := range []struct{ name, text, want string }{
		{"an empty file", "", "{\n  \"a\": {\n    \"k\": 1\n  }\n}\n"},
		{"an empty object", "{}\n", "{\n  \"a\": {\n    \"k\": 1\n  }\n}\n"},
		{"tabs", "{\n\t\"x\": 1\n}", "{\n\t\"x\": 1,\n\t\"a\": {\n\t\t\"k\": 1\n\t}\n}"},
		{"one line", `{"x":1}`, `{"x":1, "a": {"k":1}}`},
		{"a comment behind the last value", "{\n  \"x\": 1 // why\n}", "{\n  \"x\": 1, // why\n  \"a\": {\n    \"k\": 1\n  }\n}"},
		{"a trailing comma", "{\n  \"x\": 1,\n}", "{\n  \"x\": 1,\n  \"a\": {\n    \"k\": 1\n  },\n}"},
		{"Windows line ends", "{\r\n  \"x\": 1\r\n}\r\n", "{\r\n  \"x\": 1,\r\n  \"a\": {\r\n    \"k\": 1\r\n  }\r\n}\r\n"},
		{"a byte order mark", "\ufeff{\n  \"x\": 1\n}", "\ufeff{\n  \"x\": 1,\n  \"a\": {\n    \"k\": 1\n  }\n}"},
		{"only a comment inside", "{\n  // nothing yet\n}", "{\n  // nothing yet\n  \"a\": {\n    \"k\": 1\n  }\n}"},
	} {
		d, err := newDocument([]byte(try.text))
		if err == nil {
			err = d.add(d.root, "a", map[string]int{"k": 1})
		}
		if err != nil || string(d.text) != try.want {
			t.Errorf("%s: %v\n%q, want\n%q", try.name, err, d.text, try.want)
		}
		if try.text == "" {
			continue
		}
		if err := d.dropKey(nil, "a"); err != nil || strings.TrimRight(string(d.text), "\r\n") != strings.TrimRight(try.text, "\r\n") {
			t.Errorf("%s: %v: removed again it is %q, and was %q", try.name, err, d.text, try.text)
		}
	}
}

func TestInvalidJSONIsRefusedWithItsPosition(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1\n  \"b\": 2\n}": "line 3:3: expected a comma or }",
		"{\"a\": }":                    "line 1:7: expected a value",
		"{\"a\": 1, \"a\": 2}":         `line 1:10: duplicate key "a"`,
		"{\"a\": \"x}":                 "line 1:7: unterminated string",
		"{a: 1}":                       "line 1:2: expected a quoted key",
		"{} {}":                        "line 1:4: unexpected text after the value",
		"/* x":                         "line 1:1: unterminated comment",
		"[1]":                          "the file does not contain a JSON object",
		strings.Repeat("{\"a\":", 500): "line 1:1006: the values are nested too deeply",
	} {
		if _, err := newDocument([]byte(text)); err == nil || err.Error() != want {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
}

var (
	seedFlag = flag.Uint64("clients.seed", 1, "seed of the random edits; 0 takes one from the clock")
	edits    = flag.Int("clients.edits", 300, "how many random files are edited")
)

// Random files in random styles: what was there stays, what was added is there, and
// removing it gives what there was.
func TestRandomEditsKeepEverythingElse(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d (-clients.seed)", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	for range *edits {
		text := randomObject(r, 0)
		before, err := newDocument([]byte(text))
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		want := before.root.decode(before.text).(map[string]any)
		d, _ := newDocument([]byte(text))
		n, err := d.object("mcp", "servers")
		if err == nil {
			err = d.set(n, "mine", map[string]any{"command": "c", "args": []string{"a"}})
		}
		if err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		got := d.root.decode(d.text).(map[string]any)
		if mine := d.root.at("mcp", "servers", "mine"); mine == nil {
			t.Fatalf("nothing was added:\n%s", d.text)
		}
		delete(got, "mcp")
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("something else changed:\n%s\nwas\n%s", d.text, text)
		}
		if err := d.dropKey([]string{"mcp", "servers"}, "mine"); err != nil {
			t.Fatalf("%v:\n%s", err, d.text)
		}
		if got := d.root.decode(d.text); !reflect.DeepEqual(got, any(want)) || strings.Count(string(d.text), " // c") != strings.Count(text, " // c") {
			t.Fatalf("after removing it there is\n%s\nand there was\n%s", d.text, text)
		}
		for len(d.root.members) > 0 { // any part may go
			i := r.IntN(len(d.root.members))
			delete(want, d.root.members[i].key)
			if err := d.drop(d.root, i); err != nil {
				t.Fatal(err)
			}
			if got := d.root.decode(d.text); !reflect.DeepEqual(got, any(want)) {
				t.Fatalf("%s\nwant %v", d.text, want)
			}
		}
	}
}

func randomObject(r *rand.Rand, depth int) string {
	space := func() string {
		return []string{"", " ", "\n", "\n  ", " // c\n", "/* c */", "\t", "\r\n"}[r.IntN(8)]
	}
	var b strings.Builder
	b.WriteString("{" + space())
	n := r.IntN(4)
	for i := range n {
		key, _ := json.Marshal(string(rune('a'+i)) + strings.Repeat("\"\\é", r.IntN(2)))
		b.WriteString(space() + string(key) + space() + ":" + space())
		switch v := r.IntN(5); {
		case v == 0 && depth < 3:
			b.WriteString(randomObject(r, depth+1))
		case v == 1:
			b.WriteString("[1," + space() + "\"// no comment\"" + space() + "]")
		case v == 2:
			b.WriteString("\"{,}\"")
		default:
			b.WriteString("-1.5e3")
		}
		b.WriteString(space())
		if i+1 < n || r.IntN(3) == 0 {
			b.WriteString("," + space())
		}
	}
	b.WriteString(space() + "}")
	return b.String()
}
