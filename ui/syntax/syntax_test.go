package syntax

import (
	"fmt"
	"strings"
	"testing"
)

var names = [kinds]string{"heading", "strong", "emphasis", "code", "link", "quote", "list", "key", "string", "number", "keyword", "comment"}

func show(s string, tokens []Token) string {
	var out []string
	for _, t := range tokens {
		out = append(out, fmt.Sprintf("%s<%s>", names[t.Kind], s[t.From:t.To]))
	}
	return strings.Join(out, " ")
}

func TestLine_FindsTokens(t *testing.T) {
	for _, c := range []struct {
		lang     Language
		in, want string
	}{
		{Markdown, "## Title", "heading<## Title>"},
		{Markdown, "#tag", ""},
		{Markdown, "> said", "quote<> said>"},
		{Markdown, "- [x] **done** `go`", "list<-> list<[x]> strong<**done**> code<`go`>"},
		{Markdown, "12. item *soft*", "list<12.> emphasis<*soft*>"},
		{Markdown, "snake_case_name and _soft_", "emphasis<_soft_>"},
		{Markdown, "see [it](a.md) or https://x.org/a.", "link<[it](a.md)> link<https://x.org/a>"},
		{Markdown, "[[note]] and a*b", "link<[[note]]>"},
		{Markdown, "2 * 3 * 4", ""},
		{Markdown, "a <!-- hidden --> b", "comment<<!-- hidden -->>"},
		{Markdown, `\*not\*`, ""},
		{JSON, `{"a": "b\"c", "n": -1.5e3, "t": true}`, `key<"a"> string<"b\"c"> key<"n"> number<-1.5e3> key<"t"> keyword<true>`},
		{JSON, `"open`, `string<"open>`},
		{YAML, "name: Ezra # who", "key<name> comment<# who>"},
		{YAML, "- age: 12", "list<-> key<age> number<12>"},
		{YAML, `url: "a: b"`, `key<url> string<"a: b">`},
		{YAML, "# note", "comment<# note>"},
		{Plain, "# note", ""},
	} {
		tokens, _ := c.lang.Line(nil, c.in, Body)
		if got := show(c.in, tokens); got != c.want {
			t.Errorf("%q: %s, want %s", c.in, got, c.want)
		}
	}
}

func TestMarkdown_KeepsItsStateFromLineToLine(t *testing.T) {
	st := State(0)
	var got []string
	for line := range strings.SplitSeq("---\nname: x\n---\n# T\n```go\n# no heading\n```\n# T", "\n") {
		var tokens []Token
		tokens, st = Markdown.Line(nil, line, st)
		got = append(got, show(line, tokens))
	}
	want := "comment<--->|key<name>|comment<--->|heading<# T>|code<```go>|code<# no heading>|code<```>|heading<# T>"
	if strings.Join(got, "|") != want {
		t.Errorf("got %s", strings.Join(got, "|"))
	}
}

func TestOf_UsesTheExtension(t *testing.T) {
	for name, want := range map[string]Language{"a.md": Markdown, "b.JSON": JSON, "c.yml": YAML, "d.txt": Plain, "md": Plain, "e": Plain} {
		if Of(name) != want {
			t.Errorf("%s is %d", name, Of(name))
		}
	}
}

func FuzzLine(f *testing.F) {
	for _, s := range []string{"# a", "- [ ] **b** `c` [d](e)", `{"a":1}`, "a: 'b' # c", "\\", "_", "[[", "`", "<!--"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for l := Plain; l <= YAML; l++ {
			for st := first; st <= fenced; st++ {
				tokens, _ := l.Line(nil, s, st)
				at := 0
				for _, k := range tokens {
					if k.From < at || k.To <= k.From || k.To > len(s) || k.Kind >= kinds {
						t.Fatalf("language %d, state %d, %q: %v", l, st, s, tokens)
					}
					at = k.To
				}
			}
		}
	})
}

func BenchmarkMarkdown(b *testing.B) {
	s := "- [x] **done** with `go test` in [the repo](https://example.org/x), then rest of an ordinary line"
	var dst []Token
	for b.Loop() {
		dst, _ = Markdown.Line(dst[:0], s, Body)
	}
}

func TestNext_ReturnsTheStateAfterALine(t *testing.T) {
	lines := []string{"", " ", "---", "...", "```", "~~~ go", "# a", "text", "  ```", "\t---", "- a", "> b", "key: value", "````"}
	for _, l := range []Language{Plain, Markdown, JSON, YAML} {
		for st := first; st <= fenced; st++ {
			for _, s := range lines {
				if _, want := l.Line(nil, s, st); l.Next(s, st) != want {
					t.Errorf("language %d: after %q in state %d comes %d, want %d", l, s, st, l.Next(s, st), want)
				}
			}
		}
	}
}
