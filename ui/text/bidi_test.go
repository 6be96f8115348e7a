package text

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestIsolate_SeparatesFields(t *testing.T) {
	show := strings.NewReplacer(isolate, "[", endIsolate, "]")
	for in, want := range map[string]string{
		"plain  text":                        "plain  text",
		" שלום.md   601B  2d ":               " [שלום.md]   601B  2d ",
		"a שלום b│مرحبا 12":                  "[a שלום b]│[مرحبا 12]",
		"\x1b[1mשלום\x1b[m 5 \x1b[3mx\x1b[m": "\x1b[1m[שלום]\x1b[m 5 \x1b[3mx\x1b[m",
		"שלום עולם \x1b[m│ ":                 "[שלום עולם] \x1b[m│ ",
		"  שלום  ":                           "  [שלום]  ",
		"中文 שלום é":                          "[中文 שלום é]",
		"\U0001e900":                         "[\U0001e900]",
	} {
		if got := show.Replace(Isolate(in)); got != want {
			t.Errorf("%q is isolated as %q, want %q", in, got, want)
		}
	}
}

func FuzzIsolate(f *testing.F) {
	for _, s := range []string{"שלום", "a \x1b[mש│  ", "\u2068ש", "\xd7", " "} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		drawn, _ := Line{Width: 60, Base: "\x1b[1m", Mark: "\x1b[7m", Fill: true}.Append(nil, s)
		row := string(drawn)
		got := Isolate(row)
		if string(WithoutIsolates([]byte(got))) != row || ansi.StringWidth(got) != ansi.StringWidth(row) {
			t.Fatalf("%q became %q", row, got)
		}
		depth := 0
		for _, r := range got {
			switch string(r) {
			case isolate:
				depth++
			case endIsolate:
				depth--
			}
			if depth < 0 || depth > 1 {
				t.Fatalf("isolates are not in pairs: %q", got)
			}
		}
		if depth != 0 {
			t.Fatalf("an isolate is left open: %q", got)
		}
	})
}
