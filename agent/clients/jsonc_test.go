package clients

import (
	"bytes"
	"encoding/json"
	"errors"
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
		if err != nil {
			t.Fatal(try.name, err)
		}
		d.add(nil, "a", map[string]int{"k": 1})
		if string(d.text()) != try.want {
			t.Errorf("%s:\n%q, want\n%q", try.name, d.text(), try.want)
		}
		if try.text == "" {
			continue
		}
		d.dropKey(nil, "a")
		if strings.TrimRight(string(d.text()), "\r\n") != strings.TrimRight(try.text, "\r\n") {
			t.Errorf("%s: removed again it is %q, and was %q", try.name, d.text(), try.text)
		}
	}
}

func TestInvalidJSONIsRefusedWithItsPosition(t *testing.T) {
	for text, want := range map[string]string{
		"{\n  \"a\": 1\n  \"b\": 2\n}":       "line 3, column 3: ",
		"{\"a\": }":                          "line 1, column 7: ",
		"{\"a\": 1, \"a\": 2}":               `line 1:10: duplicate key "a"`,
		"{\n \"b\": [{\"a\": 1, \"a\": 2}]}": `line 2:17: duplicate key "a"`,
		"{\"a\": \"x}":                       "line 1, column 10: ",
		"{a: 1}":                             "line 1, column 2: ",
		"{} {}":                              "line 1, column 4: ",
		"/* x":                               "line 1, column ",
		"[1]":                                "the file does not contain a JSON object",
	} {
		if _, err := newDocument([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
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
		if string(before.text()) != text {
			t.Fatalf("not edited, it is\n%s\nand was\n%s", before.text(), text)
		}
		want := decode(&before.root).(map[string]any)
		d, _ := newDocument([]byte(text))
		if err := d.object("mcp", "servers"); err != nil {
			t.Fatalf("%v:\n%s", err, text)
		}
		d.set([]string{"mcp", "servers"}, "mine", map[string]any{"command": "c", "args": []string{"a"}})
		got := again(t, d)
		if mine := d.at("mcp", "servers", "mine"); mine == nil {
			t.Fatalf("nothing was added:\n%s", d.text())
		}
		delete(got, "mcp")
		if !reflect.DeepEqual(got, want) {
			t.Fatalf("something else changed:\n%s\nwas\n%s", d.text(), text)
		}
		d.dropKey([]string{"mcp", "servers"}, "mine")
		if got := again(t, d); !reflect.DeepEqual(got, want) || strings.Count(string(d.text()), " // c") != strings.Count(text, " // c") {
			t.Fatalf("after removing it there is\n%s\nand there was\n%s", d.text(), text)
		}
		for all := parts(&d.root); len(all) > 0; all = parts(&d.root) { // any part may go
			i := r.IntN(len(all))
			delete(want, nameOf(all[i].name))
			drop(&d.root, i)
			if got := again(t, d); !reflect.DeepEqual(got, want) {
				t.Fatalf("%s\nwant %v", d.text(), want)
			}
		}
	}
}

// again reads the text of a document as another program would.
func again(t *testing.T, d *document) map[string]any {
	t.Helper()
	read, err := newDocument(d.text())
	if err != nil {
		t.Fatalf("%v:\n%s", err, d.text())
	}
	return decode(&read.root).(map[string]any)
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

// A stack overflow can't be recovered: it would end the program.
func TestAFileOfBracketsIsRefused(t *testing.T) {
	t.Parallel()
	if _, err := newDocument(bytes.Repeat([]byte("["), 8<<20)); !errors.Is(err, errTooDeep) {
		t.Error(err)
	}
}
