package editor

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"

	"github.com/memend/memend/ui/syntax"
)

func TestNewLine_ContinuesMarkdownLists(t *testing.T) {
	for name, c := range map[string]struct{ text, keys, want string }{
		"an item":                       {"- a", "end enter 'b'", "- a\n- b"},
		"in the middle of one":          {"* ab", "end left enter", "* a\n* b"},
		"a number":                      {"9. a\n", "end enter 'b'", "9. a\n10. b\n"},
		"a bracket":                     {"  3) a", "end enter", "  3) a\n  4) "},
		"a box that is ticked":          {"- [x] a", "end enter 'b'", "- [x] a\n- [ ] b"},
		"a quotation":                   {"> a", "end enter", "> a\n> "},
		"an item without a word":        {"- a\n- ", "ctrl+end enter", "- a\n"},
		"and that is one step to undo":  {"- a", "end enter enter ctrl+z", "- a\n- "},
		"which leaves the line as well": {"- a", "end enter ctrl+z", "- a"},
		"before the mark":               {"- a", "home enter", "\n- a"},
		"no list":                       {"-a", "end enter", "-a\n"},
		"a line of code":                {"```\n- a", "ctrl+end enter", "```\n- a\n"},
		"with CRLF":                     {"- a\r\n", "end enter", "- a\r\n- \r\n"},
	} {
		e := newEditor(c.text)
		e.SetLanguage(syntax.Markdown)
		press(e, c.keys)
		if got := string(e.Content()); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	e := newEditor("- a")
	press(e, "end enter")
	if got := string(e.Content()); got != "- a\n" {
		t.Errorf("in a text that is no Markdown: %q", got)
	}
}

func TestColours_FollowEveryEdit(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	e := newEditor(strings.Repeat("text **strong**\n```\ncode\n```\n# head\n", 40))
	e.SetLanguage(syntax.Markdown)
	for i := range 400 {
		press(e, []string{"'`'", "'```' enter", "backspace", "down down down", "pgdown", "ctrl+home", "ctrl+z", "ctrl+z", "ctrl+y", "ctrl+x", "ctrl+v", "ctrl+end"}[r.Intn(12)])
		fresh := newEditor(string(e.Content()))
		fresh.SetLanguage(syntax.Markdown)
		fresh.cursor, fresh.anchor, fresh.top, fresh.left = e.cursor, e.anchor, e.top, e.left
		fresh.find = e.find
		fresh.lex()
		if e.View() != fresh.View() {
			t.Fatalf("after edit %d the text is coloured otherwise than a text that was just opened:\n%q\n%q", i, e.View(), fresh.View())
		}
	}
}

func TestColours_AreRightAfterUndoOfManyBackspaces(t *testing.T) {
	e := newEditor("A\n```\nx\ny\nz\n")
	e.SetLanguage(syntax.Markdown)
	want := e.View()
	press(e, "down down backspace backspace backspace backspace ctrl+z ctrl+home")
	if got := e.View(); got != want {
		t.Errorf("drawn as\n%q\nwant\n%q", got, want)
	}
}

func BenchmarkTyping(b *testing.B) {
	for _, n := range []int{1_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := newEditor(strings.Repeat("- an item with `code` and **words**\n", n))
			e.SetLanguage(syntax.Markdown)
			e.SetSize(120, 36)
			press(e, "ctrl+end")
			b.ResetTimer()
			for i := range b.N {
				e.Update(keyMsg([]string{"x", "enter", "ctrl+z", "up"}[i%4]))
				e.View()
			}
		})
	}
}

func TestTitle_WarnsOfTooLargeTexts(t *testing.T) {
	e := newEditor(strings.Repeat("x", 2000))
	if _, info := e.Title(); info != "  1:1 of 1 · ≈500 tokens" {
		t.Errorf("the title says %q", info)
	}
	e.SetLimit(1024)
	if _, info := e.Title(); info != "  1:1 of 1 · ! 2.0K, at most 1.0K" {
		t.Errorf("the title says %q", info)
	}
}
