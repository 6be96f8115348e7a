//go:build unix

package scrub

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

func TestUnescaping(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`plain`:              "plain",
		`a\nb\t\"c\"\\d\/e`:  "a\nb\t\"c\"\\d/e",
		`\u00e9\u20ac`:       "é€",
		`\ud83d\ude00!`:      "😀!",
		`\ud83d!`:            "\ufffd!",
		`\x41\102\U0001f600`: "AB😀",
		`\q \`:               `\q `, // what is torn is given apart
		`\u12`:               "",
		`\uzzzz`:             `\uzzzz`,
	} {
		if got, _ := unescaped([]byte(in)); string(got) != want {
			t.Errorf("%s reads %q, want %q", in, got, want)
		}
	}
}

// Wherever a stream is cut, an escaped text is found as when it comes whole.
func TestAnEscapedTextIsFoundWhereverTheStreamIsCut(t *testing.T) {
	t.Parallel()
	const secret = "a long beginning without an escape, \"secret\" 🔑\nof two lines"
	quoted, err := json.Marshal("before " + secret + " after")
	if err != nil {
		t.Fatal(err)
	}
	ascii := fmt.Sprintf("%+q", secret)
	n := &Needle{text: []byte(secret)}
	for _, text := range []string{string(quoted), ascii, strings.Trim(fmt.Sprintf("%q", string(quoted)), `"`)} {
		for at := 0; at <= len(text); at++ {
			// The cut is the end of a part of the scan, and of a read.
			for _, pad := range []string{`\n`, "xx"} { // with escapes before it, and as the first one
				pad := strings.Repeat(pad, (scanBytes+(&Scanner{Needle: n}).overlap()-at)/2)
				var found Finding
				s := &Scanner{Pieces: n.Pieces(), Needle: n}
				stream := io.MultiReader(strings.NewReader(pad), iotest.OneByteReader(strings.NewReader(text)))
				if err := s.Scan(stream, &found, func(int) error { return nil }); err != nil {
					t.Fatal(err)
				}
				if found.Matches == 0 {
					t.Fatalf("%s is not found when it is cut at %d behind %q", text, at, pad[:2])
				}
			}
			at += 12 // each costs a megabyte
		}
	}
}

// An occurrence is counted once, although a text with escapes is read at several levels, and wherever the escapes begin.
func TestEachOccurrenceIsCountedOnce(t *testing.T) {
	t.Parallel()
	n := &Needle{text: []byte(`a "secret" text`)}
	short := &Needle{text: []byte("secret-1")}
	far := strings.Repeat("x", scanBytes)
	for _, c := range []struct {
		n    *Needle
		text string
		want int
	}{
		{short, "secret-1", 1},
		{short, `\ secret-1`, 1},
		{short, `secret-1 \n secret-1`, 2},
		{short, `secret-1` + far + `secret-1 \n secret-1`, 3},
		{short, far + `secret-1 ` + far + `\n secret-1`, 2},
		{short, far[:len(far)-8] + strings.Repeat("y", 16) + `secret-1` + strings.Repeat("z", 30) + `\`, 1}, // in what is searched again with the next part, where the escapes begin
		{n, `a "secret" text \n a \"secret\" text`, 2},
		{n, `a \\\"secret\\\" text`, 1},
	} {
		s := &Scanner{Pieces: c.n.Pieces(), Needle: c.n}
		var text, stream Finding
		s.Text([]byte(c.text), &text)
		if err := s.Scan(strings.NewReader(c.text), &stream, func(int) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if text.Matches != c.want || stream.Matches != c.want {
			t.Errorf("%d in the text, %d in the stream, and there are %d: %.60q", text.Matches, stream.Matches, c.want, c.text)
		}
	}
}

func FuzzUnescape(f *testing.F) {
	f.Add("a\n\"b\" \\ é 🔑", 3)
	f.Fuzz(func(t *testing.T, text string, cut int) {
		text = strings.ToValidUTF8(text, "?")
		quoted, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		whole, torn := unescaped(quoted)
		if len(torn) > 0 || string(whole[1:len(whole)-1]) != text {
			t.Fatalf("%s reads %q and leaves %q", quoted, whole, torn)
		}
		at := 0
		if len(quoted) > 0 {
			at = int(uint(cut) % uint(len(quoted)))
		}
		head, torn := unescaped(quoted[:at])
		tail, rest := unescaped(append(bytes.Clone(torn), quoted[at:]...))
		if !bytes.Equal(append(head, tail...), whole) || len(rest) > 0 {
			t.Fatalf("%s cut at %d reads %q and %q", quoted, at, head, tail)
		}
	})
}

func BenchmarkScan(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	n := &Needle{text: []byte(unique(r, 40))}
	s := &Scanner{Pieces: n.Pieces(), Needle: n}
	for name, file := range map[string][]byte{
		"plain": []byte(unique(r, 16<<20)), "json": bytes.Repeat([]byte(`{"content":"a line\nand \"another\" one"}`+"\n"), 400_000),
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(file)))
			for b.Loop() {
				if err := s.Scan(bytes.NewReader(file), &Finding{}, func(int) error { return nil }); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A needle that ignores case is first searched for by what its matches have in ASCII.
func TestNeedle_IgnoresCaseLikeARegularExpression(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	letters := []string{"a", "A", "b", "B", "k", "K", "\u212a", "s", "S", "ſ", "é", "É", "1", " ", "."}
	text := func(n int) (out string) {
		for range n {
			out += letters[r.IntN(len(letters))]
		}
		return out
	}
	found := 0
	for range 20_000 {
		literal, in := text(1+r.IntN(3)), text(r.IntN(12))
		n, err := Compile([]byte(literal), false, true)
		if err != nil {
			t.Fatal(err)
		}
		want := n.re.MatchString(in)
		if want {
			found++
		}
		if got := n.InString(in); got != want {
			t.Fatalf("%q in %q: %v, want %v", literal, in, got, want)
		}
	}
	if found < 2000 {
		t.Errorf("only %d matches: the test shows little", found)
	}
}

// The random id in the name of a file of the home may hold any short word. What is longer is no chance.
func TestNeedle_InNameLeavesOutWhatIsThereByChance(t *testing.T) {
	t.Parallel()
	const id, hash = "memstore_qntv4ldtwoxanwq7ucgvcrav", "0a1b2c3d4e5f60718293a4b5badc0ffee0badc0d"
	for _, c := range []struct {
		needle           string
		regexp, caseless bool
		name             string
		want             bool
	}{
		{"two", false, false, id + ".lock", false},
		{"two", false, false, "two " + id, true},
		{"TWO", false, true, id, false},
		{"t.o", true, false, id, false},
		{"lock", false, false, id + ".lock", true},
		{"ldtwoxan", false, false, id, true},
		{"ldt.*an", true, false, id, true},
		{id, false, false, id + ".lock", true},
		{"bad", false, false, hash, false},
		{"bad", false, false, "pack-" + hash + ".bad", true},
		{hash, false, false, hash + ".txt", true},
		{"bad", false, false, "badc0ffee", true},
		{"two", false, false, "memstore_two", true},
	} {
		n, err := Compile([]byte(c.needle), c.regexp, c.caseless)
		if err != nil {
			t.Fatal(err)
		}
		if got := n.InName(c.name); got != c.want {
			t.Errorf("%q in %q: %v", c.needle, c.name, got)
		}
	}
	if (*Needle)(nil).InName(id) {
		t.Error("no needle occurs in a name")
	}
}

// Files are read at once, but a report lists them as a walk finds them.
func TestSearch_FindsFilesInTheOrderOfTheirNames(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var want []string
	for _, name := range []string{"a", "b/a/x", "b/b", "b/c", "c", "d/a", "e"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte("the needle"), 0o600)); err != nil {
			t.Fatal(err)
		}
		want = append(want, file)
	}
	n, err := Compile([]byte("needle"), false, false)
	if err != nil {
		t.Fatal(err)
	}
	f := Search{Scanner: Scanner{Pieces: n.Pieces(), Needle: n}, Folders: []Folder{{Name: dir}}, Live: func(string) bool { return false }}
	if err := f.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, found := range f.Found {
		got = append(got, found.File)
	}
	if !slices.Equal(got, want) || f.Files != len(want) || len(f.Unknown) > 0 {
		t.Errorf("it found %q in %d files, not %q; unknown: %q", got, f.Files, want, f.Unknown)
	}
}
