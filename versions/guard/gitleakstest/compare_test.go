package gitleakstest

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/memend/memend/versions/guard"
	"github.com/rs/zerolog"
	"github.com/zricethezav/gitleaks/v8/detect"
)

var (
	seed   = flag.Uint64("guard.seed", 1, "seed of the cases and of the mutated texts; 0 draws one")
	rounds = flag.Int("guard.rounds", 2000, "number of mutated texts")
)

func TestMain(m *testing.M) {
	flag.Parse()
	for *seed == 0 {
		*seed = uint64(time.Now().UnixNano())
	}
	zerolog.SetGlobalLevel(zerolog.Disabled)
	os.Exit(m.Run())
}

// place is a found secret; texts of different places are not compared.
type place struct {
	rule         string
	line, column int
	length       int
}

func (p place) String() string {
	return fmt.Sprintf("%d:%d %s, %d bytes", p.line, p.column, p.rule, p.length)
}

func gitleaksPlaces(t *testing.T, d *detect.Detector, path string, text []byte) []place {
	t.Helper()
	var out []place
	for _, f := range d.Detect(detect.Fragment{Raw: string(text), FilePath: path}) {
		if f.Line == "" && f.Secret == "" { // of the path
			out = append(out, place{f.RuleID, 1, 1, 0})
			continue
		}
		// gitleaks counts lines from 0, and columns from the newline before them. Its place is that of the match: the secret is in it.
		start := max(0, nthNewline(text, f.StartLine)) + f.StartColumn - 1
		for start < len(text) && text[start] == '\n' {
			start++
		}
		if !bytes.HasPrefix(text[start:], []byte(f.Match)) {
			t.Fatalf("gitleaks' match of %s is not at %d:%d", f.RuleID, f.StartLine, f.StartColumn)
		}
		rule := d.Config.Rules[f.RuleID]
		groups := rule.Regex.FindStringSubmatchIndex(f.Match)
		group := rule.SecretGroup
		for n := 1; group == 0 && n < len(groups)/2; n++ {
			if groups[2*n+1] > groups[2*n] {
				group = n
			}
		}
		if len(groups) > 0 {
			start += groups[2*group]
		}
		begin := bytes.LastIndexByte(text[:start], '\n') + 1
		out = append(out, place{f.RuleID, 1 + bytes.Count(text[:start], []byte("\n")), 1 + utf8.RuneCount(text[begin:start]), len(f.Secret)})
	}
	return sorted(out)
}

// nthNewline returns the offset of a newline, counted from 1.
func nthNewline(text []byte, n int) int {
	at := -1
	for range n {
		at += 1 + bytes.IndexByte(text[at+1:], '\n')
	}
	return at
}

func guardPlaces(path string, text []byte, ofGitleaks func(rule string) bool) []place {
	var out []place
	for _, f := range guard.Check(path, text) {
		if f.Kind == guard.Secret && ofGitleaks(f.Rule) {
			out = append(out, place{f.Rule, f.Line, f.Column, f.End - f.Start})
		}
	}
	return sorted(out)
}

func sorted(list []place) []place {
	slices.SortFunc(list, func(a, b place) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column), cmp.Compare(a.rule, b.rule), cmp.Compare(a.length, b.length))
	})
	return slices.Compact(list)
}

// comparison compares texts and counts.
type comparison struct {
	t              *testing.T
	gitleaks       *detect.Detector
	texts, secrets int
}

func newComparison(t *testing.T) *comparison {
	t.Helper()
	d, err := detect.NewDetectorDefaultConfig()
	if err != nil {
		t.Fatal(err)
	}
	return &comparison{t: t, gitleaks: d}
}

func (c *comparison) text(name, path string, text []byte) {
	c.t.Helper()
	theirs := gitleaksPlaces(c.t, c.gitleaks, path, text)
	ours := guardPlaces(path, text, func(rule string) bool { _, ok := c.gitleaks.Config.Rules[rule]; return ok })
	if !slices.Equal(theirs, ours) {
		c.t.Errorf("%s, in %q:\ngitleaks finds %v\nthe guard finds %v\nin %q", name, path, theirs, ours, text)
	}
	c.texts++
	c.secrets += len(theirs)
}

func (c *comparison) end() { c.t.Logf("%d texts with %d secrets", c.texts, c.secrets) }

func TestTheGuardAndGitleaksFindTheSameInItsCases(t *testing.T) {
	c := newComparison(t)
	for i, one := range gitleaksCases(t) {
		c.text(fmt.Sprintf("case %d, of %s", i, one.Rule), one.Path, one.Text)
	}
	c.end()
}

// memories returns the contents of the recorded histories and cases in $MEMEND_CORPUS.
func memories(t *testing.T) [][]byte {
	t.Helper()
	root := os.Getenv("MEMEND_CORPUS")
	if root == "" {
		t.Skip("MEMEND_CORPUS is not set")
	}
	var out [][]byte
	for _, name := range []string{"ai-agents-history/blobs.jsonl.gz", "lazyclaude-history/blobs.jsonl.gz", "poison-corpus/cases.jsonl"} {
		f, err := os.Open(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		lines := json.NewDecoder(bufio.NewReader(f))
		if filepath.Ext(name) == ".gz" {
			z, err := gzip.NewReader(f)
			if err != nil {
				t.Fatal(err)
			}
			lines = json.NewDecoder(bufio.NewReader(z))
		}
		for lines.More() {
			var v struct{ Content, Value string }
			if err := lines.Decode(&v); err != nil {
				t.Fatal(err)
			}
			out = append(out, []byte(v.Content+v.Value))
		}
	}
	return out
}

func TestTheGuardAndGitleaksFindTheSameInRecordedMemories(t *testing.T) {
	c := newComparison(t)
	for i, text := range memories(t) {
		c.text(fmt.Sprintf("memory %d", i), "/notes/memory.md", text)
	}
	c.end()
}

// A mutated text has a few cases at random places in prose, some of them cut, doubled, or with letters of the other case.
func TestTheGuardAndGitleaksFindTheSameInMutatedTexts(t *testing.T) {
	draw := rand.New(rand.NewPCG(*seed, 1))
	cases := gitleaksCases(t)
	c := newComparison(t)
	paths := []string{"", "/notes/a.md", "/deploy/main.tf", "/k8s/secret.yaml", "/nuget.config", "/index.php", "/go.mod", "/recipe.bb"}
	for i := range *rounds {
		var text []byte
		for range 1 + draw.IntN(12) {
			one := slices.Clone(cases[draw.IntN(len(cases))].Text)
			text = append(text, mutate(draw, one)...)
			text = append(text, mutate(draw, []byte(between[draw.IntN(len(between))]))...)
		}
		// Without a last newline, gitleaks takes a comment that allows one line as one for the last line too.
		text = append(text, '\n')
		c.text(fmt.Sprintf("text %d", i), paths[draw.IntN(len(paths))], text)
	}
	c.end()
}

var between = []string{
	"", "\n", " ", "\n\n", "\r\n", "key", "token: ", "the access key, which is kept in the vault, and its secret name=", "é", "日本語",
	"# The API\n\nThe token is read from the environment. Authorization is by password or key:\n", " # gitleaks:allow\n", "\"", "';", "ſecret K\u212aey ",
	"Notes about auth and keys. " + "Nothing else is here; only words, and more words, about the credentials of the api. ", "-----BEGIN ", "\xff\xfe", "...", "==",
}

func mutate(draw *rand.Rand, text []byte) []byte {
	if len(text) == 0 {
		return text
	}
	at := draw.IntN(len(text))
	switch draw.IntN(8) {
	case 0:
		return text[at:]
	case 1:
		return text[:at]
	case 2:
		text[at] ^= 0x20
	case 3:
		return slices.Insert(text, at, []byte("\n")...)
	case 4:
		return slices.Concat(text, text[at:])
	case 5:
		return bytes.ToUpper(text)
	}
	return text
}
